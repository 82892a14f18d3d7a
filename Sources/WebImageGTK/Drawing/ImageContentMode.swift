public import Foundation

/// How an image is fitted into its view.
public enum ImageContentMode: Int, Sendable, Hashable, CaseIterable {
    /// The image is stretched to the view's shape.
    case fill
    /// The image has the largest size at which the whole image is visible.
    case fit
    /// The image has the smallest size that fills the view. Parts outside the view are cut off.
    case cover
    /// As ``fit``, but the image is never larger than its own size.
    case scaleDown
    /// The image has its own size and is centred.
    case center

    /// Returns the rectangle in which an image of `size` is drawn in a view with the area `bounds`, in points. The
    /// rectangle is centred in the view and not rounded to pixels.
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
}
