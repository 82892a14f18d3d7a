import Foundation
import WebImage
import WebImageHTTP
import WebImageTesting

/// A server, a cache in a temporary folder, and a manager that loads from the server through the cache. Tests of views
/// use this class.
final class ViewJourney: Sendable {
    let server: FaultServer
    let cache: ImageCache
    let manager: WebImageManager
    let jpeg: URL
    let png: URL
    private let scratch: ScratchFolder

    init() throws {
        server = try FaultServer()
        scratch = try ScratchFolder()
        cache = ImageCache(namespace: "views", diskCacheDirectory: scratch.url.path)
        manager = WebImageManager(
            cache: cache, loader: ImageLoadersManager(loaders: [FileImageLoader(), WebImageDownloader()]))
        (jpeg, png) = (server.url("/50x50.jpg"), server.url("/201x201.png"))
        server.route("/50x50.jpg", .body(try Self.file(.jpeg, side: 50)))
        server.route("/201x201.png", .body(try Self.file(.png, side: 201)))
    }

    deinit { server.stop() }

    var context: WebImageContext { [.customManager: manager] }

    /// Returns a context with the given operation key.
    func context(key: String) -> WebImageContext { [.customManager: manager, .setImageOperationKey: key] }

    static func file(_ format: ImageFormat, side: Int) throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: side, height: side), format: format, options: EncodingOptions())
    }
}

/// Records the arguments of a view's completion.
@MainActor final class ViewAnswer {
    private(set) var image: Image?
    private(set) var error: WebImageError?
    private(set) var cacheType: ImageCacheType?
    private(set) var url: URL?
    private(set) var count = 0

    var hear: ViewImageCompletedBlock {
        { [self] image, error, cacheType, url in
            (self.image, self.error, self.cacheType, self.url) = (image, error, cacheType, url)
            count += 1
        }
    }

    var hearAll: ViewImageInternalCompletedBlock {
        { [self] image, _, error, cacheType, _, url in
            (self.image, self.error, self.cacheType, self.url) = (image, error, cacheType, url)
            count += 1
        }
    }

    /// Waits for the completion. Returns whether it was called exactly once, with an image and the URL `wanted`.
    func isSuccess(_ wanted: URL) async throws -> Bool {
        _ = try await pump { count > 0 }
        return count == 1 && image != nil && error == nil && url == wanted
    }
}
