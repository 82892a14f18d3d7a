import Foundation
import WebImage
import WebImageHTTP
import WebImageTesting

/// A complete manager with libcurl, SQLite and the real codecs, a temporary folder and a server.
final class Journey: Sendable {
    let server: FaultServer
    private let scratch: ScratchFolder
    var folder: URL { scratch.url }
    let cache: ImageCache
    let downloader: WebImageDownloader
    let manager: WebImageManager

    init(config: WebImageDownloaderConfig = .default, clock: any DelayClock = SystemClock()) throws {
        server = try FaultServer()
        scratch = try ScratchFolder()
        cache = ImageCache(namespace: "default", diskCacheDirectory: scratch.url.path)
        downloader = WebImageDownloader(config: config, engine: CurlEngine(), clock: clock)
        manager = WebImageManager(
            cache: cache, loader: ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), downloader]))
    }

    deinit {
        server.stop()
        downloader.cancelAllDownloads()
    }

    /// Returns the file of an image of one colour.
    static func file(_ format: ImageFormat = .png, width: Int = 40, height: Int = 30) throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: format, options: EncodingOptions())
    }
}
