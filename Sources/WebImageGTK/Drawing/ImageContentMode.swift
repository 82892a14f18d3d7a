public import Foundation

/// How a picture is fitted into its view.
public enum ImageContentMode: Int, Sendable, Hashable, CaseIterable {
    /// Stretched to the view's shape.
    case fill
    /// As large as it can be seen whole.
    case fit
    /// As small as it leaves nothing of the view empty; what stands out is cut off.
    case cover
    /// As ``fit``, but never larger than its own size.
    case scaleDown
    /// At its own size, in the middle.
    case center

    /// Where a picture of a size is drawn in a view; both in points. Centred, not rounded to pixels.
    public func rect(for size: CGSize, in bounds: CGRect) -> CGRect {
        guard size.width > 0, size.height > 0, bounds.width > 0, bounds.height > 0 else { return bounds }
        let (x, y) = (bounds.width / size.width, bounds.height / size.height)
        let scale: CGFloat
        switch self {
        case .fill: return bounds
        case .fit: scale = min(x, y)
        case .cover: scale = max(x, y)
        case .scaleDown: scale = min(x, y, 1)
        case .center: scale = 1
        }
        let (width, height) = (size.width * scale, size.height * scale)
        return CGRect(x: bounds.midX - width / 2, y: bounds.midY - height / 2, width: width, height: height)
    }

    /// The box in which a picture must fit to be sharp in a view: what covers a view may stick out of it.
    func box(for size: CGSize) -> CGSize {
        guard self == .cover else { return size }
        // Up to twice as long as wide or wide as long; beyond that a little softness is cheaper than the pixels.
        let side = 2 * max(size.width, size.height)
        return CGSize(width: side, height: side)
    }
}
