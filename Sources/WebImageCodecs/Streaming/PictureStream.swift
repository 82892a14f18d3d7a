import Foundation
import WebImageCore
import WebImageGraphics

/// The format's part of decoding a picture that arrives in pieces. Used from one thread at a time.
protocol PictureStream: AnyObject {
    /// The facts in the header; nil until it has arrived.
    var info: ImageInfo? { get }
    /// A number that grows whenever there is more to show.
    var revision: Int { get }
    /// Takes the next bytes; its work is proportional to them.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// The part that can be shown now; nil before the first row.
    func snapshot() throws(WebImageError) -> PartialPicture?
}

/// The part of a picture that has arrived.
struct PartialPicture {
    var picture: DecodedPicture
    /// Sides as stored in the file, before any scaling by the decoder.
    var fullSize: PixelSize
    /// The number of rows that have arrived, from the top; all rows once the picture is whole.
    var rowCount: Int
    /// Whether the decoder will not change the pixels any more.
    var isWhole: Bool
    /// Whether nothing else uses the pixels, so that a preview needs no copy.
    var isUniquelyReferenced = false
}

extension PartialPicture {
    /// The image; missing rows are transparent, or black in layouts without alpha.
    ///
    /// Shown rows equal those of the final image: rows at the edge, which scaling would mix with missing rows, are not
    /// shown yet.
    func image(options: DecodingOptions) throws(WebImageError) -> Image {
        let stored = picture.pixels
        let orientation = picture.orientation
        let finished = try picture.finished(options: options, fullSize: fullSize)
        guard !isWhole else { return finished }
        let upright = finished.pixelSize.oriented(orientation)
        let visible = visibleRowCount(of: upright.height, storedHeight: stored.height)
        var pixels = finished.pixels
        if pixels === stored, !isUniquelyReferenced { pixels = try pixels.copied() }
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
