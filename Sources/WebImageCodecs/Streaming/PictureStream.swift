import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes a picture of one format while its file arrives in pieces. Not thread-safe: use it on one thread at a time.
protocol PictureStream: AnyObject {
    /// The properties in the file header; nil until the header has arrived.
    var info: ImageInfo? { get }
    /// A number that increases whenever ``snapshot()`` would return a more complete picture.
    var revision: Int { get }
    /// Decodes the next bytes of the file. The cost is proportional to the number of new bytes.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// Returns the picture as far as it has arrived; nil before the first row.
    func snapshot() throws(WebImageError) -> PartialPicture?
}

/// A picture of which a part has arrived.
struct PartialPicture {
    var picture: DecodedPicture
    /// The size stored in the file, in pixels. The decoder may have scaled the pixels to a smaller size.
    var fullSize: PixelSize
    /// The number of rows that have arrived, counted from the top. Equals the height when the picture is complete.
    var rowCount: Int
    /// Whether the pixels are final: the decoder does not change them any more.
    var isWhole: Bool
    /// Whether no other object references the pixels. A preview then uses them without a copy.
    var isUniquelyReferenced = false
}

extension PartialPicture {
    /// Returns the image of the part that has arrived. Missing rows are transparent, or black in a layout without
    /// alpha.
    ///
    /// Visible rows equal the rows of the final image. The last rows that have arrived are therefore not shown yet if
    /// scaling would mix them with missing rows.
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
        // A Lanczos filter reads up to three scaled rows below its position. Hide one row more to be safe from
        // rounding.
        return max(0, Int(Double(rowCount) * factor) - 4)
    }
}
