import Foundation
import WebImageCore
import WebImageGraphics

/// One opened file whose pages are read by index. It owns a copy of the bytes and one reader. A lock protects the reader, so
/// only one thread at a time decodes.
final class TIFFDocument: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    /// The reader. Nil after an error, because an error can stop libtiff in the middle of a strip. The next call of
    /// `frame(at:)` then creates a new reader.
    private let open: Locked<OpenedFile<TIFFPages>?>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        self.data = data
        self.options = options
        let opened = try Self.open(data, options.limits)
        info = opened.reader.info
        // Only one page is in memory at a time, so the limit for all frames of an animation does not apply.
        guard info.frameCount <= options.limits.maxFrameCount else {
            throw .limit(.frameCount, actual: info.frameCount, allowed: options.limits.maxFrameCount)
        }
        open = Locked(opened)
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        return try open.withLock { opened throws(WebImageError) in
            let usable = if let opened { opened } else { try Self.open(data, options.limits) }
            opened = nil
            let image = try usable.reader.image(at: index, options: options, deadline: deadline)
            opened = usable
            return image
        }
    }

    private static func open(_ data: Data, _ limits: DecodingLimits) throws(WebImageError) -> OpenedFile<TIFFPages> {
        try OpenedFile(copying: data) { bytes throws(WebImageError) in try TIFFPages(bytes, limits: limits) }
    }
}
