import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Loads random combinations of URL, scope, size and transformers. Many of these combinations have the same key string.
///
/// A combination must never receive the entry, the shared task or the failure of another combination.
@Suite(.timeLimit(minutes: 5))
struct KeyFamilyTests {
    /// The parameters of a load that form its key.
    struct Tuple: Hashable, Sendable, CustomStringConvertible {
        var url: URL
        var scope: String?
        var side: Int?
        var transformers: [String] = []

        var description: String { "\(url) scope \(scope ?? "-") side \(side ?? 0) transformers \(transformers)" }

        var context: WebImageContext {
            var context: WebImageContext = [.storeCacheType: ImageCacheType.all, .imageCoder: ColourCoder()]
            if let scope { context[.cacheScope] = scope }
            if let side { context[.imageThumbnailPixelSize] = CGSize(width: side, height: side) }
            let steps = transformers.map { AddingTransformer(transformerKey: $0) }
            if steps.count == 1 { context[.imageTransformer] = steps[0] }
            if steps.count > 1 { context[.imageTransformer] = ImagePipelineTransformer(transformers: steps) }
            return context
        }

        /// Returns the number of the original. The number depends on URL and scope, as a server's response does.
        func original(_ numbers: [String: Int]) -> Int { numbers["\(url.absoluteString) \(scope ?? "-")"] ?? -1 }
    }

