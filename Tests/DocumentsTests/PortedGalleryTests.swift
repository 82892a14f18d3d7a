import Foundation
import FoundationNetworking
import SDWebImageFoundationNetworking
import SDWebImageGTK
import Testing
import WebImageTestTraits
import WebImageTesting

// An app as it was written for iOS: a loader for its own scheme, a session, cells, a prefetching data source, a player.
// Only the imports, the table and its cells differ.

/// Loads `photo://album/name` from the files of the app.
class PhotoLibraryLoader: NSObject, SDImageLoader {
    let folder: URL
    private(set) var requestCount = 0
    private let lock = NSLock()

    init(folder: URL) { self.folder = folder }

    func canRequestImage(for url: URL?) -> Bool { url?.scheme == "photo" }

    func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDImageLoaderCompletedBlock? = nil
    ) -> SDWebImageOperation? {
        lock.lock()
        requestCount += 1
        lock.unlock()
        let operation = BlockOperation()
        let path = folder.appendingPathComponent(url?.lastPathComponent ?? "").path
        operation.addExecutionBlock { [weak operation] in
            if operation?.isCancelled == true { return }
            guard let url = url, let data = FileManager.default.contents(atPath: path) else {
                completedBlock?(nil, nil, NSError(domain: "PhotoLibrary", code: 404, userInfo: nil), true)
                return
            }
            progressBlock?(data.count, data.count, url)
            let image = SDImageLoaderDecodeImageData(data, url, options, context)
            completedBlock?(image, data, image == nil ? NSError(domain: "PhotoLibrary", code: 1) : nil, true)
        }
        OperationQueue().addOperation(operation)
        return operation
    }

    func shouldBlockFailedURL(with url: URL, error: Error) -> Bool { (error as NSError).code == 404 }
}

/// The session of the app. Each request carries its token.
class GallerySession {
    static var token: String? = "lin"

    static func configure(_ downloader: SDWebImageDownloader) {
        downloader.requestModifier = SDWebImageDownloaderRequestModifier { request in
            var request = request
            if let token = GallerySession.token {
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            }
            return request
        }
        downloader.config.downloadTimeout = 15
        downloader.config.maxConcurrentDownloads = 4
        downloader.setValue("Gallery/1.0", forHTTPHeaderField: "User-Agent")
    }
}

struct GalleryPhoto {
    let url: URL
    let avatar: URL
}

/// How the pictures of a cell are loaded.
enum CellPictures {
    static let photoOptions: SDWebImageOptions = [.retryFailed, .progressiveLoad]
    static let photoContext: [SDWebImageContextOption: Any] = [
        .imageThumbnailPixelSize: CGSize(width: 60, height: 60), .imagePreserveAspectRatio: true,
    ]
    static let avatarContext: [SDWebImageContextOption: Any] = [
        .imageTransformer: SDImagePipelineTransformer(transformers: [
            SDImageResizingTransformer(size: CGSize(width: 24, height: 24), scaleMode: .aspectFill),
            SDImageRoundCornerTransformer(radius: 12, corners: .allCorners, borderWidth: 0, borderColor: nil),
        ]),
        .storeCacheType: SDImageCacheType.all.rawValue,
    ]
}

/// A cell with a photo and a round avatar.
@MainActor class GalleryCell {
    let photoView = SDAnimatedImageView()
    let avatarView = UIImageView()
    var manager: SDWebImageManager
    private(set) var photoEnds: [(SDImageCacheType, NSError?)] = []
    private(set) var avatarEnds: [(SDImageCacheType, NSError?)] = []
    private var photo: GalleryPhoto?

    init(manager: SDWebImageManager) {
        self.manager = manager
        photoView.contentMode = .scaleAspectFill
        photoView.sd_imageIndicator = SDWebImageActivityIndicator.medium
        photoView.sd_imageTransition = .fade(duration: 0.2)
        avatarView.sd_imageTransition = .fade
    }

    func configure(with photo: GalleryPhoto) {
        self.photo = photo
        photoView.sd_setImage(
            with: photo.url, placeholderImage: nil, options: CellPictures.photoOptions,
            context: CellPictures.photoContext.merging([.customManager: manager]) { $1 }, progress: nil
        ) { [weak self] _, error, cacheType, url in
            guard let self = self, url == self.photo?.url else { return }
            self.photoEnds.append((cacheType, error as NSError?))
        }
        avatarView.sd_setImage(
            with: photo.avatar, placeholderImage: nil, options: [],
            context: CellPictures.avatarContext.merging([.customManager: manager]) { $1 }, progress: nil
        ) { [weak self] _, error, cacheType, url in
            guard let self = self, url == self.photo?.avatar else { return }
            self.avatarEnds.append((cacheType, error as NSError?))
        }
    }

