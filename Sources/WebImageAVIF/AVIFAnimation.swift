import Foundation
import WebImageCore
import WebImageGraphics

/// One opened sequence. It owns a copy of the bytes and one decoder. A lock protects the decoder, so only one thread at
/// a time decodes.
final class AVIFAnimation: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    /// The decoder. Nil after an error, because an error makes the position of libavif in the sequence undefined. The
    /// next call of `frame(at:)` then creates a new decoder.
    private let open: Locked<OpenedFile<AVIFDecoder>?>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        self.data = data
        let opened = try Self.open(data, options.limits)
        info = opened.reader.info
        self.options = options.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
        open = Locked(opened)
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        let picture = try open.withLock { opened throws(WebImageError) in
            let usable = if let opened { opened } else { try Self.open(data, options.limits) }
            opened = nil
            let picture = try usable.reader.picture(at: index, options: options, deadline: deadline)
            opened = usable
            return picture
        }
        try deadline.check()
        return try picture.finished(options: options, fullSize: info.storedSize)
    }

    private static func open(_ data: Data, _ limits: DecodingLimits) throws(WebImageError) -> OpenedFile<AVIFDecoder> {
        try OpenedFile(copying: data) { bytes throws(WebImageError) in try AVIFDecoder(bytes, limits: limits) }
    }
}
