import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// The operations of a cache on its disk layer take effect in the order of the calls, although the image of a store is
/// encoded before its bytes can be written.
@Suite(.timeLimit(minutes: 1))
struct DiskOrderTests {
    private let cache: ImageCache
    private let coder = GateCoder()
    private let pool = DecodePool(width: 2, byteBudget: 1 << 30)
    private let ended = Calls<Int>()
    private static let variant = EntryKey(source: "key", transformer: "grey", string: "key-grey")
    private var key: String { Self.variant.string }

    init() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        config.decodePool = pool
        cache = ImageCache(namespace: "order", diskCacheDirectory: "/nowhere", config: config)
    }

    /// Stores an image whose width identifies it, with bytes that the coder makes.
    private func store(_ width: Int, as entry: EntryKey = variant) {
        cache.storeImage(
            picture(width: width), imageData: nil, forKey: entry.string, options: [],
            values: RequestContext([.imageCoder: coder]), identity: EntryIdentity(key: entry), cacheType: .disk,
            callbacks: .invoking
        ) { [ended] in ended.append(width) }
    }

    private static func data(_ width: Int) -> Data { ToyCoder.data(width: width, height: 1) }

    /// Opens the gates, and waits until the pool and the disk queue are idle.
    private func settle() async {
        coder.openAll()
        #expect(await eventually { pool.runningCount == 0 })
        await cache.disk.run { _ in }
    }

    enum Removal: CaseIterable {
        case image, imageFromDisk, clear, clearDisk, variants

        func remove(_ key: String, from cache: ImageCache) async {
            switch self {
            case .image: cache.removeImage(forKey: key, withCompletion: nil)
            case .imageFromDisk: cache.removeImageFromDisk(forKey: key)
            case .clear: cache.clear(with: .disk, completion: nil)
            case .clearDisk: await cache.clearDisk()
            case .variants: await cache.removeVariants(of: DiskOrderTests.variant.sourceFingerprint, cacheType: .all)
            }
        }
    }

    @Test(arguments: Removal.allCases) func removalEndsEarlierStores(_ removal: Removal) async {
        coder.hold(1)
        store(1)
        await removal.remove(key, from: cache)
        #expect(await cache.diskImageData(forKey: key) == nil)
        #expect(ended.all == [1])
        await settle()
        #expect(await cache.diskImageData(forKey: key) == nil)
        #expect(ended.all == [1])
    }

    @Test(arguments: Removal.allCases) func storeAfterARemovalIsWritten(_ removal: Removal) async {
        coder.hold(1, 2)
        store(1)
        await removal.remove(key, from: cache)
        store(2)
        await settle()
        #expect(await cache.diskImageData(forKey: key) == Self.data(2))
        #expect(ended.all.sorted() == [1, 2])
    }

    @Test func removalOfOtherEntriesEndsNoStore() async {
        let scoped = EntryKey(source: "key", scope: "a", transformer: "grey", string: "key-grey#scope=a")
        coder.hold(1)
        store(1, as: scoped)
        await cache.removeVariants(of: Self.variant.sourceFingerprint, cacheType: .all)
        cache.removeImageFromDisk(forKey: key)
        cache.removeImageFromDisk(forKey: "key-grey#scope=b")
        cache.removeCorruptDiskEntry(forKey: scoped.string)
        #expect(ended.all.isEmpty)
        await settle()
        #expect(await cache.diskImageData(forKey: scoped.string) == Self.data(1))
    }

    @Test func encodedImageNeverReplacesALaterOne() async {
        coder.hold(1)
        store(1)
        store(2)
        #expect(await cache.diskImageData(forKey: key) == Self.data(2))
        await settle()
        #expect(await cache.diskImageData(forKey: key) == Self.data(2))
        #expect(ended.all.sorted() == [1, 2])
    }

    @Test(arguments: [false, true]) func encodedImageNeverReplacesLaterBytes(isBlocking: Bool) async {
        coder.hold(1)
        store(1)
        if isBlocking {
            cache.storeImageDataToDisk(Self.data(2), forKey: key)
        } else {
            cache.storeImageData(Self.data(2), forKey: key)
        }
        #expect(await cache.diskImageData(forKey: key) == Self.data(2))
        await settle()
        #expect(await cache.diskImageData(forKey: key) == Self.data(2))
        #expect(ended.all == [1])
    }

    @Test func storeThatCannotBeEncodedLeavesTheEarlierEntry() async {
        coder.hold(1)
        coder.fail(2, 3)
        store(1)
        store(2)
        await settle()
        #expect(await cache.diskImageData(forKey: key) == Self.data(1))
        store(3)
        #expect(await cache.diskImageData(forKey: key) == Self.data(1))
        #expect(ended.all.sorted() == [1, 2, 3])
    }

    enum Read: CaseIterable {
        case query, contains, data, resource, dataBlock, usage, size

        /// Whether the operation finds the entry.
        func finds(_ key: String, in cache: ImageCache, with coder: any ImageCoder) async -> Bool {
            let context: WebImageContext = [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking]
            switch self {
            case .data: return await cache.diskImageData(forKey: key) != nil
            case .resource: return await cache.diskResource(forKey: key) != nil
            case .usage: return await cache.diskUsage().count == 1
            case .query, .contains, .dataBlock, .size: break
            }
            return await withCheckedContinuation { continuation in
                switch self {
                case .query:
                    cache.queryImage(forKey: key, options: [], context: context, cacheType: .disk) { image, _, _ in
                        continuation.resume(returning: image != nil)
                    }
                case .contains:
                    cache.containsImage(forKey: key, cacheType: .disk) { continuation.resume(returning: $0 == .disk) }
                case .dataBlock: cache.readDiskData(forKey: key) { continuation.resume(returning: $0 != nil) }
                default: cache.calculateSize { count, _ in continuation.resume(returning: count == 1) }
                }
            }
        }
    }

    @Test(arguments: Read.allCases) func readWaitsForAnEarlierStore(_ read: Read) async {
        coder.hold(1)
        store(1)
        let finds = Calls<Bool>()
        let reading = Task { [cache, key, coder] in finds.append(await read.finds(key, in: cache, with: coder)) }
        // An operation on another entry does not wait.
        #expect(await cache.diskImageData(forKey: "other") == nil)
        #expect(finds.all.isEmpty)
        coder.openAll()
        await reading.value
        #expect(finds.all == [true] && ended.all == [1])
    }

    @Test func cancelledQueryThatWaitsEndsOnce() async {
        coder.hold(1)
        store(1)
        let calls = Calls<Bool>()
        let query = cache.queryImage(
            forKey: key, options: [], context: [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking],
            cacheType: .disk
        ) { image, _, _ in calls.append(image != nil) }
        await cache.disk.run { _ in }
        query?.cancel()
        #expect(calls.all == [false])
        await settle()
        #expect(await cache.diskImageData(forKey: key) == Self.data(1))
        #expect(calls.all == [false])
    }

    enum BlockingRead: CaseIterable {
        case exists, data, resource, image, query, count, size, flush

        func finds(_ key: String, in cache: ImageCache, _ context: WebImageContext) -> Bool {
            switch self {
            case .exists: return cache.diskImageDataExists(withKey: key)
            case .data: return cache.diskImageDataSync(forKey: key) != nil
            case .resource: return cache.diskResourceSync(forKey: key) != nil
            case .image: return cache.imageFromDiskCache(forKey: key, context: context) != nil
            case .query:
                let found = Locked(false)
                cache.queryImage(forKey: key, options: .queryDiskDataSync, context: context, cacheType: .disk) {
                    image, _, _ in found.withLock { $0 = image != nil }
                }
                return found.withLock { $0 }
            case .count: return cache.totalDiskCount() == 1
            case .size: return cache.totalDiskSize() > 0
            case .flush:
                cache.flush()
                return cache.disk.sync { $0?.containsData(forKey: key) ?? false }
            }
        }
    }

    /// The gate is closed for the threads of the pool, so the operation cannot wait for them.
    @Test(arguments: BlockingRead.allCases) func blockingReadEncodesAnEarlierStore(_ read: BlockingRead) {
        coder.hold(1)
        coder.admit(pthread_self())
        store(1)
        #expect(read.finds(key, in: cache, [.imageCoder: coder]))
        #expect(ended.all == [1])
        coder.openAll()
        #expect(eventually { pool.runningCount == 0 })
        #expect(cache.diskImageDataSync(forKey: key) == Self.data(1) && ended.all == [1])
    }

    @Test func metadataBelongsToTheBytesForWhichItWasStored() async {
        let metadata = Data("etag".utf8)
        coder.hold(1, 2, 3)
        store(1)
        cache.storeMetadata(metadata, forKey: key)
        coder.openAll()
        #expect(await cache.diskResource(forKey: key)?.metadata == metadata)
        coder.hold(2)
        store(2)
        cache.storeMetadata(Data("other".utf8), forKey: key)
        cache.storeImageData(Self.data(3), forKey: key)
        await settle()
        #expect(await cache.diskResource(forKey: key)?.metadata != Data("other".utf8))
    }

    @Test(arguments: 0..<40) func randomOperationsEndAsInOneQueue(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        coder.admit(pthread_self())
        let keys = ["a", "b", "c"]
        var expected: [String: Int] = [:]
        var (stores, last) = (0, 0)
        let reads = Calls<Bool>()
        var started = 0
        for _ in 0..<60 {
            guard let key = keys.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                (last, stores) = (last + 1, stores + 1)
                if Bool.random(using: &random) { coder.hold(last) }
                if Int.random(in: 0..<4, using: &random) == 0 { coder.fail(last) } else { expected[key] = last }
                store(last, as: .shared(key))
            case 4:
                last += 1
                cache.storeImageData(Self.data(last), forKey: key)
                expected[key] = last
            case 5:
                cache.removeImage(forKey: key, withCompletion: nil)
                expected[key] = nil
            case 6:
                cache.clear(with: .disk, completion: nil)
                expected = [:]
            case 7:
                #expect(cache.diskImageDataSync(forKey: key) == expected[key].map(Self.data), "seed \(seed)")
            case 8:
                started += 1
                cache.readDiskData(forKey: key) { _ in reads.append(true) }
            default: coder.open(Int.random(in: 0...last, using: &random))
            }
        }
        coder.openAll()
        cache.flush()
        for key in keys {
            #expect(cache.diskImageDataSync(forKey: key) == expected[key].map(Self.data), "seed \(seed), key \(key)")
        }
        #expect(ended.wait(for: stores).count == stores && reads.wait(for: started).count == started)
        #expect(Set(ended.all).count == stores, "seed \(seed): a completion was called twice")
    }
}

