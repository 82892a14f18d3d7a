import Foundation
import WebImage

/// The desktop's thumbnail cache (freedesktop.org Thumbnail Managing Standard 0.9).
struct DesktopThumbnailCache: Sendable {
    /// A folder of the cache and the maximum side of its thumbnails in pixels.
    struct Size: Sendable, Equatable {
        let name: String
        let side: Int
    }

    static let allSizes = [
        Size(name: "normal", side: 128), Size(name: "large", side: 256), Size(name: "x-large", side: 512),
        Size(name: "xx-large", side: 1024),
    ]

    /// Parses the names of sizes. Commas separate the names.
    static func sizes(_ text: String) throws(UsageError) -> [Size] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { name throws(UsageError) in
            guard let size = allSizes.first(where: { $0.name == name || String($0.side) == name }) else {
                throw UsageError("--size with --freedesktop requires normal, large, x-large or xx-large, not '\(name)'")
            }
            return size
        }
    }

    /// A file for which thumbnails are stored, and the attributes from which the cache detects a change of the file.
    struct Source: Sendable {
        let path: String
        let uri: String
        /// The time of the last modification in seconds since 1970.
        let modified: Int
        /// The microseconds of this time.
        private let microseconds: Int
        let byteCount: Int

        /// Reads the attributes of a file.
        ///
        /// - Throws: `.fileSystem` if the attributes cannot be read.
        init(_ path: String) throws(WebImageError) {
            self.path = URL(fileURLWithPath: path).standardizedFileURL.path
            uri = "file://" + DesktopThumbnailCache.escaped(self.path)
            var status = stat()
            guard stat(RawText.cString(self.path), &status) == 0 else {
                throw .posix(errno, stage: .download, url: URL(fileURLWithPath: path), hint: "Check the path.")
            }
            modified = Int(status.st_mtim.tv_sec)
            microseconds = Int(status.st_mtim.tv_nsec) / 1000
            byteCount = Int(status.st_size)
        }

        /// Whether a `Thumb::MTime` is the time of the last modification. tumbler 4.18 writes microseconds, while GIO accepts
        /// only whole seconds.
        func isModified(at text: String) -> Bool {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard let seconds = parts.first, seconds == String(modified), parts.count <= 2 else { return false }
            guard parts.count == 2 else { return true }
            let digits = parts[1].prefix(6)
            guard (1...9).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let fraction = Int(digits + String(repeating: "0", count: 6 - digits.count))
            else { return false }
            // The other program may have rounded.
            return abs(fraction - microseconds) <= 1
        }

        /// The file name of the thumbnail. It is the same in the folders of all sizes.
        var thumbnailName: String { DesktopThumbnailCache.name(of: uri) }
    }

    let folder: String
    private let program = "webimage-\(WebImageCommand.version)"

    /// Opens the user's cache. The cache is in the folder `XDG_CACHE_HOME` if this variable is an absolute path,
    /// otherwise in `~/.cache`.
    init() {
        let home = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"]
        let base = home.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() + "/.cache"
        folder = base + "/thumbnails"
    }

    func path(of source: Source, _ size: Size) -> String { "\(folder)/\(size.name)/\(source.thumbnailName)" }

    func failurePath(of source: Source) -> String { "\(folder)/fail/\(program)/\(source.thumbnailName)" }

    /// Whether a file is inside the cache. No thumbnail is made of such a file, because the file is itself a thumbnail.
    func contains(_ source: Source) -> Bool { source.path.hasPrefix(folder + "/") }

    /// Whether the thumbnail or failure record at `path` belongs to the current version of the source.
    func isCurrent(_ path: String, _ source: Source) -> Bool {
        guard let data = FileManager.default.contents(atPath: path) else { return false }
        let texts = PNGTextChunks.texts(of: data)
        return texts["Thumb::URI"] == source.uri && texts["Thumb::MTime"].map { source.isModified(at: $0) } ?? false
    }

    /// Writes a thumbnail.
    ///
    /// - Parameter file: The encoded PNG.
    func store(_ file: Data, of source: Source, _ info: ImageInfo, as size: Size) throws(WebImageError) {
        var texts = texts(of: source)
        texts.append(("Thumb::Image::Width", String(info.pixelSize.width)))
        texts.append(("Thumb::Image::Height", String(info.pixelSize.height)))
        if let type = info.format.mimeType { texts.append(("Thumb::Mimetype", type)) }
        try write(PNGTextChunks.adding(texts, to: file), to: path(of: source, size))
    }

    /// Records that no thumbnail can be made of the current version of the source. This version of the command then
    /// does not try the same file again.
    func storeFailure(of source: Source) throws(WebImageError) {
        let pixels = try PixelBuffer(width: 1, height: 1, format: .rgba8)
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
        let file = try ImageCodersManager.shared.encode(
            Image(pixels: pixels), format: .png, options: Self.encodingOptions)
        try write(PNGTextChunks.adding(texts(of: source), to: file), to: failurePath(of: source))
    }

    /// The desktop's standard asks for PNG with 8 bits for each channel.
    static let encodingOptions = {
        var options = EncodingOptions()
        options.keepsPixelLayout = true
        return options
    }()

    /// Removes the record of an earlier failure. Called after a thumbnail was made.
    func removeFailure(of source: Source) { unlink(failurePath(of: source)) }

    private func texts(of source: Source) -> [(keyword: String, text: String)] {
        [
            ("Thumb::URI", source.uri), ("Thumb::MTime", String(source.modified)),
            ("Thumb::Size", String(source.byteCount)), ("Software", program),
        ]
    }

    /// Writes a file of the cache. Folders have mode 0700 and files 0600, because thumbnails can show private pictures.
    private func write(_ data: Data, to path: String) throws(WebImageError) {
        try OutputFile.makeFolder(PathText.folder(of: path), mode: 0o700)
        try OutputFile.write(data, to: path, mode: 0o600)
    }

    /// Returns the file name of the thumbnail for a URI.
    static func name(of uri: String) -> String { MD5.hex(of: uri.utf8) + ".png" }

    /// Percent-encodes a path exactly as GLib does. To find a thumbnail, other programs hash the URI that GLib creates.
    /// If a byte of the URI differed, these programs would not find the thumbnail.
    static func escaped(_ path: String) -> String {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()/&=:@+$,".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in RawText.bytes(of: path) {
            if kept.contains(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension ImageFormat {
    /// The media type of the format. Nil if this command knows no media type for the format.
    fileprivate var mimeType: String? {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .apng: "image/apng"
        case .gif: "image/gif"
        case .webP: "image/webp"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .jpegXL: "image/jxl"
        case .jpeg2000: "image/jp2"
        case .svg: "image/svg+xml"
        case .tiff: "image/tiff"
        case .bmp: "image/bmp"
        case .ico: "image/vnd.microsoft.icon"
        default: nil
        }
    }
}
