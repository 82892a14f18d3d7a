import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes a picture of one format while its file arrives in pieces. Not thread-safe: only one thread at a time may use
/// a stream.
protocol PictureStream: AnyObject {
    /// The properties in the file header. Nil until the header has arrived.
    var info: ImageInfo? { get }
    /// A number that increases whenever ``snapshot()`` can return a more complete picture.
    var revision: Int { get }
    /// Decodes the next bytes of the file. The cost is proportional to the number of new bytes.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// Returns the part of the picture that has arrived. Returns nil before the first row.
    func snapshot() throws(WebImageError) -> PartialPicture?
}

/// The part of a picture that has arrived.
struct PartialPicture {
    var picture: DecodedPicture
    /// The size stored in the file, in pixels. `picture` can be smaller, because a decoder can scale while it decodes.
    var fullSize: PixelSize
    /// The number of rows that have arrived, counted from the top. For a complete picture, this is the number of all
    /// rows.
    var rowCount: Int
    /// Whether the pixels are final: the decoder does not change them any more.
    var isWhole: Bool
    /// Whether no other object references the pixels. If true, a preview uses the pixels without a copy.
    var isUniquelyReferenced = false
}

extension PartialPicture {
    /// Returns an image of the part that has arrived. Missing rows are transparent, or black in a layout without alpha.
    ///
    /// Visible rows are equal to the rows of the final image. If scaling would mix the last arrived rows with missing
    /// rows, these last rows are not yet visible.
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
        // The scaler computes a row also from source rows below it. These source rows belong to at most three further
        // scaled rows, and some of them may still be missing. The correction of a reduced plane reads one more row. Hide
        // five scaled rows, so that rounding cannot make a wrong row visible.
        return max(0, Int(Double(rowCount) * factor) - 5)
    }
}