    /// Generates tuples from a small set of parts, so that different tuples often have the same key string.
    struct Generator {
        var random: SeededRandom
        private(set) var seen: [Tuple] = []
        let keys = WebImageManager(cache: FakeImageCache(), loader: FakeDataLoader())

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &random)]
        }

        mutating func tuple() -> Tuple {
            let base = pick([
                "https://host/a.png", "https://host/b%2Fc.png", "https://host/b/c.png", "https://host/ü.png",
                "https://host/%C3%BC.png", "https://host/a", "https://host/a.png?x=1", "file:///a.png",
                "https://host/a.b/c", "https://user@host/a.png", "https://host/a%23scope=alice.png",
            ])
            let fragment = pick(["", "", "", "#1", "#scope=alice", "#scope=", "#-Thumbnail({10,10},1)", "#.png"])
            var url = EntryFixture.url(base + fragment)
            // Sometimes use a URL that equals the key string of an earlier tuple.
            if !seen.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                let other = pick(seen)
                if let key = keys.cacheKey(for: other.url, context: other.context), let known = URL(string: key) {
                    url = known
                }
            }
            let tuple = Tuple(
                url: url, scope: pick([nil, nil, "alice", "bob", "", "alice#scope=bob"]), side: pick([nil, 10, 20]),
                transformers: pick([[], [], ["One"], ["Two"], ["One", "Two"], ["One-Two"], ["Thumbnail({10,10},1)"]]))
            seen.append(tuple)
            return tuple
        }
    }

    /// Returns the colour and size that the image of the tuple must have. `number` is the number of the tuple's
    /// original.
    private func expected(_ tuple: Tuple, _ number: Int) -> Shown {
        Shown(
            red: UInt8(number >> 8), green: UInt8(number & 255),
            blue: tuple.transformers.joined(separator: "-").utf8.reduce(0) { $0 &+ $1 }, side: tuple.side ?? 40)
    }

    struct Shown: Equatable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
        var side: Int

        init(red: UInt8, green: UInt8, blue: UInt8, side: Int) {
            (self.red, self.green, self.blue, self.side) = (red, green, blue, side)
        }

        init(_ image: Image) {
            let bytes = image.pixels.withUnsafeBytes { Array($0.prefix(4)) }
            self.init(red: bytes[2], green: bytes[1], blue: bytes[0], side: image.pixelSize.width)
        }
    }

    @Test(arguments: ["memory", "disk", "disk, synchronous", "running work"])
    func loadNeverReceivesTheImageOfAnotherKey(path: String) async throws {
        let random = SeededRandom.printingSeed()
        let seed = random.seed
        var generator = Generator(random: random)
        let tuples = Array(Set((0..<160).map { _ in generator.tuple() }))
        let numbers = NumberedOrigin()
        var fixture = try OriginFixture(numbers)
        if path == "running work" {
            try await withThrowingTaskGroup(of: (Tuple, Shown).self) { group in
                for tuple in tuples {
                    group.addTask { [fixture] in (tuple, Shown(try await fixture.load(tuple, []))) }
                }
                for try await (tuple, shown) in group {
                    #expect(shown == expected(tuple, numbers.number(tuple.url, tuple.scope)), "\(tuple), seed \(seed)")
                }
            }
        }
        for tuple in tuples {
            let shown = Shown(try await fixture.load(tuple, .waitStoreCache))
            #expect(shown == expected(tuple, numbers.number(tuple.url, tuple.scope)), "\(tuple), seed \(seed)")
        }
        let options: WebImageOptions = path == "disk, synchronous" ? .queryDiskDataSync : []
        for tuple in tuples {
            if path.hasPrefix("disk") { fixture.cache.clearMemory() }
            let shown = Shown(try await fixture.load(tuple, options))
            #expect(shown == expected(tuple, numbers.number(tuple.url, tuple.scope)), "\(tuple), seed \(seed)")
        }
        fixture = try OriginFixture(numbers)
    }

    @Test func failureIsRememberedOnlyForItsURLAndScope() async throws {
        let random = SeededRandom.printingSeed()
        let seed = random.seed
        var generator = Generator(random: random)
        let tuples = Array(Set((0..<120).map { _ in generator.tuple() }))
        let fixture = try OriginFixture(NumberedOrigin())
        var failed: Set<String> = []
        for round in 0..<3 {
            for (index, tuple) in tuples.enumerated() {
                let name = "\(tuple.url.absoluteString) \(tuple.scope ?? "-")"
                // A retry that succeeds stores a picture while the failures of other URLs are remembered.
                let retries = (index + round) % 3 == 2
                let fails = !retries && (index + round) % 2 == 0 && !failed.contains(name)
                fixture.origin.fails(fails)
                let options: WebImageOptions = retries ? [.fromLoaderOnly, .retryFailed] : .fromLoaderOnly
                let result = await Result { try await fixture.load(tuple, options) }
                if retries {
                    failed.remove(name)
                } else if fails {
                    failed.insert(name)
                }
                let isFailure = (try? result.get()) == nil
                #expect(isFailure == failed.contains(name), "\(tuple), round \(round), seed \(seed)")
            }
        }
    }

    enum ProgramStore: CaseIterable {
        case saved, image, data, dataOnDisk
    }

    /// A URL, a scope of it, and the URL whose text is the key of this scope have failed. A program stores a picture under
    /// one of the two texts, also after loads have stored pictures under both.
    @Test(arguments: ProgramStore.allCases, [false, true])
    func storedPictureForgetsOnlyTheFailureOfItsURL(way: ProgramStore, isScopeText: Bool) async throws {
        let fixture = try OriginFixture(NumberedOrigin())
        let plain = EntryFixture.url("https://host/a.png")
        let key = try #require(fixture.manager.cacheKey(for: plain, context: Tuple(url: plain, scope: "alice").context))
        let text = EntryFixture.url(key)
        try #require(text.absoluteString == key)
        let tuples = [plain, text].flatMap { url in [nil, "alice"].map { Tuple(url: url, scope: $0) } }
        fixture.origin.fails(true)
        for tuple in tuples { _ = await Result { try await fixture.load(tuple, .fromLoaderOnly) } }
        fixture.origin.fails(false)
        // Loads of other pictures with the same key texts.
        _ = try await fixture.load(Tuple(url: plain, scope: "alice", side: 10), [.fromLoaderOnly, .retryFailed])
        fixture.origin.fails(true)
        _ = await Result { try await fixture.load(tuples[1], [.fromLoaderOnly, .retryFailed]) }
        fixture.origin.fails(false)
        #expect(fixture.manager.failure(of: plain) != nil && fixture.manager.failure(of: text) != nil)

        let url = isScopeText ? text : plain
        let image = try TestImages.solid(width: 4, height: 4, blue: 1, green: 2, red: 3)
        let data = Data("C 7".utf8)
        switch way {
        case .saved: fixture.manager.saveImage(toCache: image, for: url)
        case .image: fixture.cache.storeImage(image, forKey: url.absoluteString)
        case .data: fixture.cache.storeImageData(data, forKey: url.absoluteString)
        case .dataOnDisk: fixture.cache.storeImageDataToDisk(data, forKey: url.absoluteString)
        }
        for tuple in tuples {
            let result = await Result { try await fixture.load(tuple, .fromLoaderOnly) }
            let isForgotten = (try? result.get()) != nil
            #expect(isForgotten == (tuple.url == url && tuple.scope == nil), "\(tuple)")
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// A server that numbers its originals by URL and scope.
final class NumberedOrigin: ImageLoader {
    private let state = Locked((numbers: [String: Int](), fails: false))

    func number(_ url: URL, _ scope: String?) -> Int {
        state.withLock { state in
            let name = "\(url.absoluteString) \(scope ?? "-")"
            if let known = state.numbers[name] { return known }
            state.numbers[name] = state.numbers.count + 1
            return state.numbers.count
        }
    }

    func fails(_ value: Bool) { state.withLock { $0.fails = value } }

    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { true }

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        if state.withLock({ $0.fails }) { throw WebImageError(.badImageData, stage: .download, url: load.url) }
        let number = number(load.url, load.context?[.cacheScope] as? String)
        return ImageDataResult(data: Data("C \(number)".utf8), response: WebImageResponse(url: load.url))
    }
}

/// A coder that decodes `C` and a number to an image of 40 × 40 px. The red and green values of the image represent the
/// number. The coder encodes an image as this number, the blue value and the width of the image.
struct ColourCoder: ImageCoder {
    func canDecode(from data: Data) -> Bool { data.first == UInt8(ascii: "C") }
    func canEncode(to format: ImageFormat) -> Bool { true }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        let words = Self.words(data)
        let side = words.count > 2 ? words[2] : 40
        return ImageInfo(format: .png, storedSize: PixelSize(width: side, height: side))
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let words = Self.words(data)
        guard let number = words.first else { throw .badData("colour", "no number") }
        let size = options.targetSize(for: try imageInfo(of: data, limits: options.limits).pixelSize)
        let image = try TestImages.solid(
            width: size.width, height: size.height, blue: words.count > 1 ? UInt8(words[1]) : 0,
            green: UInt8(number & 255), red: UInt8(number >> 8 & 255))
        return image
    }

    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        let shown = KeyFamilyTests.Shown(image)
        return Data("C \(Int(shown.red) << 8 | Int(shown.green)) \(shown.blue) \(image.pixelSize.width)".utf8)
    }

    private static func words(_ data: Data) -> [Int] {
        String(decoding: data, as: UTF8.self).split(separator: " ").dropFirst().compactMap { Int($0) }
    }
}

