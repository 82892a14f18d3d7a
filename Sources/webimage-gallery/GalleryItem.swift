import Foundation
import WebImage

/// One picture of the gallery and the state of its load.
struct GalleryItem {
    enum State {
        case waiting
        case loading
        case shown(PixelSize, ImageCacheType)
        case failed(WebImageError)
    }

    let url: URL
    var state = State.waiting
    /// The title of the web page whose picture this is; nil for every other picture.
    var title: String?

    /// The title of the page, or the file name in the URL. If the URL has no file name, the caption is the host. For a `data:`
    /// URL, it is the text `data: ` and the media type.
    var caption: String {
        if let title { return title }
        if url.scheme?.lowercased() == "data" {
            return "data: " + (url.absoluteString.dropFirst(5).prefix { $0 != ";" && $0 != "," })
        }
        return url.lastPathComponent.isEmpty ? url.host ?? url.absoluteString : url.lastPathComponent
    }

    var status: String {
        switch state {
        case .waiting: "waiting"
        case .loading: "loading…"
        case .shown(let size, let origin): "\(size.width) × \(size.height) px · \(origin.words(for: url))"
        case .failed(let error): error.shortWords
        }
    }

    var isSettled: Bool {
        switch state {
        case .waiting, .loading: false
        case .shown, .failed: true
        }
    }
}

extension URL {
    /// Whether the picture is neither in a file of this machine nor in the URL itself.
    var isRemote: Bool { !isFileURL && scheme?.lowercased() != "data" }
}

/// Reads the size of a picture from its file.
enum FileSize {
    /// Returns the size in pixels. Nil if the bytes of the picture are neither a local file nor in the disk cache.
    static func pixels(of url: URL) async -> PixelSize? {
        let cached =
            url.isFileURL
            ? nil : await ImageCache.shared.diskImageData(forKey: WebImageManager.shared.cacheKey(for: url))
        // On the threads of the decoders, because reading a file blocks.
        return try? await DecodePool.shared.run { () throws(WebImageError) in
            guard let data = cached ?? (url.isFileURL ? try? Data(contentsOf: url, options: .alwaysMapped) : nil) else {
                return nil
            }
            return try ImageCodersManager.shared.imageInfo(of: data, limits: .default).pixelSize
        }
    }
}

extension ImageCacheType {
    fileprivate func words(for url: URL) -> String {
        switch self {
        case .none: url.isFileURL ? "file" : url.scheme == "data" ? "data" : "network"
        case .disk: "disk"
        case .memory, .all: "memory"
        }
    }
}

extension WebImageError {
    /// A short description of the error for the line under a picture.
    fileprivate var shortWords: String {
        if case .http(let status) = underlying { return "HTTP \(status)" }
        return code.words
    }
}
