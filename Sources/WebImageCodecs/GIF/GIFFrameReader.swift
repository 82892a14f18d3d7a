import CGIF
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one giflib decoder that sees a file of exactly one frame, made up around that frame's data.
///
/// The container, where hostile files lie, is read by ``GIFStructure`` alone; giflib does the LZW. Rows come in file
/// order; the interlace is undone here, so that what lies outside the screen is never stored.
final class GIFFrameReader {
    private let file: UnsafeMutablePointer<GifFileType>
    private let source: GIFFrameSource

    init(_ bytes: UnsafeRawBufferPointer, _ frame: GIFFrame) throws(WebImageError) {
        source = GIFFrameSource(bytes, frame)
        var code: Int32 = 0
        let context = Unmanaged.passUnretained(source).toOpaque()
        guard let file = DGifOpen(context, GIFFrameSource.read, &code) else { throw Self.failure(code) }
        self.file = file
        HandleLedger.opened("gif_file")
        var kind = UNDEFINED_RECORD_TYPE
        guard DGifGetRecordType(file, &kind) == GIF_OK, kind == IMAGE_DESC_RECORD_TYPE,
            DGifGetImageDesc(file) == GIF_OK
        else { throw Self.failure(file.pointee.Error) }
    }

    deinit {
        var code: Int32 = 0
        DGifCloseFile(file, &code)
        HandleLedger.closed("gif_file")
    }

    /// Decodes the frame's part inside `screen`, its first pixel at `x`, `y` of `canvas`; gives whether every visible row
    /// was there.
    ///
    /// - Throws: `.badImageData` when not even one row can be decoded; broken data after that leaves the rest untouched,
    ///   as browsers show it.
    func draw(
        _ frame: GIFFrame, in screen: PixelSize, palette: PaletteTable, onto canvas: PixelBuffer, x: Int, y: Int,
        isOver: Bool = false, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        guard let visible = frame.visibleRect(in: screen) else { return true }
        let width = frame.size.width
        let batch = max(1, Self.batchByteCount / width)
        let indices = UnsafeMutablePointer<UInt8>.allocate(capacity: batch * width)
        defer { indices.deallocate() }
        var hasRows = false

        for pass in frame.isInterlaced ? Self.interlacedPasses : Self.onePass {
            let end = frame.isInterlaced ? frame.size.height : visible.y.count
            for first in stride(from: pass.first, to: end, by: pass.step * batch) {
                try deadline.check()
                let wanted = min(batch, (end - first + pass.step - 1) / pass.step)
                let read = readRows(wanted, width: width, into: indices)
                hasRows = hasRows || read > 0
                let shown = min(read, max(0, (visible.y.count - first + pass.step - 1) / pass.step))
                if shown > 0 {
                    let offset = (y + first) * canvas.bytesPerRow + x * canvas.format.bytesPerPixel
                    palette.expand(
                        indices, stride: width, width: visible.x.count, rowCount: shown,
                        into: canvas.baseAddress.advanced(by: offset), targetStride: canvas.bytesPerRow * pass.step,
                        isOver: isOver)
                }
                guard read == wanted else {
                    guard hasRows else { throw Self.failure(file.pointee.Error) }
                    return false
                }
            }
        }
        return true
    }

    private func readRows(_ count: Int, width: Int, into indices: UnsafeMutablePointer<UInt8>) -> Int {
        for row in 0..<count where DGifGetLine(file, indices + row * width, Int32(width)) != GIF_OK { return row }
        return count
    }

    private static let batchByteCount = 64 << 10
    private typealias Pass = (first: Int, step: Int)
    private static let onePass: [Pass] = [(0, 1)]
    /// GIF89a, appendix E.
    private static let interlacedPasses: [Pass] = [(0, 8), (4, 8), (2, 4), (1, 2)]

    private static func failure(_ code: Int32) -> WebImageError {
        let words = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
        return .badData("giflib", words, hint: "Fetch the file again, it is damaged.")
    }
}

/// What giflib reads: a made-up header, the frame's own data, a made-up end.
private final class GIFFrameSource {
    private let header: [UInt8]
    private let data: UnsafeRawBufferPointer
    private var position = 0

    /// A block terminator in case the data has none, then the trailer.
    private static let end: [UInt8] = [0x00, 0x3B]

    init(_ bytes: UnsafeRawBufferPointer, _ frame: GIFFrame) {
        func littleEndian(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
        let size = littleEndian(frame.size.width) + littleEndian(frame.size.height)
        header = Array("GIF89a".utf8) + size + [0, 0, 0] + [0x2C, 0, 0, 0, 0] + size + [0]
        data = UnsafeRawBufferPointer(rebasing: bytes[frame.data.clamped(to: 0..<bytes.count)])
    }

    static let read: InputFunc = { file, target, count in
        guard let target, count > 0, let context = file?.pointee.UserData else { return 0 }
        let source = Unmanaged<GIFFrameSource>.fromOpaque(context).takeUnretainedValue()
        return Int32(source.read(into: UnsafeMutableRawBufferPointer(start: target, count: Int(count))))
    }

    private func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        var written = 0
        header.withUnsafeBytes { copy($0, from: 0, to: target, &written) }
        copy(data, from: header.count, to: target, &written)
        Self.end.withUnsafeBytes { copy($0, from: header.count + data.count, to: target, &written) }
        return written
    }

    /// Copies what of `part`, which starts at `start` of the whole, lies at the reading position.
    private func copy(
        _ part: UnsafeRawBufferPointer, from start: Int, to target: UnsafeMutableRawBufferPointer,
        _ written: inout Int
    ) {
        let offset = position - start
        guard offset >= 0, offset < part.count, written < target.count, let base = part.baseAddress,
            let into = target.baseAddress
        else { return }
        let count = min(part.count - offset, target.count - written)
        memcpy(into + written, base + offset, count)
        written += count
        position += count
    }
}
