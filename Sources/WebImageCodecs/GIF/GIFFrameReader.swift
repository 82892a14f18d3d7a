import CWebImageCodecShim
import WebImageCore
import WebImageGraphics

/// Decodes one frame. Owns the C decoder that decompresses the frame to palette indices. The bytes must outlive this
/// object.
///
/// The C decoder receives only compressed data. ``GIFStructure`` parses the rest of the file in Swift and checks all
/// offsets, because hostile files contain invalid offsets and lengths. The C decoder returns rows in file order.
/// ``draw`` writes each interlaced row directly to its final position, so that rows outside the screen are never
/// stored.
final class GIFFrameReader {
    private let handle: OpaquePointer
    private let frame: GIFFrame
    /// The number of rows that are decoded between two checks of the deadline.
    private let batch: Int

    /// - Throws: `.badImageData` if the data is missing or its code size is invalid.
    init(_ bytes: UnsafeRawBufferPointer, _ frame: GIFFrame) throws(WebImageError) {
        self.frame = frame
        let width = max(frame.size.width, 1)
        batch = min(max(1, Self.batchByteCount / width), max(frame.size.height, 1))
        let data = UnsafeRawBufferPointer(rebasing: bytes[frame.data.clamped(to: 0..<bytes.count)])
        guard
            let start = data.bindMemory(to: UInt8.self).baseAddress,
            let handle = cgif_indices_create(start, data.count, batch * width)
        else { throw .badData("GIF", "a frame's data is missing or has an invalid code size", hint: Self.hint) }
        self.handle = handle
        HandleLedger.opened("gif_indices")
    }

    deinit {
        cgif_indices_destroy(handle)
        HandleLedger.closed("gif_indices")
    }

    /// Decodes the part of the frame inside `screen`. Draws the top left pixel of this part at column `x` and row `y`
    /// of `canvas`. Call this function only once.
    ///
    /// - Returns: Whether every visible row was decoded. Rows after damaged data are not drawn, as in browsers.
    /// - Throws: `.badImageData` if no row can be decoded.
    func draw(
        in screen: PixelSize, palette: PaletteTable, onto canvas: PixelBuffer, x: Int, y: Int, isOver: Bool = false,
        deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        guard let visible = frame.visibleRect(in: screen) else { return true }
        let width = frame.size.width
        var hasRows = false

        for pass in frame.isInterlaced ? Self.interlacedPasses : Self.onePass {
            let end = frame.isInterlaced ? frame.size.height : visible.y.count
            for first in stride(from: pass.first, to: end, by: pass.step * batch) {
                try deadline.check()
                let wanted = min(batch, (end - first + pass.step - 1) / pass.step)
                var indices: UnsafePointer<UInt8>?
                let read = cgif_indices_next(handle, wanted * width, &indices) / width
                hasRows = hasRows || read > 0
                let shown = min(read, max(0, (visible.y.count - first + pass.step - 1) / pass.step))
                if shown > 0, let indices {
                    let offset = (y + first) * canvas.bytesPerRow + x * canvas.format.bytesPerPixel
                    palette.expand(
                        indices, stride: width, width: visible.x.count, rowCount: shown,
                        into: canvas.baseAddress.advanced(by: offset), targetStride: canvas.bytesPerRow * pass.step,
                        isOver: isOver)
                }
                guard read == wanted else {
                    guard hasRows else { throw .badData("GIF", "no row of a frame can be decoded", hint: Self.hint) }
                    return false
                }
            }
        }
        return true
    }

    private static let hint = "Fetch the file again, it is damaged."
    private static let batchByteCount = 64 << 10
    private typealias Pass = (first: Int, step: Int)
    private static let onePass: [Pass] = [(0, 1)]
    /// The first row and the row distance of each of the four passes of an interlaced frame (GIF89a, appendix E).
    private static let interlacedPasses: [Pass] = [(0, 8), (4, 8), (2, 4), (1, 2)]
}
