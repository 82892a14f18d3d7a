import Foundation
import Testing

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageViews

/// Each property of `ImageRequest` reads and writes the value of one context key.
struct ImageRequestTests {
    private static let url = URL(string: "https://example.test/a.png")!

    private final class Role: ImageTransformer, WebImageCacheKeyFilterProtocol, WebImageCacheSerializerProtocol,
        WebImageDownloaderRequestModifierProtocol, WebImageDownloaderResponseModifierProtocol,
        WebImageDownloaderDecryptorProtocol
    {
        var transformerKey: String { "role" }
        func transformedImage(with image: Image, forKey key: String) -> Image? { image }
        func cacheKey(for url: URL) -> String? { nil }
        func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data? { nil }
        func modifiedRequest(with request: WebImageRequest) -> WebImageRequest? { request }
        func modifiedResponse(with response: WebImageResponse) -> WebImageResponse? { response }
        func decryptedData(with data: Data, response: WebImageResponse?) -> Data? { data }
    }

    /// One context key, a value for this key, and closures that write and read the matching property of a request.
    private struct Row: Sendable {
        let key: WebImageContextOption
        let value: @Sendable () -> any Sendable
        let set: @Sendable (inout ImageRequest, any Sendable) -> Void
        let get: @Sendable (ImageRequest) -> (any Sendable)?

        init<Value: Sendable>(
            _ key: WebImageContextOption, _ value: @escaping @Sendable @autoclosure () -> Value,
            _ set: @escaping @Sendable (inout ImageRequest, Value?) -> Void,
            _ get: @escaping @Sendable (ImageRequest) -> Value?
        ) {
            self.key = key
            self.value = value
            self.set = { request, value in set(&request, value as? Value) }
            self.get = get
        }
    }

    private static let role = Role()
    private static let image = Image(pixels: (try? PixelBuffer(width: 2, height: 2, format: .gray8))!)
    private static let cache = ImageCache(memoryCache: MemoryCache(config: ImageCacheConfig()), diskCache: nil)
    private static let loader = FileImageLoader()
    private static let queue = CallbackQueue.invoking
    private static let coders = ImageCodersManager(coders: [])
    private static let manager = WebImageManager(cache: cache, loader: loader)

    private static let rows: [Row] = [
        Row(.imageThumbnailPixelSize, CGSize(width: 3, height: 4), { $0.size = $1 }, { $0.size }),
        Row(.imagePreserveAspectRatio, false, { $0.preservesAspectRatio = $1 }, { $0.preservesAspectRatio }),
        Row(.imageScaleFactor, 2.0, { $0.scale = $1 }, { $0.scale }),
        Row(.imageScaleDownLimitBytes, 4096, { $0.scaleDownLimitBytes = $1 }, { $0.scaleDownLimitBytes }),
        Row(.imageDecodeToHDR, true, { $0.keepsHighDynamicRange = $1 }, { $0.keepsHighDynamicRange }),
        Row(.decodingLimits, DecodingLimits.unlimited, { $0.limits = $1 }, { $0.limits }),
        Row(.queryCacheType, ImageCacheType.disk, { $0.queryCache = $1 }, { $0.queryCache }),
        Row(.storeCacheType, ImageCacheType.memory, { $0.storeCache = $1 }, { $0.storeCache }),
        Row(.originalQueryCacheType, ImageCacheType.all, { $0.originalQueryCache = $1 }, { $0.originalQueryCache }),
        Row(.originalStoreCacheType, ImageCacheType.none, { $0.originalStoreCache = $1 }, { $0.originalStoreCache }),
        Row(.cacheScope, "user", { $0.cacheScope = $1 }, { $0.cacheScope }),
        Row(.cacheExpiration, Duration.seconds(60), { $0.expiration = $1 }, { $0.expiration }),
        Row(.setImageOperationKey, "key", { $0.operationKey = $1 }, { $0.operationKey }),
        Row(.alternativeSources, [url], { $0.alternativeURLs = $1 }, { $0.alternativeURLs }),
        Row(.lowDataSource, url, { $0.lowDataURL = $1 }, { $0.lowDataURL }),
        Row(.imageTypeIdentifierHint, "public.png", { $0.typeHint = $1.map { .identifier($0) } }) {
            if case .identifier(let text) = $0.typeHint { text } else { nil }
        },
        Row(.thumbnail, ViewThumbnail.viewSize, { $0.viewThumbnail = $1 }, { $0.viewThumbnail }),
        Row(.cachedVariantAsPlaceholder, true, { $0.usesCachedVariantAsPlaceholder = $1 ?? false }) {
            $0.usesCachedVariantAsPlaceholder ? true : nil
        },
        Row(.loaderCachedImage, image, { $0.cachedImage = $1 }, { $0.cachedImage }),
        Row(.callbackQueue, queue, { $0.callbackQueue = $1 }, { $0.callbackQueue }),
        Row(.imageCache, cache, { $0.cache = $1 }, { $0.cache as? ImageCache }),
        Row(.originalImageCache, cache, { $0.originalCache = $1 }, { $0.originalCache as? ImageCache }),
        Row(.imageLoader, loader, { $0.loader = $1 }, { $0.loader as? FileImageLoader }),
        Row(.imageCoder, coders, { $0.coder = $1 }, { $0.coder as? ImageCodersManager }),
        Row(.customManager, manager, { $0.manager = $1 }, { $0.manager as? WebImageManager }),
        Row(.imageTransformer, role, { $0.transformers = $1.map { [$0] } }, { $0.transformers?.first as? Role }),
        Row(.cacheKeyFilter, role, { $0.cacheKeyFilter = $1 }, { $0.cacheKeyFilter as? Role }),
        Row(.cacheSerializer, role, { $0.cacheSerializer = $1 }, { $0.cacheSerializer as? Role }),
        Row(.downloadRequestModifier, role, { $0.requestModifier = $1 }, { $0.requestModifier as? Role }),
        Row(.downloadResponseModifier, role, { $0.responseModifier = $1 }, { $0.responseModifier as? Role }),
        Row(.downloadDecryptor, role, { $0.decryptor = $1 }, { $0.decryptor as? Role }),
    ]

