import Foundation
import WebImage

/// A loaded picture, its encoded bytes, and the cache layer that contained the picture.
struct LoadedPicture: Sendable {
    let image: Image
    let data: Data?
    let encodedByteCount: Int?
    let cacheType: ImageCacheType
}

/// The output of `webimage load` for one picture.
struct LoadReport: Sendable {
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

    private let origin: String
    private let pixelSize: PixelSize?
    private let format: ImageFormat?
    private let encodedByteCount: Int?
    private let milliseconds: Double
    private var skipped: String?
    var written: Written?

    init(_ result: LoadedPicture, of operand: Operand, in elapsed: Duration) {
        origin = result.cacheType.originName(of: operand.text)
        pixelSize = result.image.pixelSize
        format = result.image.imageFormat
        encodedByteCount = result.encodedByteCount
        milliseconds = Double(elapsed.components.attoseconds) / 1e15 + Double(elapsed.components.seconds) * 1000
    }

    /// Creates the report of a picture that was not loaded because its output file exists.
    init(skipped: String) {
        origin = "skipped"
        (pixelSize, format, encodedByteCount, milliseconds) = (nil, nil, nil, 0)
        self.skipped = skipped
    }

    func line(of operand: Operand, json: Bool) -> String {
        guard json else {
            let columns = [
                origin.padded(to: 8), (pixelSize.map { "\($0)" } ?? "-").padded(to: 11),
                (encodedByteCount.map { "\($0) B" } ?? "-").padded(to: 11),
                String(plainFormat: "%.1f ms", milliseconds).padded(to: 11), RawText.shown(operand.text),
            ]
            let file =
                written.map { " -> \(RawText.shown($0.path)) (\($0.words), \($0.byteCount) B)" }
                ?? skipped.map { " -> \(RawText.shown($0))" }
            return columns.joined(separator: " ") + (file ?? "")
        }
        var object = JSONLine()
        object.add("url", ofWord: operand.text)
        object.add("origin", .string(origin))
        if let pixelSize {
            object.add("width", .integer(pixelSize.width))
            object.add("height", .integer(pixelSize.height))
            object.add("format", .init(format?.name))
            object.add("bytes", .init(encodedByteCount))
            object.add("milliseconds", .number(milliseconds))
        }
        if let written {
            object.add("file", ofWord: written.path)
            object.add("written", .string(written.isOriginal ? "original" : "encoded"))
            object.add("fileFormat", .init(written.format.name))
            object.add("fileWidth", .integer(written.pixelSize.width))
            object.add("fileHeight", .integer(written.pixelSize.height))
            object.add("fileBytes", .integer(written.byteCount))
        } else if let skipped {
            object.add("file", ofWord: skipped)
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

extension String {
    func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}
