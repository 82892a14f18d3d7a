import CWebImageGIF
import Foundation
import WebImageCore

/// Owns one giflib encoder, which writes a GIF89a file to memory.
final class GIFFileWriter {
    private var file: UnsafeMutablePointer<GifFileType>?
    private let output = GIFOutput()

    init(_ screen: PixelSize) throws(WebImageError) {
        guard max(screen.width, screen.height) <= 65535 else {
            throw .cannotEncode(
                "giflib", "\(screen) is over 65535 px a side", hint: "Set a maximum pixel size, or choose PNG.")
        }
        var code: Int32 = 0
        guard let file = EGifOpen(Unmanaged.passUnretained(output).toOpaque(), GIFOutput.write, &code) else {
            throw Self.failure(code)
        }
        self.file = file
        HandleLedger.opened("gif_writer")
        EGifSetGifVersion(file, true)
        try check(EGifPutScreenDesc(file, Int32(screen.width), Int32(screen.height), 8, 0, nil))
    }

    deinit { _ = close() }

    /// Writes the `NETSCAPE2.0` application extension, which browsers read. It contains the number of repetitions after the
    /// first play, or 0 for endless repetition. A file without this extension plays once.
    func appendLoop(repetitions: Int) throws(WebImageError) {
        let count = min(repetitions, 65535)
        try check(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE))
        try check(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"))
        try check(EGifPutExtensionBlock(file, 3, [1, UInt8(count & 255), UInt8(count >> 8)]))
        try check(EGifPutExtensionTrailer(file))
    }

    /// Adds a frame with a local palette.
    ///
    /// - Parameter delay: The delay in hundredths of a second.
    func append(
        _ picture: IndexedPicture, x: Int, y: Int, delay: Int, disposal: GIFFrame.Disposal
    ) throws(WebImageError) {
        let flags = disposal.rawValue << 2 | (picture.transparentIndex == nil ? 0 : 1)
        let control = [
            flags, UInt8(delay & 255), UInt8(delay >> 8 & 255), UInt8(picture.transparentIndex ?? 0),
        ]
        try check(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, control))
        let count = max(picture.palette.count / 3, 2)
        let size = 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
        var colors = (0..<size).map { index in
            let place = index * 3
            guard place < picture.palette.count else { return GifColorType() }
            return GifColorType(
                Red: picture.palette[place], Green: picture.palette[place + 1], Blue: picture.palette[place + 2])
        }
        guard let map = GifMakeMapObject(Int32(size), &colors) else {
            throw .cannotEncode("giflib", "out of memory")
        }
        defer { GifFreeMapObject(map) }
        try check(
            EGifPutImageDesc(
                file, Int32(x), Int32(y), Int32(picture.width), Int32(picture.height), false, map))
        var indices = picture.indices
        let isWritten = indices.withUnsafeMutableBufferPointer { indices in
            (0..<picture.height).allSatisfy { row in
                (row % 16 > 0 || WorkBudget.shouldStop() == 0)
                    && EGifPutLine(file, indices.baseAddress! + row * picture.width, Int32(picture.width)) == GIF_OK
            }
        }
        try WorkBudget.checkCurrent()
        guard isWritten else { throw Self.failure(file?.pointee.Error ?? 0) }
    }

    func finished() throws(WebImageError) -> Data {
        guard close() else { throw .cannotEncode("giflib", "cannot finish the file") }
        return output.data
    }

    private func close() -> Bool {
        guard let file else { return true }
        self.file = nil
        var code: Int32 = 0
        let status = EGifCloseFile(file, &code)
        HandleLedger.closed("gif_writer")
        return status == GIF_OK
    }

    private func check(_ status: Int32) throws(WebImageError) {
        guard status == GIF_OK else { throw Self.failure(file?.pointee.Error ?? 0) }
    }

    private static func failure(_ code: Int32) -> WebImageError {
        .cannotEncode("giflib", GifErrorString(code).map { String(cString: $0) } ?? "error \(code)")
    }
}

/// Collects the bytes that giflib writes.
private final class GIFOutput {
    private(set) var data = Data()

    static let write: OutputFunc = { file, bytes, count in
        guard let bytes, count > 0, let context = file?.pointee.UserData else { return 0 }
        Unmanaged<GIFOutput>.fromOpaque(context).takeUnretainedValue().data.append(bytes, count: Int(count))
        return count
    }
}
