import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageLoading

/// A cache that records its calls. A query completes at once, or when the test calls `answer`.
final class ScriptedCache: ImageCaching {
    struct State {
        var queries: [@Sendable (ImageCacheHit?) -> Void] = []
        var cancels = 0
        var asked: [String] = []
        var stored: [ImageCacheType] = []
    }
    let state = Locked(State())
    let answersAtOnce: Bool

    init(answersAtOnce: Bool = false) { self.answersAtOnce = answersAtOnce }

    func answer(_ image: Image?, _ type: ImageCacheType) {
        let waiting = state.withLock { state in
            defer { state.queries = [] }
            return state.queries
        }
        for query in waiting { query(ImageCacheHit(image: image, layer: type)) }
    }

    private func note(_ what: String) { state.withLock { $0.asked.append(what) } }

    func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        note("query")
        if answersAtOnce { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.queries.append { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            state.withLock { $0.cancels += 1 }
        }
    }

    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        note("store")
        state.withLock { $0.stored.append(request.layers) }
    }

    func remove(_ key: String, from layers: ImageCacheType) async { note("remove") }

    func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        note("contains")
        return .none
    }

    func removeAll(from layers: ImageCacheType) async { note("clear") }
}

@Suite(.timeLimit(minutes: 1))
struct ImageCachesManagerTests {
    let low = ImageCachesManagerTests.cache("cache1")
    let high = ImageCachesManagerTests.cache("cache2")
    let manager: ImageCachesManager
    let context: WebImageContext = [.imageCoder: ToyCoder(), .callbackQueue: CallbackQueue.invoking]

    init() { manager = ImageCachesManager(caches: [low, high]) }

    static func cache(_ name: String) -> ImageCache {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        return ImageCache(namespace: name, diskCacheDirectory: "/nowhere", config: config)
    }

    func set(_ policy: ImageCachesManagerOperationPolicy) {
        manager.queryOperationPolicy = policy
        manager.storeOperationPolicy = policy
        manager.removeOperationPolicy = policy
        manager.containsOperationPolicy = policy
        manager.clearOperationPolicy = policy
    }

    func query(_ key: String? = "key", _ type: ImageCacheType = .all) -> Calls<(image: Image?, type: ImageCacheType)> {
        let calls = Calls<(image: Image?, type: ImageCacheType)>()
        _ = manager.queryImage(forKey: key, options: [], context: context, cacheType: type) { image, _, type in
            calls.append((image, type))
        }
        return calls
    }

    func store(_ image: Image, _ type: ImageCacheType) -> Int {
        let calls = Calls<Bool>()
        manager.storeImage(
            image, imageData: ToyCoder.data(width: 2, height: 2), forKey: "key", options: [], context: context,
            cacheType: type
        ) { calls.append(true) }
        return calls.wait().count
    }

    func contains(_ key: String? = "key", _ type: ImageCacheType = .all) -> [ImageCacheType] {
        let calls = Calls<ImageCacheType>()
        manager.containsImage(forKey: key, cacheType: type) { calls.append($0) }
        return calls.wait()
    }

    @Test func defaultsAreTheOriginals() {
        let manager = ImageCachesManager()
        #expect(manager.queryOperationPolicy == .serial)
        #expect(manager.storeOperationPolicy == .highestOnly)
        #expect(manager.removeOperationPolicy == .concurrent)
        #expect(manager.containsOperationPolicy == .serial)
        #expect(manager.clearOperationPolicy == .concurrent)
        #expect((manager.caches?.first as? ImageCache) === ImageCache.shared)
    }

    /// The last answer, a miss, arrives while the fan-out still checks an earlier hit. In a program, two threads can
    /// deliver these two answers concurrently. The hit must be delivered.
    @Test func concurrentHitIsDeliveredWhenAMissArrivesBesideIt() {
        let fanOut = CacheFanOut(caches: [low, high].map(RegisteredCache.init), isSerial: false)
        let answers = Calls<@Sendable (ImageCacheType) -> Void>()
        let ends = Calls<ImageCacheType?>()
        fanOut.ask(
            isEnough: { (type: ImageCacheType) in
                if type == .memory { answers.all[1](.none) }
                return type != .none
            },
            { _, _, answer in answers.append(answer) }, end: { ends.append($0) })
        answers.all[0](.memory)
        #expect(ends.all == [.memory])
    }

    @Test func onlyTheNamedCacheIsUsed() {  // SDImageCacheTests.test55SDImageCachesManagerOperationPolicySimple
        for (policy, used, other) in [
            (ImageCachesManagerOperationPolicy.lowestOnly, low, high), (.highestOnly, high, low),
        ] {
            set(policy)
            #expect(query(type: .memory).all.first?.image == nil)
            let image = picture()
            #expect(store(image, .memory) == 1)
            #expect(used.imageFromMemoryCache(forKey: "key") === image)
            #expect(other.imageFromMemoryCache(forKey: "key") == nil)
            #expect(contains("key", .memory) == [.memory])
            #expect(query(type: .memory).all.first?.image === image)
            let calls = Calls<Bool>()
            manager.removeImage(forKey: "key", cacheType: .memory) { calls.append(true) }
            #expect(used.imageFromMemoryCache(forKey: "key") == nil)
            manager.clear(with: .memory) { calls.append(true) }
            #expect(calls.all.count == 2)
        }
    }

    private func query(type: ImageCacheType) -> Calls<(image: Image?, type: ImageCacheType)> { query("key", type) }

