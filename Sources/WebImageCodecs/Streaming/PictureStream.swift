import Foundation
import WebImageCore
import WebImageGraphics

/// The format's part of decoding a picture that arrives in pieces. Used from one thread at a time.
protocol PictureStream: AnyObject {
    /// The facts in the header; nil before it is whole.
    var info: ImageInfo? { get }
    /// Grows with what can be shown.
    var revision: Int { get }
    /// Takes the next bytes; its work is proportional to them.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// What can be shown now; nil before the first row is there.
    func snapshot() throws(WebImageError) -> ArrivingPicture?
}

/// The part of a picture that has arrived.
struct ArrivingPicture {
    var picture: DecodedPicture
    /// Sides as stored in the file, before any scaling by the decoder.
    var fullSize: PixelSize
    /// Rows of the picture's pixels that are there, from the top; all of them once it is whole.
    var rowCount: Int
    /// Whether the decoder is done with the pixels.
    var isWhole: Bool
    /// Whether nothing else holds the pixels, so that a preview may show them without a copy.
    var isOwn = false
}

extension ArrivingPicture {
    /// The image; what has not arrived is transparent, or black in layouts without alpha.
    ///
    /// Rows that are shown are those of the final image: the ones at the edge that scaling would mix with what is missing
    /// are held back.
    func image(options: DecodingOptions) throws(WebImageError) -> Image {
        let stored = picture.pixels
        let orientation = picture.orientation
        let finished = try picture.finished(options: options, fullSize: fullSize)
        guard !isWhole else { return finished }
        let upright = finished.pixelSize.oriented(orientation)
        let visible = visibleRowCount(of: upright.height, storedHeight: stored.height)
        var pixels = finished.pixels
        if pixels === stored, !isOwn { pixels = try pixels.copied() }
        pixels.clear(outside: visible, of: upright, orientation)
        let preview = Image(
            pixels: pixels, scale: finished.scale, colorProfile: finished.colorProfile,
            hasAlpha: pixels.format.hasAlpha && (finished.hasAlpha || visible < upright.height),
            format: finished.imageFormat)
        preview.isIncremental = true
        return preview
    }

    private func visibleRowCount(of height: Int, storedHeight: Int) -> Int {
        guard rowCount < storedHeight else { return height }
        guard height != storedHeight else { return rowCount }
        let factor = Double(height) / Double(storedHeight)
        // Lanczos reaches three rows of the smaller picture.
        return max(0, Int(Double(rowCount) * factor) - 4)
    }
}
