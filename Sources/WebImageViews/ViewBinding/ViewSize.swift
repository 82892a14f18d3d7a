package import Foundation
package import WebImageCore

/// The size of a view, as far as it matters for the decoding of its picture. A pure value.
package enum ViewSize: Equatable, Sendable {
    /// The view has no layout.
    case unknown
    /// The view shows the picture at its full size.
    case full
    /// The picture is drawn inside a box, in device pixels. A side that does not limit the picture is
    /// ``unlimitedSide``.
    case box(CGSize)
    /// The picture covers an area, in device pixels: both sides of the picture reach those of the area.
    case area(CGSize)

    /// The longest side that X11 and cairo can draw.
    package static let unlimitedSide: CGFloat = 32767
    /// The box of a picture that was decoded with all its pixels.
    package static let wholeBox = CGSize(width: unlimitedSide, height: unlimitedSide)
    /// The least side of the square in which a picture is decoded that covers an area. In very small views, the pixels of a
    /// smaller picture would be too few to be scaled once more without a loss.
    private static let leastSquare: CGFloat = 96
    /// The number of pixels to which a long picture that covers an area is limited.
    private static let longPicturePixels = CGFloat(16 << 20)

    /// Whether the size limits the pixels of the picture.
    package var limits: Bool {
        switch self {
        case .unknown, .full: false
        case .box, .area: true
        }
    }

    /// Returns a side rounded up to a multiple of 32, so that areas of almost the same size share their pictures.
    package static func stepped(_ side: CGFloat) -> CGFloat { min((side / 32).rounded(.up) * 32, unlimitedSide) }

    /// Returns a side rounded up to a whole pixel. A picture inside a box gets exactly the pixels that are drawn: GTK would
    /// interpolate the pixels of a slightly larger one, which blurs fine detail.
    package static func whole(_ side: CGFloat) -> CGFloat { min((side - 1e-4).rounded(.up), unlimitedSide) }

    /// Returns the box in which a picture is decoded; nil without a limit.
    ///
    /// A picture that covers an area is decoded in a square of twice the longer side. This is enough if the longer side of
    /// the picture is at most twice its shorter side, and such pictures share one size, whether their own size is known or
    /// not. A longer picture needs a larger box, which follows from its own size: it gets the pixels that are drawn.
    /// - Parameter source: The size of the whole picture; nil if it is unknown.
    package func box(for source: PixelSize?, isVector: Bool = false) -> CGSize? {
        switch self {
        case .unknown, .full: return nil
        case .box(let box): return box
        case .area(let area):
            let side = max(Self.stepped(2 * max(area.width, area.height)), Self.leastSquare)
            let usual = CGSize(width: side, height: side)
            guard let source, source.width > 0, source.height > 0 else { return usual }
            let (width, height) = (CGFloat(source.width), CGFloat(source.height))
            let scale = max(Self.whole(area.width) / width, Self.whole(area.height) / height)
            let needed = isVector ? scale : min(scale, 1)
            let limit = (Self.longPicturePixels / (width * height * needed * needed)).squareRoot()
            let factor = needed * min(limit, 1)
            let box = CGSize(width: Self.whole(width * factor), height: Self.whole(height * factor))
            return max(box.width, box.height) > side ? box : usual
        }
    }
}