/// A transformer that adds the bytes of its key to the blue value of the image.
struct AddingTransformer: ImageTransformer {
    let transformerKey: String

    func transformedImage(with image: Image, forKey key: String) -> Image? {
        let shown = KeyFamilyTests.Shown(image)
        let separator: UInt8 = shown.blue == 0 ? 0 : UInt8(ascii: "-")
        return try? TestImages.solid(
            width: image.pixelSize.width, height: image.pixelSize.height,
            blue: shown.blue &+ separator &+ transformerKey.utf8.reduce(0) { $0 &+ $1 }, green: shown.green,
            red: shown.red)
    }
}

/// A manager with a real cache and a numbered origin.
final class OriginFixture: Sendable {
    private let scratch: ScratchFolder
    let origin: NumberedOrigin
    let cache: ImageCache
    let manager: WebImageManager

    init(_ origin: NumberedOrigin) throws {
        scratch = try ScratchFolder()
        self.origin = origin
        cache = ImageCache(namespace: "default", diskCacheDirectory: scratch.url.path)
        manager = WebImageManager(cache: cache, loader: origin)
    }

    func load(_ tuple: KeyFamilyTests.Tuple, _ options: WebImageOptions) async throws -> Image {
        try await manager.image(for: tuple.url, options: options, context: tuple.context)
    }
}
