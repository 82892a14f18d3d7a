public import Foundation
public import WebImage

extension Image {
    /// The image resized to a size in points.
    public func sd_resizedImage(with size: CGSize, scaleMode: SDImageScaleMode) -> UIImage? {
        resizedImage(with: size, scaleMode: scaleMode)
    }
    /// The part of the image inside a rectangle in points.
    public func sd_croppedImage(with rect: CGRect) -> UIImage? { croppedImage(with: rect) }
    /// The image with round corners and a border.
    public func sd_roundedCornerImage(
        withRadius radius: CGFloat, corners: SDRectCorner, borderWidth: CGFloat, borderColor: UIColor?
    ) -> UIImage? {
        roundedCornerImage(withRadius: radius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
    }
    /// The image rotated counter-clockwise by an angle in radians.
    public func sd_rotatedImage(withAngle angle: CGFloat, fitSize: Bool) -> UIImage? {
        rotatedImage(withAngle: angle, fitSize: fitSize)
    }
    /// The image mirrored.
    public func sd_flippedImage(withHorizontal horizontal: Bool, vertical: Bool) -> UIImage? {
        flippedImage(withHorizontal: horizontal, vertical: vertical)
    }
    /// The image with all opaque areas filled with one colour; the transparency stays.
    public func sd_tintedImage(with tintColor: UIColor) -> UIImage? { tintedImage(with: tintColor) }
    /// The image blended with a colour.
    public func sd_tintedImage(with tintColor: UIColor, blendMode: BlendMode) -> UIImage? {
        tintedImage(with: tintColor, blendMode: blendMode)
    }
    /// The colour of a pixel. Nil if the point is outside the image.
    public func sd_color(at point: CGPoint) -> UIColor? { color(at: point) }
    /// The colours inside a rectangle in pixels, row by row. Nil if the rectangle is not completely inside the image.
    public func sd_colors(with rect: CGRect) -> [UIColor]? { colors(with: rect) }
    /// The image blurred by a radius in points.
    public func sd_blurredImage(withRadius blurRadius: CGFloat) -> UIImage? { blurredImage(withRadius: blurRadius) }
    /// The image changed by a filter.
    public func sd_filteredImage(with filter: any ImageFilter) -> UIImage? { filteredImage(with: filter) }
}