    func prepareForReuse() {
        photo = nil
        (photoEnds, avatarEnds) = ([], [])
        photoView.sd_cancelCurrentImageLoad()
        avatarView.sd_cancelCurrentImageLoad()
        photoView.image = nil
        avatarView.image = nil
    }
}

/// What `UITableViewDataSourcePrefetching` did.
class GalleryPrefetching {
    let photos: [GalleryPhoto]
    let prefetcher: SDWebImagePrefetcher
    private var tokens: [Int: SDWebImagePrefetchToken] = [:]
    private(set) var finished: [Int: (UInt, UInt)] = [:]

    init(_ photos: [GalleryPhoto], manager: SDWebImageManager) {
        self.photos = photos
        prefetcher = SDWebImagePrefetcher(imageManager: manager)
        prefetcher.maxConcurrentPrefetchCount = 2
        prefetcher.options = [.lowPriority, .retryFailed]
    }

    func prefetchRows(at rows: [Int]) {
        for row in rows {
            prefetcher.context = CellPictures.photoContext
            tokens[row] = prefetcher.prefetchURLs([photos[row].url], progress: nil) { [weak self] finished, skipped in
                self?.finished[row] = (finished, skipped)
            }
        }
    }

    func cancelPrefetchingForRows(at rows: [Int]) {
        for row in rows { tokens.removeValue(forKey: row)?.cancel() }
    }
}

/// The caches and the manager of one start of the app.
@MainActor class GalleryApp {
    let cache: SDImageCache
    let manager: SDWebImageManager
    let library: PhotoLibraryLoader

    init(caches: URL, photos: URL) {
        let config = SDImageCacheConfig()
        config.shouldUseWeakMemoryCache = false
        config.maxDiskAge = 60 * 60 * 24 * 30
        cache = SDImageCache(namespace: "gallery", diskCacheDirectory: caches.path, config: config)
        library = PhotoLibraryLoader(folder: photos)
        let downloader = SDWebImageDownloader(config: SDWebImageDownloaderConfig())
        GallerySession.configure(downloader)
        let loaders = SDImageLoadersManager()
        loaders.loaders = [downloader, library]
        manager = SDWebImageManager(cache: cache, loader: loaders)
        // Signatures are no part of a picture.
        manager.cacheKeyFilter = SDWebImageCacheKeyFilter { url in
            var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
            components?.query = nil
            return components?.url?.absoluteString
        }
    }
}

