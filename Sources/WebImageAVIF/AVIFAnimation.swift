import Foundation
import WebImageCore
import WebImageGraphics

/// One opened sequence: its own copy of the bytes and one decoder, used by one thread at a time.
final class AVIFAnimation: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    private let open: Locked<OpenDecoder>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        self.data = data
        self.options = options
        let opened = try OpenDecoder(data, limits: options.limits)
        info = opened.decoder.info
        open = Locked(opened)
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        let picture = try open.withLock { opened throws(WebImageError) in
            try opened.decoder.picture(at: index, options: options)
        }
        try deadline.check()
        return try picture.finished(options: options, fullSize: info.storedSize)
    }
}

/// A decoder and the memory it reads, which stays where it is while the decoder lives.
private final class OpenDecoder {
    let decoder: AVIFDecoder
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ data: Data, limits: DecodingLimits) throws(WebImageError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = copy
        do throws(WebImageError) {
            decoder = try AVIFDecoder(UnsafeRawBufferPointer(copy), limits: limits)
        } catch {
            copy.deallocate()
            throw error
        }
    }

    deinit { bytes.deallocate() }
}
