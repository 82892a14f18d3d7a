import Foundation
import WebImage
import WebImageHTTP
import WebImageStore
import WebImageTesting

/// Real parts in a folder and a server of their own: curl, SQLite, codecs.
final class Journey: Sendable {
    let server: FaultServer
    let folder: URL
    let cache: ImageCache
    let downloader: WebImageDownloader
    let manager: WebImageManager

    init(folder: URL? = nil, config: WebImageDownloaderConfig = .default) throws {
        server = try FaultServer()
        self.folder =
            try folder
            ?? FileManager.default.url(
                for: .itemReplacementDirectory, in: .userDomainMask,
                appropriateFor: FileManager.default.temporaryDirectory, create: true)
        cache = ImageCache(namespace: "default", diskCacheDirectory: self.folder.path)
        downloader = WebImageDownloader(config: config)
        manager = WebImageManager(
            cache: cache, loader: ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), downloader]))
    }

    deinit {
        server.stop()
        downloader.cancelAllDownloads()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A picture of one colour as a file.
    static func file(_ format: ImageFormat = .png, width: Int = 40, height: Int = 30) throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: format, options: EncodingOptions())
    }
}
