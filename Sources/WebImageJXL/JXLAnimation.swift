import Foundation
import WebImageCore
import WebImageGraphics

/// One opened file: its own copy of the bytes and one decoder, used by one thread at a time.
final class JXLAnimation: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    private let open: Locked<OpenPictures>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        self.data = data
        self.options = options
        let opened = try OpenPictures(data, limits: options.limits)
        info = opened.pictures.info
        open = Locked(opened)
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        let picture = try open.withLock { opened throws(WebImageError) in
            try opened.pictures.picture(at: index, options: options, deadline: deadline)
        }
        return try picture.finished(options: options, fullSize: info.storedSize)
    }
}

/// A decoder and the memory it reads, which stays where it is while the decoder lives.
private final class OpenPictures {
    let pictures: JXLPictures
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ data: Data, limits: DecodingLimits) throws(WebImageError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = copy
        do throws(WebImageError) {
            let deadline = DecodeDeadline(limits)
            pictures = try JXLPictures(UnsafeRawBufferPointer(copy), limits: limits, deadline: deadline)
            try pictures.countFrames(limits: limits, deadline: deadline)
        } catch {
            copy.deallocate()
            throw error
        }
    }

    deinit { bytes.deallocate() }
}
