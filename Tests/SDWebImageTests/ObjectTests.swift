import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// A class of a program whose objects are stored with images.
final class StoredNote: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let text: String
    init(_ text: String) { self.text = text }
    init?(coder: NSCoder) { text = coder.decodeObject(of: NSString.self, forKey: "text") as String? ?? "" }
    func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "text") }
}

/// Checks the classes that have SDWebImage's names and a behaviour of their own.
@Suite(.timeLimit(minutes: 1)) struct ObjectTests {
    private let scratch: ScratchFolder
    private let cache: SDImageCache

    init() throws {
        scratch = try ScratchFolder()
        cache = SDImageCache(namespace: "objects", diskCacheDirectory: scratch.path)
    }

    private func roundTrip(
        _ object: any NSCoding & NSObjectProtocol, key: String
    ) async throws -> (any NSCoding & NSObjectProtocol)? {
        let image = try TestImages.solid()
        image.sd_extendedObject = object
        #expect(image.sd_extendedObject === object)
        await cache.store(image, imageData: image.pngData(), forKey: key, toDisk: true)
        cache.clearMemory()
        return cache.imageFromDiskCache(forKey: key)?.sd_extendedObject
    }

    @Test func objectsOfFoundationAreReadFromDisk() async throws {
        #expect(try await roundTrip(NSString(string: "text"), key: "text") as? NSString == "text")
        #expect(try await roundTrip(NSNumber(value: 7), key: "number") as? NSNumber == 7)
        let list = NSArray(array: [NSString(string: "a"), NSNumber(value: 1)])
        #expect(try await roundTrip(list, key: "list") as? NSArray == list)
        let table = NSDictionary(dictionary: [NSString(string: "a"): NSDate(timeIntervalSince1970: 3)])
        #expect(try await roundTrip(table, key: "table") as? NSDictionary == table)
        #expect(try await roundTrip(NSData(data: Data([1, 2])), key: "data") as? NSData == NSData(data: Data([1, 2])))
    }

    @Test func objectsOfProgramsAreReadFromDiskOnlyIfTheirClassIsListed() async throws {
        #expect(try await roundTrip(StoredNote("one"), key: "unlisted") is NSData)
        UIImage.sd_extendedObjectClasses.append(StoredNote.self)
        #expect((try await roundTrip(StoredNote("two"), key: "listed") as? StoredNote)?.text == "two")
    }

    /// A class whose objects cannot be archived on Linux, because it is declared inside another type.
    final class Nested: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        override init() {}
        init?(coder: NSCoder) {}
        func encode(with coder: NSCoder) {}
    }

    /// A class whose objects cannot be read securely.
    final class Insecure: NSObject, NSCoding {
        override init() {}
        init?(coder: NSCoder) {}
        func encode(with coder: NSCoder) {}
    }

    @Test func objectsThatCannotBeArchivedAreNotStored() async throws {
        #expect(try await roundTrip(Nested(), key: "nested") == nil)
        #expect(try await roundTrip(NSArray(array: [Nested()]), key: "list of nested") == nil)
        #expect(try await roundTrip(Insecure(), key: "insecure") == nil)
    }

    @Test func nativeExtendedObjectsAreObjectsOfFoundation() throws {
        let image = try TestImages.solid()
        image.extendedObject = "text"
        #expect(image.sd_extendedObject as? NSString == "text")
        image.extendedObject = Data([3])
        #expect(image.sd_extendedObject as? NSData == NSData(data: Data([3])))
        image.sd_extendedObject = nil
        #expect(image.extendedObject == nil)
    }

    @Test func imagesOfTheSystemAreDecodedToNewObjects() async throws {
        let file = try #require(try TestImages.solid(width: 6, height: 4).pngData())
        let image = try #require(UIImage(data: file))
        #expect(!image.sd_isDecoded)
        let decoded = try #require(SDImageCoderHelper.decodedImage(with: image))
        #expect(decoded !== image && decoded.sd_isDecoded && decoded.pixels === image.pixels)
        #expect(SDImageCoderHelper.decodedImage(with: decoded) === decoded)
        #expect(SDImageCoderHelper.decodedImage(with: image, policy: .never) === image)
        #expect(UIImage.sd_decodedAndScaledDownImage(with: image) !== image)
        #expect(!(try #require(UIImage.sd_image(with: file)).sd_isDecoded))
        #expect(SDImageCoderHelper.decodedImage(with: nil) == nil)
        let animation = try #require(UIImage.animatedImage(with: [image, decoded], duration: 1))
        #expect(SDImageCoderHelper.decodedImage(with: animation) === animation)
    }

    @Test func memoryCacheKeepsObjectsOfAnyClassWithinItsLimits() throws {
        let config = SDImageCacheConfig()
        config.maxMemoryCount = 2
        let memory = SDMemoryCache<NSString, AnyObject>(config: config)
        let image = try TestImages.solid()
        let (key, a, b, c) = (NSString(string: "image"), NSString(string: "a"), NSString(string: "b"), NSString("c"))
        memory.setObject(image, forKey: key)
        #expect(memory.object(forKey: key) === image && memory.config === config)
        memory.setObject(NSString(string: "1"), forKey: a)
        memory.setObject(NSString(string: "2"), forKey: b, cost: 5)
        memory.setObject(NSString(string: "3"), forKey: c)
        #expect(memory.object(forKey: a) == nil && memory.object(forKey: c) as? NSString == "3")
        memory.removeObject(forKey: c)
        #expect(memory.object(forKey: c) == nil && memory.object(forKey: b) as? NSString == "2")
        memory.removeObject(forKey: key)
        #expect(memory.object(forKey: key) == nil)
        memory.removeAllObjects()
        #expect(memory.object(forKey: b) == nil)
        config.maxMemoryCount = 0
        config.maxMemoryCost = 10
        let numbers = SDMemoryCache<NSNumber, NSNumber>(config: config)
        for index in 0..<1000 { numbers.setObject(NSNumber(value: index), forKey: NSNumber(value: index), cost: 5) }
        #expect(numbers.object(forKey: NSNumber(value: 999)) != nil)
        #expect(numbers.object(forKey: NSNumber(value: 997)) == nil)
    }

    // SDImageCacheTests.test46MemoryCacheWeakCache
    @Test func limitsOfAMemoryCacheApplyToTheNextObject() throws {
        let memory = SDMemoryCache<NSString, UIImage>(config: SDImageCacheConfig())
        memory.config.maxMemoryCost = 10
        memory.config.maxMemoryCount = 5
        #expect(memory.totalCostLimit == 10 && memory.countLimit == 5)
        memory.totalCostLimit = 0
        memory.countLimit = 2
        #expect(memory.config.maxMemoryCost == 0 && memory.config.maxMemoryCount == 2)
        memory.config.shouldUseWeakMemoryCache = false
        for name in ["a", "b", "c"] { memory.setObject(try TestImages.solid(), forKey: NSString(string: name)) }
        let found = ["a", "b", "c"].filter { memory.object(forKey: NSString(string: $0)) != nil }
        #expect(found == ["b", "c"])
    }

    // SDImageCacheTests.test46MemoryCacheWeakCache
    @Test(arguments: [false, true]) func memoryPressureEvictsObjectsThatAreNotInUse(areInUse: Bool) {
        let config = SDImageCacheConfig()
        let relay = MemoryPressureRelay()
        config.value.memoryPressureSource = relay
        let memory = SDMemoryCache<NSString, NSObject>(config: config)
        var held: [NSObject] = []
        for name in ["a", "b", "c", "d"] {
            let object = NSObject()
            memory.setObject(object, forKey: NSString(string: name))
            if areInUse { held.append(object) }
        }
        func found() -> [Bool] { ["a", "b", "c", "d"].map { memory.object(forKey: $0) != nil } }
        relay.report(.warning)
        #expect(found() == [areInUse, areInUse, true, true])
        relay.report(.critical)
        #expect(found() == Array(repeating: areInUse, count: 4))
        #expect(!areInUse || memory.object(forKey: "d") === held.last)
        relay.report(.critical)
        memory.removeObject(forKey: "a")
        config.shouldUseWeakMemoryCache = false
        #expect(found() == [false, false, false, false])
        config.shouldUseWeakMemoryCache = true
        #expect(found() == [false, areInUse, areInUse, areInUse])
        relay.report(.critical)
        held = []
        #expect(found() == [false, false, false, false])
    }

    @Test func evictedObjectInUseKeepsItsCost() {
        let config = SDImageCacheConfig()
        config.maxMemoryCost = 10
        let memory = SDMemoryCache<NSString, NSObject>(config: config)
        let (object, large) = (NSObject(), NSObject())
        memory.setObject(object, forKey: "a", cost: 6)
        memory.setObject(NSObject(), forKey: "b", cost: 4)
        memory.setObject(large, forKey: "large", cost: 11)
        #expect(memory.object(forKey: "b") != nil && memory.object(forKey: "large") === large)
        memory.setObject(NSObject(), forKey: "c", cost: 5)
        // "a" was evicted for "c"; storing it again evicts "b".
        #expect(memory.object(forKey: "a") === object)
        #expect(memory.object(forKey: "b") == nil)
        memory.removeAllObjects()
        #expect(memory.object(forKey: "a") == nil && memory.object(forKey: "large") == nil)
    }

    @Test func referencesToReleasedObjectsAreSwept() {
        let config = SDImageCacheConfig()
        config.maxMemoryCount = 1
        let memory = SDMemoryCache<NSNumber, NSObject>(config: config)
        let held = (0..<300).map { _ in NSObject() }
        for (index, object) in held.enumerated() { memory.setObject(object, forKey: NSNumber(value: index)) }
        for index in 300..<5000 { memory.setObject(NSObject(), forKey: NSNumber(value: index)) }
        let found = held.indices.filter { memory.object(forKey: NSNumber(value: $0)) === held[$0] }
        #expect(found.count == 300 && memory.object(forKey: NSNumber(value: 4000)) == nil)
    }

    @Test func limitsOfACacheReachItsMemoryLayer() throws {
        let config = SDImageCacheConfig()
        config.memoryCacheClass = SDMemoryCache<NSString, UIImage>.self
        config.shouldUseWeakMemoryCache = false
        let own = SDImageCache(namespace: "limited", diskCacheDirectory: scratch.path, config: config)
        own.config.maxMemoryCount = 1
        for name in ["a", "b"] { own.storeImage(toMemory: try TestImages.solid(), forKey: name) }
        #expect(own.imageFromMemoryCache(forKey: "a") == nil && own.imageFromMemoryCache(forKey: "b") != nil)
    }

    @Test func memoryCacheClassIsUsedByTheCache() throws {
        let config = SDImageCacheConfig()
        config.memoryCacheClass = SDMemoryCache<NSString, UIImage>.self
        config.diskCacheClass = NSString.self
        #expect(ObjectIdentifier(config.diskCacheClass) == ObjectIdentifier(SDDiskCache.self))
        let own = SDImageCache(namespace: "own", diskCacheDirectory: scratch.path, config: config)
        let image = try TestImages.solid()
        own.storeImage(toMemory: image, forKey: "a")
        #expect(own.memoryCache is SDMemoryCache<NSString, UIImage> && own.imageFromMemoryCache(forKey: "a") === image)
        own.clearMemory()
        #expect(own.imageFromMemoryCache(forKey: "a") == nil)
    }

    @Test func filesOfTheOriginalMoveIntoTheDiskCache() throws {
        let file = try #require(try TestImages.solid().pngData())
        let old = scratch.url.appendingPathComponent("old")
        try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
        // The original names a file by the MD5 digest of the key "a" and the extension of the key.
        try file.write(to: old.appendingPathComponent("0cc175b9c0f1b6a831c399e269772661"))
        let folder = scratch.path + "/new"
        let disk = try #require(SDDiskCache(cachePath: folder, config: SDImageCacheConfig.default))
        disk.moveDirectory(fromPath: old.path, toPath: folder)
        #expect(disk.data(forKey: "a") == file && !FileManager.default.fileExists(atPath: old.path))
        let count: UInt = disk.totalCount()
        #expect(count == 1 && disk.config.maxDiskAge == SDImageCacheConfig.default.maxDiskAge)

        let (from, to) = (scratch.path + "/from", scratch.path + "/to/deep")
        try FileManager.default.createDirectory(atPath: from, withIntermediateDirectories: true)
        try file.write(to: URL(fileURLWithPath: from + "/x"))
        disk.moveDirectory(fromPath: from, toPath: to)
        #expect(FileManager.default.contents(atPath: to + "/x") == file)
        disk.moveDirectory(fromPath: scratch.path + "/missing", toPath: to)
    }

    @Test func cachesAndLoadersHaveTheOriginalsTypes() async throws {
        let all: any SDImageCacheProtocol = cache
        let image = try TestImages.solid()
        await all.store(image, imageData: image.pngData(), forKey: "a", cacheType: .all)
        #expect(await all.containsImage(forKey: "a", cacheType: .all) == .memory)
        #expect(await cache.diskImageExists(withKey: "a"))
        #expect(await cache.diskImageDataQuery(forKey: "a") == image.pngData())
        #expect(await cache.calculateSize().0 == 1)
        let caches = SDImageCachesManager(caches: [])
        caches.addCache(cache)
        #expect(caches.caches?.count == 1 && caches.caches?.first is SDImageCache)
        await caches.store(image, imageData: nil, forKey: "b", options: [], context: nil, cacheType: .memory)
        #expect(cache.imageFromMemoryCache(forKey: "b") === image)
        caches.removeCache(cache)
        #expect(caches.caches?.isEmpty == true)
        await cache.removeImage(forKey: "a")
        #expect(await !cache.diskImageExists(withKey: "a"))
        await cache.clearDiskOnCompletion()

        let foreign = FakeDataLoader()
        let loaders = SDImageLoadersManager(loaders: [foreign])
        let adopted = try #require(loaders.loaders?.first)
        #expect(adopted.canRequestImage(for: URL(string: "https://a.test/b")))
        loaders.removeLoader(adopted)
        #expect(loaders.loaders?.isEmpty == true)
        loaders.loaders = [adopted, SDWebImageDownloader.shared]
        #expect(loaders.loaders?.count == 2 && loaders.loaders?.last is SDWebImageDownloader)
        let error = await withCheckedContinuation { (done: CheckedContinuation<NSError?, Never>) in
            let loader: any SDImageLoader = SDWebImageDownloader.shared
            loader.requestImage(with: nil, context: nil, progress: nil) { _, _, error, _ in
                done.resume(returning: error as NSError?)
            }
        }
        #expect(error?.code == SDWebImageError.invalidURL.rawValue)
        let blocks = SDWebImageDownloader.shared.shouldBlockFailedURL(
            with: try #require(URL(string: "https://a.test/b")), error: NSError(domain: "mine", code: 1))
        #expect(!blocks)
    }

    @Test func nativeCachesAreWrappedAndUnwrapped() async throws {
        let native = NativeCache()
        let manager = SDWebImageManager(cache: native, loader: FakeDataLoader())
        let image = try TestImages.solid()
        await manager.imageCache.store(image, imageData: nil, forKey: "a", cacheType: .memory)
        #expect(native.stored == ["a"])
        let caches = SDImageCachesManager(caches: [native])
        let adopted = try #require(caches.caches?.first)
        caches.removeCache(adopted)
        #expect(caches.caches?.isEmpty == true)
    }

    /// A cache that adopts only this package's protocol.
    final class NativeCache: ImageCaching {
        private let keys = Locked<[String]>([])
        var stored: [String] { keys.withLock { $0 } }

        func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? { nil }
        func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
            keys.withLock { $0.append(request.key) }
        }
        func remove(_ key: String, from layers: ImageCacheType) async {}
        func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType { .none }
        func removeAll(from layers: ImageCacheType) async {}
    }

    /// A coder that counts the animations that it opens.
    final class CountingCoder: SDImageAPNGCoder, @unchecked Sendable {
        static let opened = Locked(0)
        override init() { super.init() }
        required init(incrementalWithOptions options: SDImageCoderOptions?) {
            super.init(incrementalWithOptions: options)
        }
        required init?(animatedImageData data: Data?, options: SDImageCoderOptions?) {
            Self.opened.withLock { $0 += 1 }
            super.init(animatedImageData: data, options: options)
        }
        override func decodedImage(with data: Data?, options: SDImageCoderOptions?) -> UIImage? { nil }
    }

    /// A subclass with an initialiser of its own, as code for SDWebImage writes it.
    private final class CoderWithInitializer: SDImageGIFCoder, @unchecked Sendable {
        // Unchecked is correct because the only property is a constant.
        let name: String
        override init() {
            name = "mine"
            super.init()
        }
        required init(incrementalWithOptions options: SDImageCoderOptions?) {
            name = ""
            super.init(incrementalWithOptions: options)
        }
        required init?(animatedImageData data: Data?, options: SDImageCoderOptions?) {
            name = ""
            super.init(animatedImageData: data, options: options)
        }
    }

    @Test func subclassOverridesThePlainInitializer() throws {
        let coder = CoderWithInitializer()
        let frames = try (0..<2).map { SDImageFrame(image: try TestImages.solid(blue: UInt8($0 * 80)), duration: 0.1) }
        let file = try #require(coder.encodedData(with: frames, loopCount: 0, format: .GIF, options: nil))
        #expect(coder.name == "mine" && coder.canDecode(from: file))
        // A coder opens files of its own format only, as Parity.md says.
        #expect(CoderWithInitializer(animatedImageData: file, options: nil)?.animatedImageFrameCount == 2)
        #expect(SDImageAWebPCoder(animatedImageData: file) == nil)
        // Each frame is in the list once, whatever its duration.
        #expect(UIImage.sd_image(with: file)?.images?.count == 2)
    }

    @Test func overridesOfTheCodersAreCalled() throws {
        let frames = try (0..<3).map { SDImageFrame(image: try TestImages.solid(blue: UInt8($0 * 80)), duration: 0.1) }
        let file = try #require(SDImageAPNGCoder.shared.encodedData(with: frames, loopCount: 2, format: .PNG))
        let coder = CountingCoder()
        SDImageCodersManager.shared.addCoder(coder)
        defer { SDImageCodersManager.shared.removeCoder(coder) }
        let image = try #require(SDAnimatedImage(data: file))
        #expect(image.animatedCoder is CountingCoder && CountingCoder.opened.withLock { $0 } == 1)
        let manager = SDImageCodersManager(coders: [])
        manager.addCoder(coder)
        #expect(manager.decodedImage(with: file) == nil && manager.coders?.first is CountingCoder)
        #expect(coder.animatedImageFrameCount == 0 && SDImageAPNGCoder.imageFormat == .PNG)
        #expect(SDImageGIFCoder.defaultLoopCount == 1 && SDImageAWebPCoder.imageUTType == "org.webmproject.webp")
    }

    @Test func codersAreRegisteredAsTheBuiltInOnes() throws {
        let manager = SDImageCodersManager(coders: [])
        manager.addCoder(SDImageGIFCoder.shared)
        manager.addCoder(SDImageAPNGCoder.shared)
        #expect(manager.coders?.first is SDImageGIFCoder && manager.coders?.last is SDImageAPNGCoder)
        manager.removeCoder(SDImageGIFCoder.shared)
        #expect(manager.coders?.count == 1)
        // A built-in coder reports the reason of a failure; a wrapper would not.
        let broken = try #require(try TestImages.solid().pngData()).prefix(40)
        #expect(throws: WebImageError.self) { try manager.decode(broken, options: DecodingOptions()) }
        manager.coders = nil
        #expect(manager.coders?.isEmpty == true)
    }

    @Test func transformersAreClassesWithTheOriginalsKeys() throws {
        let image = try TestImages.solid(width: 8, height: 4)
        let blur = SDImageBlurTransformer(radius: 2)
        blur.preserveImageMetadata = false
        #expect(!blur.preserveImageMetadata && blur.blurRadius == 2)
        #expect(blur.transformerKey == ImageBlurTransformer(radius: 2).transformerKey)
        let size = CGSize(width: 2, height: 2)
        let made: [(SDImageBaseTransformer, any ImageTransformer, CGSize)] = [
            (
                SDImageResizingTransformer(size: size, scaleMode: .fill),
                ImageResizingTransformer(size: size, scaleMode: .fill), size
            ),
            (
                SDImageCroppingTransformer(rect: CGRect(origin: .zero, size: size)),
                ImageCroppingTransformer(rect: CGRect(origin: .zero, size: size)), size
            ),
            (
                SDImageFlippingTransformer(horizontal: true, vertical: false),
                ImageFlippingTransformer(horizontal: true, vertical: false), image.size
            ),
            (
                SDImageRotationTransformer(angle: .pi, fitSize: true),
                ImageRotationTransformer(angle: .pi, fitSize: true),
                image.size
            ),
            (SDImageTintTransformer(color: .red), ImageTintTransformer(color: .red), image.size),
            (
                SDImageRoundCornerTransformer(radius: 1, corners: .allCorners, borderWidth: 0, borderColor: nil),
                ImageRoundCornerTransformer(radius: 1, corners: .allCorners, borderWidth: 0, borderColor: nil),
                image.size
            ),
        ]
        for (own, native, size) in made {
            #expect(own.transformerKey == native.transformerKey)
            #expect(own.transformedImage(with: image, forKey: "")?.size == size, "\(own.transformerKey)")
        }
    }

    @Test func drawingsAreNotOptional() throws {
        let format = SDGraphicsImageRendererFormat.preferred()
        format.scale = 2
        #expect(format.uiformat.scale == 2)
        let image = SDGraphicsImageRenderer(size: CGSize(width: 3, height: 3), format: format).image { context in
            context.setStrokeColor(red: 1, green: 0, blue: 0, alpha: 1)
            context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
            context.fill(CGRect(x: 0, y: 0, width: 3, height: 3))
        }
        #expect(image.size == CGSize(width: 3, height: 3) && image.scale == 2 && image.sd_color(at: .zero)?.red == 1)
        let none = SDGraphicsImageRenderer(size: .zero).image { _ in Issue.record("an empty image was drawn") }
        #expect(none.pixelSize == PixelSize(width: 1, height: 1))
    }

    @Test func numbersAndHelpersHaveTheOriginalsTypes() {
        #expect(SDByteAlign(13, 8) == 16 && SDByteAlign(16, 8) == 16 && SDByteAlign(5, 0) == 5)
        #expect(SDByteAlign(.max, 64) == .max && SDByteAlign(-3, 8) == 0)
        #expect(SDImageCoderHelper.preferredPixelFormat(true).alignment == 64)
        #expect(SDImageCoderHelper.imageOrientation(from: .right) == .right)
        #expect(SDImageCoderHelper.exifOrientation(from: .leftMirrored) == .leftMirrored)
        let size = SDImageCoderHelper.scaledSize(
            withImageSize: CGSize(width: 4, height: 2), scale: CGSize(width: 2, height: 2), preserveAspectRatio: true,
            shouldScaleUp: false)
        #expect(size == CGSize(width: 2, height: 1))
        let number: UInt = SDImageForceDecodePolicy.always.rawValue
        #expect(number == 2 && SDImageForceDecodePolicy(rawValue: number) == .always)
        #expect(SDImageFormat(1) == .PNG && SDImageCoderOption("a").rawValue == "a")
    }

    @Test func serializerReceivesTheOriginalOfAThumbnail() async throws {
        let loader = FakeDataLoader()
        let url = try #require(URL(string: "https://a.test/original.png"))
        loader.answer(url, with: .success(try #require(try TestImages.solid(width: 40, height: 20).pngData())))
        let manager = SDWebImageManager(cache: cache, loader: loader)
        let sizes = Locked<[CGSize]>([])
        manager.cacheSerializer = SDWebImageCacheSerializer { image, data, _ in
            sizes.withLock { $0.append(image.size) }
            return data
        }
        #expect(manager.cacheSerializer is SDWebImageCacheSerializer)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            manager.loadImage(
                with: url, options: .waitStoreCache,
                context: [.imageThumbnailPixelSize: CGSize(width: 4, height: 4)], progress: nil
            ) { _, _, _, _, finished, _ in if finished { done.resume() } }
        }
        #expect(sizes.withLock { $0 } == [CGSize(width: 40, height: 20)])
    }

    @Test @MainActor func playerShowsEveryFrame() throws {
        let frames = try (0..<3).map { SDImageFrame(image: try TestImages.solid(blue: UInt8($0 * 80)), duration: 0.1) }
        let file = try #require(SDImageGIFCoder.shared.encodedData(with: frames, loopCount: 0, format: .GIF))
        let image = try #require(SDAnimatedImage(data: file))
        #expect(SDAnimatedImagePlayer(provider: image)?.skipsLateFrames == false)
    }
}
