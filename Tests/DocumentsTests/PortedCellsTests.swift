import Foundation
import SDWebImageGTK
import Testing
import WebImageTestTraits
import WebImageTesting

// The other cells of the app in PortedGalleryTests.swift, as they were written for iOS.

/// The kinds of cells: each has a view, options and a context of its own.
enum GalleryCellKind: String, CaseIterable, Sendable {
    case plain, banner, retina, poster, tinted, cropped, originalToo, sticker, movingAvatar, preloaded, favourite
    case backdrop, highlighted, album, member, encoded, relabelled, shrunk

    /// The file that the cell shows.
    var path: String {
        switch self {
        case .poster, .sticker, .movingAvatar, .preloaded: "moving.gif"
        case .encoded: "encoded.txt"
        case .relabelled: "relabelled.png"
        default: "\(rawValue).png"
        }
    }
}

/// A cell that can show each kind.
@MainActor class GalleryMixedCell {
    let imageView = UIImageView()
    let animatedView = SDAnimatedImageView()
    let button = UIButton()
    private let manager: SDWebImageManager

    init(manager: SDWebImageManager) { self.manager = manager }

    private static let memberModifier = SDWebImageDownloaderRequestModifier { request in
        var request = request
        request.setValue("member=7", forHTTPHeaderField: "Cookie")
        return request
    }
    private static let pngSerializer = SDWebImageCacheSerializer { image, data, _ in
        image.sd_imageData(as: .PNG) ?? data
    }

    private func options(_ kind: GalleryCellKind) -> SDWebImageOptions {
        switch kind {
        case .banner: [.retryFailed, .scaleDownLargeImages, .highPriority, .progressiveLoad]
        case .poster: [.retryFailed, .decodeFirstFrameOnly]
        case .sticker: [.retryFailed, .matchAnimatedImageClass]
        case .movingAvatar: [.retryFailed, .transformAnimatedImage]
        case .preloaded: [.retryFailed, .preloadAllFrames, .progressiveLoad]
        default: .retryFailed
        }
    }

    func context(_ kind: GalleryCellKind) -> [SDWebImageContextOption: Any] {
        var context: [SDWebImageContextOption: Any] = [.customManager: manager]
        switch kind {
        case .plain, .album, .banner, .poster, .sticker, .preloaded: break
        case .retina: context[.imageScaleFactor] = 2.0
        case .tinted: context[.imageTransformer] = SDImageTintTransformer(color: UIColor.red)
        case .cropped:
            context[.imageTransformer] = SDImageCroppingTransformer(rect: CGRect(x: 5, y: 5, width: 20, height: 10))
            context[.imageThumbnailPixelSize] = CGSize(width: 60, height: 60)
        case .originalToo:
            context[.imageThumbnailPixelSize] = CGSize(width: 32, height: 32)
            context[.originalStoreCacheType] = SDImageCacheType.disk.rawValue
        case .movingAvatar:
            context[.imageTransformer] = SDImageFlippingTransformer(horizontal: true, vertical: false)
        case .favourite, .backdrop, .highlighted: context[.imageThumbnailPixelSize] = CGSize(width: 48, height: 48)
        case .member: context[.downloadRequestModifier] = Self.memberModifier
        case .encoded: context[.downloadDecryptor] = SDWebImageDownloaderDecryptor.base64
        case .relabelled:
            context[.downloadResponseModifier] = SDWebImageDownloaderResponseModifier(
                headers: ["Content-Type": "image/png"])
        case .shrunk:
            context[.imageThumbnailPixelSize] = CGSize(width: 40, height: 40)
            context[.cacheSerializer] = Self.pngSerializer
        }
        return context
    }

    func configure(_ kind: GalleryCellKind, url: URL, completed: @escaping SDExternalCompletionBlock) {
        let (options, context) = (options(kind), context(kind))
        switch kind {
        case .sticker, .movingAvatar, .preloaded:
            animatedView.sd_setImage(
                with: url, placeholderImage: nil, options: options, context: context, progress: nil,
                completed: completed)
        case .favourite:
            button.sd_setImage(
                with: url, for: .normal, placeholderImage: nil, options: options, context: context, progress: nil,
                completed: completed)
        case .backdrop:
            button.sd_setBackgroundImage(
                with: url, for: .highlighted, placeholderImage: nil, options: options, context: context, progress: nil,
                completed: completed)
        case .highlighted:
            imageView.sd_setHighlightedImage(
                with: url, options: options, context: context, progress: nil, completed: completed)
        default:
            imageView.sd_setImage(
                with: url, placeholderImage: nil, options: options, context: context, progress: nil,
                completed: completed)
        }
    }