    /// The keys whose values the table cannot compare. Each of these keys has a separate test.
    private static let others: Set<WebImageContextOption> = [
        .imageDecodeOptions, .imageEncodeOptions, .animatedImageClass, .placeholderHash,
    ]

    private func isSame(_ one: (any Sendable)?, _ other: (any Sendable)?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        if type(of: one) is AnyClass { return one as AnyObject === other as AnyObject }
        if let one = one as? NSNumber, let other = other as? NSNumber { return one == other }
        return (one as? AnyHashable) == (other as? AnyHashable) && one is AnyHashable
    }

    @Test(arguments: Self.rows.indices)
    func propertiesAndContextKeysConvertBothWays(index: Int) {
        let row = Self.rows[index]
        let value = row.value()
        let fromContext = ImageRequest(url: Self.url, context: [row.key: value])
        #expect(isSame(row.get(fromContext), value), "\(row.key.rawValue): the property does not show the context")

        var request = ImageRequest(url: Self.url)
        #expect(row.get(request) == nil && request.context == nil)
        row.set(&request, value)
        #expect(request.context?.count == 1 && request.context?[row.key] != nil, "\(row.key.rawValue)")
        #expect(isSame(row.get(request), value), "\(row.key.rawValue): the property does not read what it wrote")
        #expect(isSame(row.get(ImageRequest(url: Self.url, context: request.context)), value))
    }

