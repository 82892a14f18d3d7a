import Foundation
import WebImage
import WebImageHTTP
import WebImageStore
import WebImageTesting

/// Real parts in a folder and a server of their own: curl, SQLite, codecs.
final class Journey: Sendable {
    let server: FaultServer
    private let scratch: ScratchFolder
    var folder: URL { scratch.url }
    let cache: ImageCache
    let downloader: WebImageDownloader
    let manager: WebImageManager

    init(config: WebImageDownloaderConfig = .default) throws {
        server = try FaultServer()
        scratch = try ScratchFolder()
        cache = ImageCache(namespace: "default", diskCacheDirectory: scratch.url.path)
        downloader = WebImageDownloader(config: config)
        manager = WebImageManager(
            cache: cache, loader: ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), downloader]))
    }

    deinit {
        server.stop()
        downloader.cancelAllDownloads()
    }

    /// A picture of one colour as a file.
    static func file(_ format: ImageFormat = .png, width: Int = 40, height: Int = 30) throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: format, options: EncodingOptions())
    }
}
