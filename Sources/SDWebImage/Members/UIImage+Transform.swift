public import Foundation
public import WebImage

extension Image {
    /// Returns a resized image. `size` is in points.
    public func sd_resizedImage(with size: CGSize, scaleMode: SDImageScaleMode) -> UIImage? {
        resizedImage(with: size, scaleMode: scaleMode)
    }
    /// Returns the part of the image inside a rectangle. The rectangle is in points.
    public func sd_croppedImage(with rect: CGRect) -> UIImage? { croppedImage(with: rect) }
    /// Returns the image with round corners and a border.
    public func sd_roundedCornerImage(
        withRadius radius: CGFloat, corners: SDRectCorner, borderWidth: CGFloat, borderColor: UIColor?
    ) -> UIImage? {
        roundedCornerImage(withRadius: radius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
    }
    /// Returns a rotated image. The rotation is counter-clockwise. The angle is in radians.
    public func sd_rotatedImage(withAngle angle: CGFloat, fitSize: Bool) -> UIImage? {
        rotatedImage(withAngle: angle, fitSize: fitSize)
    }
    /// Returns a mirrored image. The image is mirrored left to right, top to bottom, or both.
    public func sd_flippedImage(withHorizontal horizontal: Bool, vertical: Bool) -> UIImage? {
        flippedImage(withHorizontal: horizontal, vertical: vertical)
    }
    /// Returns an image in which all pixels have the colour `tintColor`. The opacity of each pixel is multiplied by the
    /// opacity of the colour. If the colour is completely transparent, returns the same image.
    public func sd_tintedImage(with tintColor: UIColor) -> UIImage? { tintedImage(with: tintColor) }
    /// Returns an image in which a colour is blended over the whole image.
    public func sd_tintedImage(with tintColor: UIColor, blendMode: BlendMode) -> UIImage? {
        tintedImage(with: tintColor, blendMode: blendMode)
    }
    /// Returns the colour of a pixel. `point` is in pixels. Nil if the point is outside the image, or if the image has a
    /// high dynamic range, because the value of such a pixel is no colour in sRGB.
    public func sd_color(at point: CGPoint) -> UIColor? {
        sd_colors(with: CGRect(x: point.x, y: point.y, width: 1, height: 1))?.first
    }
    /// Returns the colours of the pixels inside a rectangle, row by row. The rectangle is in pixels. Nil if the
    /// rectangle is not completely inside the image, or if the image has a high dynamic range.
    ///
    /// The components are multiples of 1/255.
    public func sd_colors(with rect: CGRect) -> [UIColor]? {
        guard !isHighDynamicRange else { return nil }
        // A half is rounded up, also if the division by the opacity makes it slightly smaller.
        func rounded(_ component: Double) -> Double { (component * 255 + 0.5 + 1e-9).rounded(.down) / 255 }
        return colors(with: rect)?.map { color in
            UIColor(
                red: rounded(color.red), green: rounded(color.green), blue: rounded(color.blue),
                alpha: rounded(color.alpha))
        }
    }
    /// Returns a blurred image. The blur radius is in points.
    public func sd_blurredImage(withRadius blurRadius: CGFloat) -> UIImage? { blurredImage(withRadius: blurRadius) }
    /// Applies a filter and returns the resulting image.
    public func sd_filteredImage(with filter: any ImageFilter) -> UIImage? { filteredImage(with: filter) }
    /// Unavailable, because Linux has no Core Image.
    @available(*, unavailable, message: "Adopt ImageFilter, or use ColorFilter")
    public func sd_filteredImage(with filter: CIFilter) -> UIImage? { nil }
}
