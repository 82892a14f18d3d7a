import Foundation
import WebImageCore
import WebImageGraphics

/// One opened video whose previews are decoded by index. A lock protects FFmpeg's decoder, so only one thread at a time
/// decodes.
final class VideoPreviews: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    private let open: Locked<OpenedFile<VideoDecoder>>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        let opened = try OpenedFile(copying: data) { bytes throws(WebImageError) in
            try VideoDecoder(.init(bytes), options: options)
        }
        info = opened.reader.file.info
        self.data = data
        self.options = options.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
        open = Locked(opened)
    }

    /// The first preview is the poster. The others are those at equal distances.
    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        try options.checkMemory(for: info)
        let deadline = DecodeDeadline(options.limits)
        let time = (info.mediaDuration ?? 0) * Double(index) / Double(info.frameCount)
        let picture = try open.withLock { opened throws(WebImageError) in
            opened.reader.file.input.deadline = deadline
            return index == 0 ? try opened.reader.poster(options) : try opened.reader.picture(at: time, options)
        }
        try deadline.check()
        return try picture.finished(options: options, fullSize: info.storedSize)
    }
}

extension VideoDecoder {
    /// Opens a video: reads its header and starts its decoder.
    convenience init(_ origin: VideoInput.Origin, options: DecodingOptions) throws(WebImageError) {
        try self.init(try VideoFile(origin, options: options), limits: options.limits)
    }
}

extension VideoFile {
    /// Opens a video and reads its header.
    convenience init(_ origin: VideoInput.Origin, options: DecodingOptions) throws(WebImageError) {
        let library = try VideoLibrary.functions()
        let input = try VideoInput(
            origin, library, limits: options.limits, deadline: DecodeDeadline(options.limits))
        try self.init(input, options: options)
    }
}