    /// The picture that the cell shows.
    func picture(_ kind: GalleryCellKind) -> UIImage? {
        switch kind {
        case .sticker, .movingAvatar, .preloaded: animatedView.image
        case .favourite: button.image(for: .normal)
        case .backdrop: button.backgroundImage(for: .highlighted)
        case .highlighted: imageView.highlightedImage
        default: imageView.image
        }
    }
}

@Suite(.timeLimit(minutes: 2)) @MainActor struct PortedCellsTests {
    private let server: FaultServer
    private let scratch: ScratchFolder
    private var caches: URL { scratch.url.appendingPathComponent("caches") }
    private var library: URL { scratch.url.appendingPathComponent("library") }

    init() throws {
        server = try FaultServer()
        scratch = try ScratchFolder()
        try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
    }

    /// Shows the same picture twice in one start of the app and twice in the next one.
    @Test(arguments: GalleryCellKind.allCases) func everyCellIsServedFromItsCaches(_ kind: GalleryCellKind) async throws
    {
        GallerySession.token = "lin"
        let file = try Desk.file(width: 120, height: 80)
        let body =
            switch kind {
            case .poster, .sticker, .movingAvatar, .preloaded: try Desk.animation(frames: 4, side: 24)
            case .encoded: file.base64EncodedData()
            default: file
            }
        server.route("/\(kind.path)", .body(body))
        try body.write(to: library.appendingPathComponent(kind.path))
        var seen: [SDImageCacheType] = []
        var sizes: Set<PixelSize> = []
        for _ in 0..<2 {
            let app = GalleryApp(caches: caches, photos: library)
            for number in 0..<2 {
                let cell = GalleryMixedCell(manager: app.manager)
                var url = server.url("/\(kind.path)?signature=\(UInt.random(in: 0...UInt.max))-\(number)")
                if kind == .album { url = try #require(URL(string: "photo://album/\(kind.path)")) }
                var ends: [(SDImageCacheType, NSError?)] = []
                cell.configure(kind, url: url) { _, error, cacheType, _ in ends.append((cacheType, error as NSError?)) }
                #expect(await eventually { !ends.isEmpty })
                #expect(ends.count == 1 && ends.first?.1 == nil)
                seen += ends.map(\.0)
                let picture = try #require(cell.picture(kind))
                sizes.insert(picture.pixelSize)
                #expect(picture.sd_imageFrameCount == expectedFrames(kind))
                // The app ends some time after its last load. A serializer runs after the load.
                let key = app.manager.cacheKey(for: url, context: kind == .member ? cell.context(kind) : nil)
                #expect(await eventually { app.cache.diskImageDataExists(withKey: key) })
            }
            await app.cache.flush()
        }
        #expect(seen == [.none, .memory, .disk, .memory])
        #expect(sizes == [expectedSize(kind)])
        #expect(server.requests.count == (kind == .album ? 0 : 1))
        if kind == .member { #expect(server.requests.first?.headers["cookie"] == "member=7") }
    }

    private func expectedFrames(_ kind: GalleryCellKind) -> UInt {
        switch kind {
        case .sticker, .preloaded: 4
        default: 1
        }
    }

    private func expectedSize(_ kind: GalleryCellKind) -> PixelSize {
        switch kind {
        case .poster, .sticker, .movingAvatar, .preloaded: PixelSize(width: 24, height: 24)
        case .cropped: PixelSize(width: 20, height: 10)
        case .originalToo: PixelSize(width: 32, height: 22)
        case .favourite, .backdrop, .highlighted: PixelSize(width: 48, height: 32)
        case .shrunk: PixelSize(width: 40, height: 27)
        default: PixelSize(width: 120, height: 80)
        }
    }
}
