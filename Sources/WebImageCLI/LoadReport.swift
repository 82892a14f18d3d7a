import Foundation
import WebImage
import WebImageLinkPreview

/// A loaded picture, its encoded bytes, and the cache layer that contained the picture.
struct LoadedPicture: Sendable {
    let image: Image
    let data: Data?
    let encodedByteCount: Int?
    let cacheType: ImageCacheType
}

/// The output of `webimage load` for one picture.
enum LoadReport: Sendable {
    /// The picture was loaded, and written if an output file was wanted.
    case loaded(Loaded, Written?)
    /// The picture was not loaded, because its output file exists.
    case skipped(file: String)

    /// A loaded picture, and how long its load took.
    struct Loaded: Sendable {
        let origin: String
        let pixelSize: PixelSize
        let format: ImageFormat
        let encodedByteCount: Int?
        let milliseconds: Double
        /// What the page says whose picture was loaded; nil for a picture's own address.
        let preview: LinkPreview?

        init(_ result: LoadedPicture, of operand: Operand, in elapsed: Duration, isPage: Bool) {
            origin = result.cacheType.originName(of: operand.text)
            pixelSize = result.image.pixelSize
            format = result.image.imageFormat
            encodedByteCount = result.encodedByteCount
            milliseconds = elapsed / .milliseconds(1)
            preview = isPage ? result.image.linkPreview : nil
        }
    }

    /// The written output file and its properties.
    struct Written: Sendable {
        let path: String
        let format: ImageFormat
        let pixelSize: PixelSize
        let byteCount: Int
        let isOriginal: Bool

        init(path: String, output: Rendition.Output) {
            self.path = path
            format = output.format
            pixelSize = output.pixelSize
            byteCount = output.data.count
            isOriginal = output.isOriginal
        }

        /// A description of the file's content.
        var words: String { isOriginal ? "original" : "\(format) \(pixelSize)" }
    }

    func line(of operand: Operand, json: Bool) -> String { json ? jsonLine(of: operand) : columns(of: operand) }

    private func columns(of operand: Operand) -> String {
        func joined(_ origin: String, size: String, bytes: String, _ milliseconds: Double) -> String {
            [
                origin.padded(to: 8), size.padded(to: 11), bytes.padded(to: 11),
                String(plainFormat: "%.1f ms", milliseconds).padded(to: 11), RawText.shown(operand.text),
            ].joined(separator: " ")
        }
        switch self {
        case .loaded(let loaded, let written):
            let bytes = loaded.encodedByteCount.map { "\($0) B" } ?? "-"
            let file = written.map { " -> \(RawText.shown($0.path)) (\($0.words), \($0.byteCount) B)" } ?? ""
            let title = loaded.preview?.title.map { " \"\(RawText.shown($0))\"" } ?? ""
            return joined(loaded.origin, size: "\(loaded.pixelSize)", bytes: bytes, loaded.milliseconds) + title + file
        case .skipped(let file):
            return joined("skipped", size: "-", bytes: "-", 0) + " -> \(RawText.shown(file))"
        }
    }

    private func jsonLine(of operand: Operand) -> String {
        var object = JSONLine()
        object.add("url", ofWord: operand.text)
        switch self {
        case .loaded(let loaded, let written):
            object.add("origin", .string(loaded.origin))
            object.add("width", .integer(loaded.pixelSize.width))
            object.add("height", .integer(loaded.pixelSize.height))
            object.add("format", .init(loaded.format.name))
            object.add("bytes", .init(loaded.encodedByteCount))
            object.add("milliseconds", .number(loaded.milliseconds))
            if let preview = loaded.preview {
                object.add("pageURL", .string(preview.url.absoluteString))
                object.add("pageTitle", .init(preview.title))
                object.add("siteName", .init(preview.siteName))
                object.add("pictureURL", .init(preview.chosenURL?.absoluteString))
            }
            guard let written else { break }
            object.add("file", ofWord: written.path)
            object.add("written", .string(written.isOriginal ? "original" : "encoded"))
            object.add("fileFormat", .init(written.format.name))
            object.add("fileWidth", .integer(written.pixelSize.width))
            object.add("fileHeight", .integer(written.pixelSize.height))
            object.add("fileBytes", .integer(written.byteCount))
        case .skipped(let file):
            object.add("origin", .string("skipped"))
            object.add("file", ofWord: file)
        }
        return object.text
    }
}

extension ImageCacheType {
    /// Returns the printed name of an image's origin: `stdin`, `file`, `data`, `network`, `disk` or `memory`.
    func originName(of operand: String) -> String {
        switch self {
        case .none where operand == InputSource.standardInput: "stdin"
        case .none where InputSource.localPath(operand) != nil: "file"
        case .none: InputSource.url(operand).scheme == "data" ? "data" : "network"
        case .disk: "disk"
        case .memory, .all: "memory"
        }
    }
}
