public import Foundation

/// How an image is fitted into its view.
public enum ImageContentMode: Int, Sendable, Hashable, CaseIterable {
    /// Stretched to the view's shape.
    case fill
    /// The largest size at which the whole image is visible.
    case fit
    /// The smallest size that fills the view; parts outside the view are cut off.
    case cover
    /// As ``fit``, but never larger than its own size.
    case scaleDown
    /// At its own size, centred.
    case center

    /// Returns the rectangle in which an image of a size is drawn in a view, both in points. Centred, not rounded to
    /// pixels.
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

    /// Returns the box in which an image must fit to be sharp in a view. With ``cover`` the image may be larger than
    /// the view.
    func box(for size: CGSize) -> CGSize {
        guard self == .cover else { return size }
        // Sharp for images up to twice as long as wide, or twice as wide as long. Beyond that, a slight blur is cheaper
        // than the additional pixels.
        let side = 2 * max(size.width, size.height)
        return CGSize(width: side, height: side)
    }
}
