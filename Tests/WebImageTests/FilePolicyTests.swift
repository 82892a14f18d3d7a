import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// A downloader whose policy forbids local files protects them in every `ImageLoadersManager` that contains it: the order
/// of the loaders makes no difference, and no entry bypasses the policy.
@Suite(.timeLimit(minutes: 1))
struct FilePolicyTests {
    private let scratch: ScratchFolder
    private let file: URL

    init() throws {
        scratch = try ScratchFolder()
        file = scratch.url.appendingPathComponent("a.png")
        try Journey.file().write(to: file)
    }

    /// A manager whose downloader has a policy, and a `FileImageLoader` that is asked before it, after it, or inside
    /// another manager.
    enum Place: CaseIterable, Sendable {
        case first, last, nested, nestedPolicy, added

        func manager(_ policy: DownloadPolicy?) -> ImageLoadersManager {
            var config = WebImageDownloaderConfig.default
            config.policy = policy
            let downloader = WebImageDownloader(config: config)
            switch self {
            case .first: return ImageLoadersManager(loaders: [FileImageLoader(), downloader])
            case .last: return ImageLoadersManager(loaders: [downloader, FileImageLoader()])
            case .nested:
                return ImageLoadersManager(loaders: [downloader, ImageLoadersManager(loaders: [FileImageLoader()])])
            case .nestedPolicy:
                return ImageLoadersManager(loaders: [ImageLoadersManager(loaders: [downloader]), FileImageLoader()])
            case .added:
                let manager = ImageLoadersManager(loaders: [downloader])
                manager.addLoader(FileImageLoader())
                return manager
            }
        }
    }

    /// The entries through which a program loads a URL.
    enum Entry: CaseIterable, Sendable {
        case image, bytes, callback, alternative, context

        func load(_ url: URL, _ loaders: ImageLoadersManager, _ cache: ImageCache) async throws {
            let manager = WebImageManager(cache: cache, loader: loaders)
            switch self {
            case .image: _ = try await manager.image(for: url)
            case .bytes: _ = try await loaders.loadData(for: ImageDataLoad(url: url), progress: nil)
            case .callback:
                let error = await withCheckedContinuation { continuation in
                    _ = loaders.requestImage(
                        with: url, options: [], context: [.callbackQueue: CallbackQueue.invoking], progress: nil
                    ) { _, _, error, finished in if finished { continuation.resume(returning: error) } }
                }
                if let error { throw error }
            case .alternative:
                let missing = try #require(URL(string: "data:image/png;base64,*"))
                loaders.loaders.insert(DataURLImageLoader(), at: 0)
                _ = try await manager.image(for: missing, context: [.alternativeSources: [url]])
            case .context:
                let other = WebImageManager(cache: cache, loader: DataURLImageLoader())
                _ = try await other.image(for: url, context: [.imageLoader: loaders])
            }
        }
    }

    private func cache() -> ImageCache { ImageCache(namespace: "default", diskCacheDirectory: scratch.url.path) }

    @Test(arguments: Place.allCases, Entry.allCases) func policyForbidsFilesInAnyOrderOfLoaders(
        place: Place, entry: Entry
    ) async throws {
        let capital = try #require(URL(string: "FILE://" + file.path))
        for policy in [DownloadPolicy.server, DownloadPolicy()] {
            for url in [file, capital] {
                let error = await #expect(throws: WebImageError.self) {
                    try await entry.load(url, place.manager(policy), cache())
                }
                #expect(error?.code == .invalidDownloadOperation, "\(place) \(entry): \(error.debugDescription)")
            }
        }
    }

    @Test(arguments: Place.allCases, Entry.allCases) func filesLoadWithoutAPolicyThatForbidsThem(
        place: Place, entry: Entry
    ) async throws {
        var policy = DownloadPolicy()
        policy.allowedSchemes.insert("file")
        for policy in [nil, policy] { try await entry.load(file, place.manager(policy), cache()) }
    }
}
