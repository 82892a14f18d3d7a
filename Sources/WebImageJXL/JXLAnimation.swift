import Foundation
import WebImageCore
import WebImageGraphics

/// One opened file. It owns a copy of the bytes and one decoder. A lock protects the decoder, so only one thread at a
/// time decodes.
final class JXLAnimation: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    private let open: Locked<OpenedFile<JXLPictures>>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        self.data = data
        let opened = try OpenedFile(copying: data) { bytes throws(WebImageError) in
            let deadline = DecodeDeadline(options.limits)
            let pictures = try JXLPictures(bytes, limits: options.limits, deadline: deadline)
            try pictures.countFrames(limits: options.limits, deadline: deadline)
            return pictures
        }
        info = opened.reader.info
        self.options = options.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
        open = Locked(opened)
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        let picture = try open.withLock { opened throws(WebImageError) in
            try opened.reader.picture(at: index, options: options, deadline: deadline)
        }
        return try picture.finished(options: options, fullSize: info.storedSize)
    }
}
