import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// The metadata of a loader consists of validators. Validators apply only to the bytes with which they were received.
@Suite(.timeLimit(minutes: 1))
struct EntryMetadataTests {
    let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws { fixture = try EntryFixture() }

    /// If a reader received the new bytes without their validators, it would fetch the whole image again.
    @Test func readerReceivesNoBytesWithoutTheirMetadata() async throws {
        try fixture.answer(url, blue: 10)
        fixture.loader.metadata = Data("etag".utf8)
        let key = fixture.manager.cacheKey(for: url)
        try await fixture.load(url)
        let isOver = Locked(false)
        let cache = fixture.cache
        let reads = Task {
            var (all, bare) = (0, 0)
            while !isOver.withLock({ $0 }) {
                guard let found = await cache.diskResource(forKey: key) else { continue }
                all += 1
                if found.metadata != Data("etag".utf8) { bare += 1 }
            }
            return (all: all, bare: bare)
        }
        for _ in 0..<300 { try await fixture.load(url, .fromLoaderOnly) }
        isOver.withLock { $0 = true }
        let count = await reads.value
        #expect(count.all > 0)
        #expect(count.bare == 0, "\(count.bare) of \(count.all) reads")
    }

    /// If bytes were stored with the validators of other bytes, the server could confirm bytes that it no longer
    /// serves.
    @Test func metadataOfAnotherVersionIsNotStored() async throws {
        let cache = fixture.cache
        cache.storeImageData(Data([1]), metadata: Data("etag 1".utf8), forKey: "key")
        let first = try #require(await cache.diskResource(forKey: "key"))
        #expect(first.metadata == Data("etag 1".utf8))
        cache.storeImageData(Data([2]), metadata: Data("etag 2".utf8), forKey: "key")
        cache.storeMetadata(Data("etag 1".utf8), forKey: "key", version: first.record?.version)
        let second = try #require(await cache.diskResource(forKey: "key"))
        #expect(second.data == Data([2]) && second.metadata == Data("etag 2".utf8))
        cache.storeMetadata(Data("etag 3".utf8), forKey: "key", version: second.record?.version)
        #expect(await cache.diskResource(forKey: "key")?.metadata == Data("etag 3".utf8))
    }
}