@Suite(.timeLimit(minutes: 2)) @MainActor struct PortedGalleryTests {
    private let server: FaultServer
    private let scratch: ScratchFolder
    private var caches: URL { scratch.url.appendingPathComponent("caches") }
    private var library: URL { scratch.url.appendingPathComponent("library") }

    init() throws {
        server = try FaultServer()
        scratch = try ScratchFolder()
        try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
        for number in 0..<4 {
            let file = try Desk.file(width: 200 + number, height: 100)
            server.route("/\(number).jpg", .body(file))
            server.route("/avatar-\(number).jpg", .body(try Desk.file(width: 60, height: 60)))
            try file.write(to: library.appendingPathComponent("\(number).jpg"))
        }
        server.route("/moving.gif", .body(try Desk.animation(frames: 4)))
    }

    private func photo(_ number: Int, signature: Int) -> GalleryPhoto {
        GalleryPhoto(
            url: server.url("/\(number).jpg?signature=\(signature)"),
            avatar: server.url("/avatar-\(number).jpg?signature=\(signature)"))
    }

    /// Shows a photo in a cell and returns where both pictures came from.
    private func show(_ photo: GalleryPhoto, in cell: GalleryCell) async throws -> [SDImageCacheType] {
        cell.prepareForReuse()
        cell.configure(with: photo)
        #expect(await eventually { !cell.photoEnds.isEmpty && !cell.avatarEnds.isEmpty })
        #expect(cell.photoEnds.first?.1 == nil && cell.avatarEnds.first?.1 == nil)
        #expect(cell.photoView.image != nil && cell.avatarView.image != nil)
        return [cell.photoEnds.first?.0, cell.avatarEnds.first?.0].compactMap { $0 }
    }

    @Test func secondLoadIsFromMemoryAndThirdFromDisk() async throws {
        GallerySession.token = "lin"
        var app = GalleryApp(caches: caches, photos: library)
        var cell = GalleryCell(manager: app.manager)
        for number in 0..<3 {
            #expect(try await show(photo(number, signature: 1), in: cell) == [.none, .none])
            #expect(try await show(photo(number, signature: 2), in: cell) == [.memory, .memory])
        }
        #expect(cell.avatarView.image?.size == CGSize(width: 24, height: 24))
        #expect(cell.photoView.image?.size == CGSize(width: 60, height: 30))
        await app.cache.flush()
        app = GalleryApp(caches: caches, photos: library)
        cell = GalleryCell(manager: app.manager)
        for number in 0..<3 {
            #expect(try await show(photo(number, signature: 3), in: cell) == [.disk, .disk], "\(number)")
            #expect(try await show(photo(number, signature: 4), in: cell) == [.memory, .memory])
        }
        #expect(server.requests.count == 6)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer lin" })
        // The pictures of another user are others.
        GallerySession.token = "grace"
        #expect(try await show(photo(0, signature: 5), in: cell) == [.none, .none])
        GallerySession.token = "lin"
        #expect(try await show(photo(0, signature: 6), in: cell) == [.memory, .memory])
        let key = app.manager.cacheKey(for: photo(0, signature: 7).url)
        #expect(app.cache.diskImageDataExists(withKey: key))
    }

    @Test func ownLoaderIsCachedLikeTheDownloader() async throws {
        var app = GalleryApp(caches: caches, photos: library)
        func load(_ name: String) async -> (UIImage?, NSError?, SDImageCacheType) {
            let url = URL(string: "photo://album/\(name)")
            return await withCheckedContinuation { done in
                app.manager.loadImage(with: url, options: [], context: nil, progress: nil) {
                    image, _, error, cacheType, finished, _ in
                    if finished { done.resume(returning: (image, error as NSError?, cacheType)) }
                }
            }
        }
        #expect(await load("1.jpg").2 == .none)
        #expect(await load("1.jpg").2 == .memory)
        await app.cache.flush()
        let count = app.library.requestCount
        app = GalleryApp(caches: caches, photos: library)
        #expect(await load("1.jpg").2 == .disk)
        #expect(count == 1 && app.library.requestCount == 0)
        let missing = await load("9.jpg")
        #expect(missing.0 == nil && missing.1?.domain == "PhotoLibrary" && missing.1?.code == 404)
        let blocked = await load("9.jpg")
        #expect(blocked.1?.domain == SDWebImageErrorDomain && app.library.requestCount == 1)
    }

    @Test func prefetchedRowsAreInMemory() async throws {
        GallerySession.token = nil
        let app = GalleryApp(caches: caches, photos: library)
        let source = GalleryPrefetching((0..<4).map { photo($0, signature: 1) }, manager: app.manager)
        source.prefetchRows(at: [0, 1, 2])
        #expect(await eventually { source.finished.count == 3 })
        #expect(source.finished.values.allSatisfy { $0.0 == 1 && $0.1 == 0 })
        let cell = GalleryCell(manager: app.manager)
        #expect(try await show(photo(2, signature: 2), in: cell) == [.memory, .none])
        let gate = FaultGate()
        server.route("/3.jpg", .gated(gate, .body(try Desk.file(width: 90, height: 90))))
        source.prefetchRows(at: [3])
        #expect(await eventually { server.requestCount("/3.jpg?signature=1") + server.requestCount("/3.jpg") == 1 })
        source.cancelPrefetchingForRows(at: [3])
        gate.open()
        #expect(await eventually { !app.manager.isRunning })
        #expect(source.finished[3].map { $0.1 == 1 } ?? true)
    }

    @Test func playerPlaysWhatTheManagerLoaded() async throws {
        GallerySession.token = "lin"
        var app = GalleryApp(caches: caches, photos: library)
        for expected in [SDImageCacheType.none, .memory, .disk] {
            if expected == .disk {
                await app.cache.flush()
                app = GalleryApp(caches: caches, photos: library)
            }
            let manager = app.manager
            let (image, cacheType): (UIImage?, SDImageCacheType) = await withCheckedContinuation { done in
                manager.loadImage(
                    with: server.url("/moving.gif"), options: [], context: [.animatedImageClass: SDAnimatedImage.self],
                    progress: nil
                ) { image, _, _, cacheType, _, _ in done.resume(returning: (image, cacheType)) }
            }
            #expect(cacheType == expected)
            let animation = try #require(image as? SDAnimatedImage)
            let player = try #require(SDAnimatedImagePlayer(provider: animation))
            #expect(player.totalFrameCount == 4)
            var frames: [UInt] = []
            player.animationFrameHandler = { index, _ in frames.append(index) }
            player.playbackRate = 4
            player.startPlaying()
            // A late tick skips a frame.
            #expect(await eventually { Set(frames) == [0, 1, 2, 3] })
            player.stopPlaying()
        }
        #expect(server.requestCount("/moving.gif") == 1)
    }
}