    /// Each key declared in the sources is in the table or has a separate test.
    @Test func everyKeyHasAProperty() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources").standardizedFileURL
        var declared: Set<String> = []
        for target in ["WebImageLoading", "WebImageViews"] {
            let folder = sources.appendingPathComponent(target)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /public static let \w+ = WebImageContextOption\(rawValue: "(\w+)"\)/) {
                    declared.insert(String(match.output.1))
                }
            }
        }
        let known = Set(Self.rows.map(\.key)).union(Self.others).map(\.rawValue)
        #expect(declared.count > 30 && declared == Set(known))
    }

    @Test func dictionaryOptionsArePreserved() {
        var request = ImageRequest(url: Self.url)
        request.decodeOptions = [.decodeFirstFrameOnly: true]
        request.encodeOptions = [.encodeCompressionQuality: 0.5]
        request.animatedImageClass = AnimatedImage.self
        let context = ImageRequest(url: Self.url, context: request.context)
        #expect(context.decodeOptions?[.decodeFirstFrameOnly] as? Bool == true)
        #expect(context.encodeOptions?[.encodeCompressionQuality] as? Double == 0.5)
        #expect(context.animatedImageClass == AnimatedImage.self)
    }

    @Test func severalTransformersFormAPipelineAndNoneIsNull() {
        var request = ImageRequest(url: Self.url, transformers: [])
        #expect(request.context?[.imageTransformer] is NSNull && request.transformers?.isEmpty == true)
        request.transformers = [Self.role, Self.role]
        #expect(request.context?[.imageTransformer] is ImagePipelineTransformer && request.transformers?.count == 2)
        request.transformers = nil
        #expect(request.context == nil)
    }

    @Test func aRefusedHintIsNull() {
        var request = ImageRequest(url: Self.url)
        request.typeHint = .refused
        #expect(request.context?[.imageTypeIdentifierHint] is NSNull)
    }

    @Test func placeholderHashesKeepTheirType() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        var request = ImageRequest(url: Self.url)
        request.placeholderHash = .blur(hash)
        #expect(request.context?[.placeholderHash] as? BlurHash == hash && request.placeholderHash == .blur(hash))
    }

    @Test(arguments: ImageRequest.CachePolicy.allCases)
    func cachePolicyConvertsToItsOptions(policy: ImageRequest.CachePolicy) {
        let request = ImageRequest(url: Self.url, cachePolicy: policy, priority: .high, options: .retryFailed)
        #expect(request.cachePolicy == policy && request.priority == .high && request.options.contains(.retryFailed))
        #expect(ImageRequest(url: Self.url, options: request.options, context: nil).cachePolicy == policy)
    }

    // MARK: Equality

    private struct Transformer: ImageTransformer {
        var transformerKey: String
        func transformedImage(with image: Image, forKey key: String) -> Image? { image }
    }

    private static let own = WebImageContextOption(rawValue: "own")

    @Test func requestsWithEqualValuesAreEqual() {
        var one = ImageRequest(url: Self.url, size: CGSize(width: 4, height: 4), options: .retryFailed)
        one.transformers = [Transformer(transformerKey: "a")]
        one.cache = Self.cache
        one.decodeOptions = [.decodeFirstFrameOnly: true]
        one[Self.own] = "value"
        let other = ImageRequest(url: one.url, options: one.options, context: one.context)
        #expect(one == other && one.hashValue == other.hashValue && Set([one, other]).count == 1)
    }

    @Test(arguments: Self.rows.indices) func requestsThatDifferInOneValueDiffer(index: Int) {
        let row = Self.rows[index]
        var request = ImageRequest(url: Self.url)
        row.set(&request, row.value())
        #expect(request != ImageRequest(url: Self.url) && request == request)
        // A value of another type sets nil.
        struct Nothing: Sendable {}
        row.set(&request, Nothing())
        #expect(request == ImageRequest(url: Self.url) && request.context == nil)
    }

    @Test func transformersOfOtherKeysAndValuesThatCannotBeComparedDiffer() {
        struct Opaque: Sendable { let value: Int }
        let requests = ["a", "b"].map { ImageRequest(url: Self.url, transformers: [Transformer(transformerKey: $0)]) }
        #expect(requests[0] != requests[1])
        let opaque = (0..<2).map { _ in ImageRequest(url: Self.url, context: [Self.own: Opaque(value: 1)]) }
        let copy = opaque[0]
        #expect(opaque[0] != opaque[1] && opaque[0] == copy)
    }

    @Test func aCopyDoesNotChangeWithTheOriginal() {
        let first = ImageRequest(url: Self.url, size: CGSize(width: 4, height: 4))
        var second = first
        second.size = CGSize(width: 8, height: 8)
        second[Self.own] = 1
        #expect(first.size == CGSize(width: 4, height: 4) && first[Self.own, as: Int.self] == nil)
        #expect(second.context?.count == 2)
    }

    /// A custom cache or loader receives every value as the caller wrote it, also a value of a wrong type.
    @Test func rolesReceiveTheContextOfTheCaller() throws {
        let context: WebImageContext = [
            .imageThumbnailPixelSize: "wrong", .queryCacheType: 1, .imageScaleFactor: 2, Self.own: 3,
        ]
        let request = ImageRequest(url: Self.url, context: context)
        #expect(request.size == nil && request.queryCache == ImageCacheType(rawValue: 1) && request.scale == 2)
        var changed = request
        changed.cacheScope = "user"
        for received in [request.context, changed.context] {
            let received = try #require(received)
            #expect(received[.imageThumbnailPixelSize] as? String == "wrong" && received[Self.own] as? Int == 3)
            #expect(ImageRequest(url: Self.url, context: received).scale == 2)
        }
        #expect(request.context?[.queryCacheType] as? Int == 1 && request[.imageScaleFactor, as: Int.self] == 2)
        #expect(changed.context?.count == 5)
    }

    // MARK: Policies

    @Test(arguments: 0..<8) func placesOfReadingAreKept(rawValue: Int) {
        let places = ImageRequest.Places(rawValue: rawValue)
        var request = ImageRequest(url: Self.url, cachePolicy: .reload)
        request.reading = places
        #expect(request.reading == places)
        #expect(request.options.contains(.fromCacheOnly) == !places.contains(.network))
        request.reading = .all
        #expect(request == ImageRequest(url: Self.url))
    }

    @Test(arguments: 0..<4) func placesOfWritingAreKept(rawValue: Int) {
        let places = ImageRequest.Places(rawValue: rawValue)
        var request = ImageRequest(url: Self.url)
        request.writing = places
        #expect(request.writing == places && request.originalStoreCache != .memory)
        request.writing = .all
        #expect(request.context == nil)
    }
}
