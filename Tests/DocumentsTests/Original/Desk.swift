import Foundation
import SDWebImage
import WebImageTesting

/// A manager for one test, with a server on the loopback interface, a cache in a temporary folder and a downloader.
final class Desk: Sendable {
    let server: FaultServer
    let scratch: ScratchFolder
    let cache: SDImageCache
    let downloader: SDWebImageDownloader
    let manager: SDWebImageManager

    init() throws {
        MainQueue.prepare()
        server = try FaultServer()
        scratch = try ScratchFolder()
        cache = SDImageCache(namespace: "desk", diskCacheDirectory: scratch.url.path)
        downloader = SDWebImageDownloader(config: SDWebImageDownloaderConfig())
        manager = SDWebImageManager(cache: cache, loader: downloader)
    }

    deinit {
        server.stop()
        downloader.cancelAllDownloads()
    }

    /// Serves an image of one colour at `path` and returns the URL of the image.
    func picture(_ path: String, width: Int = 40, height: Int = 30, alpha: UInt8 = 255) throws -> URL {
        server.route(path, .body(try Desk.file(width: width, height: height, alpha: alpha)))
        return server.url(path)
    }

    /// Returns an image of one colour as a PNG file.
    static func file(width: Int = 40, height: Int = 30, alpha: UInt8 = 255) throws -> Data {
        let image = try TestImages.solid(width: width, height: height, alpha: alpha)
        return try SDImageCodersManager.shared.encode(image, format: .PNG, options: EncodingOptions())
    }

    /// Returns a GIF with the given number of frames, 50 ms each.
    static func animation(frames count: Int = 3, side: Int = 8) throws -> Data {
        let frames = try (0..<count).map { index in
            SDImageFrame(
                image: try TestImages.solid(width: side, height: side, blue: UInt8(truncatingIfNeeded: index * 60)),
                duration: 0.05)
        }
        let file = SDImageGIFCoder.shared.encodedData(with: frames, loopCount: 0, format: .GIF, options: nil)
        return file ?? Data()
    }

    /// Loads the image and waits for the final completion.
    func load(
        _ url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext? = nil
    ) async -> LoadEnd {
        let manager = manager
        let context = SharedOnce(context)
        return await withCheckedContinuation { continuation in
            manager.loadImage(with: url, options: options, context: context.value, progress: nil) {
                image, data, error, cacheType, finished, imageURL in
                guard finished else { return }
                continuation.resume(
                    returning: LoadEnd(image: image, data: data, error: error as? SDWebImageError, cacheType: cacheType)
                )
            }
        }
    }
}

/// The result of a load.
struct LoadEnd: Sendable {
    var image: UIImage?
    var data: Data?
    var error: SDWebImageError?
    var cacheType: SDImageCacheType
}

/// A context that a closure may capture although the dictionary is not `Sendable`.
struct SharedOnce: @unchecked Sendable {
    // Unchecked is safe because the dictionary never changes.
    let value: SDWebImageContext?
    init(_ value: SDWebImageContext?) { self.value = value }
}

/// Records calls from any thread.
final class Calls<Call: Sendable>: @unchecked Sendable {
    // Unchecked is safe because the calls are used only under the lock.
    private let lock = NSLock()
    private var calls: [Call] = []

    var all: [Call] { lock.withLock { calls } }
    func add(_ call: Call) { lock.withLock { calls.append(call) } }
}

/// Reports whether code runs on the main queue. On Linux, the main queue may run on a thread that is not the main
/// thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static func prepare() { _ = key }
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
