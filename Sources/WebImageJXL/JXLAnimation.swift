import Foundation
import WebImageCore
import WebImageGraphics

/// One opened file. It owns a copy of the bytes and one decoder. A lock protects the decoder, so only one thread at a
/// time decodes.
final class JXLAnimation: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    private let open: Locked<OpenPictures>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        self.data = data
        let opened = try OpenPictures(data, limits: options.limits)
        info = opened.pictures.info
        self.options = options.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
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

/// A decoder and the encoded bytes that the decoder reads.
private final class OpenPictures {
    let pictures: JXLPictures
    private let file: PinnedBytes

    init(_ data: Data, limits: DecodingLimits) throws(WebImageError) {
        file = PinnedBytes(copying: data)
        let deadline = DecodeDeadline(limits)
        pictures = try JXLPictures(file.bytes, limits: limits, deadline: deadline)
        try pictures.countFrames(limits: limits, deadline: deadline)
    }
}