/// Writes the format of ``ToyCoder``. An encode waits until the gate of the image's width is open.
private final class GateCoder: ImageCoder {
    private struct State {
        var closed: [Int: DispatchSemaphore] = [:]
        var failing: Set<Int> = []
        var admitted: pthread_t?
    }

    private let state = Locked(State())
    private let toy = ToyCoder()

    /// Closes the gates of these widths.
    func hold(_ widths: Int...) {
        state.withLock { state in for width in widths { state.closed[width] = DispatchSemaphore(value: 0) } }
    }

    /// Refuses images of these widths.
    func fail(_ widths: Int...) { state.withLock { $0.failing.formUnion(widths) } }

    /// Opens all gates for one thread.
    func admit(_ thread: pthread_t) { state.withLock { $0.admitted = thread } }

    func open(_ width: Int) { state.withLock { $0.closed.removeValue(forKey: width) }?.signal() }

    func openAll() {
        let gates = state.withLock { state in
            defer { state.closed = [:] }
            return state.closed
        }
        for gate in gates.values { gate.signal() }
    }

    func canDecode(from data: Data) -> Bool { toy.canDecode(from: data) }
    func canEncode(to format: ImageFormat) -> Bool { true }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try toy.imageInfo(of: data, limits: limits)
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try toy.decode(data, options: options)
    }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        let width = image.pixelSize.width
        let (gate, admitted) = state.withLock { ($0.closed[width], $0.admitted) }
        if let gate, admitted != pthread_self() {
            gate.wait()
            gate.signal()
        }
        if state.withLock({ $0.failing.contains(width) }) {
            throw WebImageError(.encodingFailed, stage: .encode, underlying: .message("the test refuses this image"))
        }
        return try toy.encode(image, format: format, options: options)
    }
}