    @Test  // SDImageCacheTests.test56SDImageCachesManagerOperationPolicyConcurrent
    func concurrentContainsUsesTheFastestAnswer() {
        set(.concurrent)
        #expect(query().wait().first?.image == nil)
        low.storeImageToMemory(picture(), forKey: "key")
        high.storeImageDataToDisk(ToyCoder.data(width: 2, height: 2), forKey: "key")
        // Each of the two caches can be the first to answer. Only the first answer is delivered.
        let answers = contains()
        #expect(answers == [.memory] || answers == [.disk])
        #expect(query().wait().count == 1)
        let calls = Calls<Bool>()
        manager.removeImage(forKey: "key", cacheType: .all) { calls.append(true) }
        manager.clear(with: .all) { calls.append(true) }
        #expect(calls.wait(for: 2).count == 2)
        #expect(contains() == [.none])
    }

    @Test  // SDImageCacheTests.test57SDImageCachesManagerOperationPolicySerial
    func serialContainsQueriesTheHighestCacheFirst() {
        set(.serial)
        low.storeImageToMemory(picture(), forKey: "key")
        high.storeImageDataToDisk(ToyCoder.data(width: 2, height: 2), forKey: "key")
        #expect(contains() == [.disk])
        high.removeImageFromDisk(forKey: "key")
        #expect(contains() == [.memory])
    }

    @Test func containsFollowsItsOwnPolicy() {
        set(.highestOnly)
        low.storeImageToMemory(picture(), forKey: "key")
        manager.clearOperationPolicy = .lowestOnly
        #expect(contains() == [.none])
        manager.containsOperationPolicy = .lowestOnly
        manager.clearOperationPolicy = .highestOnly
        #expect(contains() == [.memory])
    }

    @Test(arguments: [ImageCachesManagerOperationPolicy.serial, .concurrent])
    func storeReachesEveryCache(policy: ImageCachesManagerOperationPolicy) {
        set(policy)
        let image = picture()
        #expect(store(image, .all) == 1)
        for cache in [low, high] {
            #expect(cache.imageFromMemoryCache(forKey: "key") === image)
            #expect(cache.diskImageDataExists(withKey: "key"))
        }
    }

    @Test(arguments: [ImageCachesManagerOperationPolicy.serial, .concurrent, .highestOnly, .lowestOnly])
    func everythingCompletesExactlyOnceWithoutAKeyAndWithoutCaches(policy: ImageCachesManagerOperationPolicy) {
        set(policy)
        for caches in [[low, high], []] as [[ImageCache]] {
            manager.caches = caches
            for key in caches.isEmpty ? ["key", nil] : [nil] {
                let calls = Calls<String>()
                _ = manager.queryImage(forKey: key, options: [], context: context, cacheType: .all) { _, _, type in
                    calls.append("query \(type)")
                }
                manager.storeImage(
                    picture(), imageData: nil, forKey: key, options: [], context: context, cacheType: .all
                ) { calls.append("store") }
                manager.removeImage(forKey: key, cacheType: .all) { calls.append("remove") }
                manager.containsImage(forKey: key, cacheType: .all) { calls.append("contains \($0)") }
                #expect(calls.wait(for: 4).sorted() == ["contains none", "query none", "remove", "store"])
            }
        }
        manager.caches = nil
        let calls = Calls<Bool>()
        manager.clear(with: .all) { calls.append(true) }
        #expect(calls.all.count == 1)
    }

    @Test(arguments: [ImageCachesManagerOperationPolicy.serial, .concurrent])
    func cancelCompletesOnceAndQueriesNoFurtherCache(policy: ImageCachesManagerOperationPolicy) {
        let (first, second) = (ScriptedCache(), ScriptedCache())
        manager.caches = [first, second]
        set(policy)
        let calls = Calls<ImageCacheType>()
        let token = manager.queryImage(forKey: "key", options: [], context: context, cacheType: .all) {
            image, _, type in
            #expect(image == nil)
            calls.append(type)
        }
        #expect(calls.all.isEmpty)
        token?.cancel()
        token?.cancel()
        #expect(calls.all == [.none])
        second.answer(picture(), .memory)
        first.answer(picture(), .memory)
        #expect(calls.all == [.none])
        #expect(second.state.withLock { $0.cancels } == 1)
        #expect(first.state.withLock { $0.asked.count } == (policy == .serial ? 0 : 1))
    }

    @Test func firstAnswerIsUsedAndOtherQueriesAreCancelled() {
        let (first, second) = (ScriptedCache(), ScriptedCache())
        manager.caches = [first, second]
        set(.concurrent)
        let calls = query()
        let image = picture()
        first.answer(image, .disk)
        #expect(calls.wait().count == 1)
        second.answer(picture(), .memory)
        #expect(calls.all.first?.image === image)
        #expect(calls.all.first?.type == .disk)
        #expect(second.state.withLock { $0.cancels } == 1)
    }

    @Test(arguments: [false, true])
    func higherCachesAreFilledOnlyOnRequest(asked: Bool) {
        let missing = ScriptedCache(answersAtOnce: true)
        manager.caches = [low, missing]
        manager.fillsHigherCaches = asked
        low.storeImageToMemory(picture(), forKey: "key")
        #expect(query().wait().first?.type == .memory)
        #expect(missing.state.withLock { $0.stored } == (asked ? [.memory] : []))
    }

    @Test func cachesAreAddedAboveAndRemovedByIdentity() {
        manager.removeCache(low)
        #expect(manager.caches?.count == 1)
        manager.addCache(low)
        manager.containsOperationPolicy = .highestOnly
        low.storeImageToMemory(picture(), forKey: "key")
        #expect(contains() == [.memory])
    }
}
