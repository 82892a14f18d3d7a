import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests the record that the index stores for each entry. A record contains the attributes of the entry.
@Suite(.timeLimit(minutes: 1))
struct RecordTests {
    let folder: ScratchFolder
    private let now = Locked(Date(timeIntervalSince1970: 1_000_000))

    init() throws { folder = try ScratchFolder() }

    private func open() throws -> DiskCache {
        let now = now
        return try #require(
            DiskCache(cachePath: folder.path + "/cache", config: ImageCacheConfig()) { now.withLock { $0 } })
    }

    private func record(_ key: EntryKey, _ bytes: UInt8, expires: Date? = nil) -> EntryRecord {
        var record = EntryRecord(EntryIdentity(key: key, version: ContentDigest(Data([bytes]))), attributes: nil)
        record.expires = expires
        return record
    }

    private func thumbnail(_ side: Double) -> EntryKey {
        EntryKey(
            source: "a", thumbnail: EntryKey.Box(CGSize(width: side, height: side), preservesAspectRatio: true),
            string: "a-\(side)")
    }

    @Test(arguments: [false, true])
    func recordRoundTrips(isReopened: Bool) throws {
        let key = EntryKey(source: "a", scope: "alice", transformer: "Blur", page: 3, string: "a-Blur")
        var stored = record(key, 1, expires: Date(timeIntervalSince1970: 2_000_000))
        stored.attributes = VariantAttributes(stored: Data("transformed options=8 box=10x20 limit=30".utf8))
        var cache = try open()
        cache.setData(Data([1, 2]), forKey: "a-Blur", record: stored, metadata: nil)
        if isReopened {
            cache.flush()
            cache = try open()
        }
        #expect(cache.record(forKey: "a-Blur") == stored)
        #expect(cache.entry(forKey: "a-Blur")?.record == stored && cache.data(forKey: "a-Blur") == Data([1, 2]))
        #expect(cache.record(forKey: "b") == nil)
    }

    /// An entry is read together with its record, metadata and extended data. The test reads entries before and after
    /// the commit, and after changes of these parts.
    @Test(arguments: [false, true])
    func entryIsReadWithItsRecordMetadataAndExtendedData(isCommitted: Bool) throws {
        let cache = try open()
        cache.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1), metadata: nil)
        cache.setMetadata(Data([2]), forKey: "a")
        cache.setExtendedData(Data([3]), forKey: "a")
        if isCommitted { cache.flush() }
        let entry = try #require(cache.entry(forKey: "a"))
        #expect(entry.data == Data([1]) && entry.metadata == Data([2]) && entry.extended == Data([3]))
        cache.setMetadata(Data([4]), forKey: "a")
        cache.setExtendedData(nil, forKey: "a")
        let changed = try #require(cache.entry(forKey: "a"))
        #expect(changed.metadata == Data([4]) && changed.extended == nil)
        cache.setData(Data([5]), forKey: "a", record: record(.shared("a"), 2), metadata: nil)
        cache.setData(Data([6]), forKey: "b", record: record(.shared("b"), 1), metadata: Data([7]))
        for _ in 0..<2 {
            #expect(cache.entry(forKey: "b")?.metadata == Data([7]))
            let replaced = try #require(cache.entry(forKey: "a"))
            #expect(replaced.data == Data([5]) && replaced.metadata == nil && replaced.extended == nil)
            cache.flush()
        }
    }

    @Test func recordAndMetadataAreReadDuringTheCommit() throws {
        let cache = try open()
        cache.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1), metadata: nil)
        cache.flush()
        let wrong = Locked(0)
        for number in 0..<400 {
            let metadata = Data("\(number)".utf8)
            cache.setMetadata(metadata, forKey: "a")
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { return cache.flush() }
                if cache.entry(forKey: "a")?.metadata != metadata { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func storingByStringReplacesTheRecord() throws {
        let cache = try open()
        cache.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1), metadata: nil)
        cache.flush()
        cache.setData(Data([2]), forKey: "a")
        #expect(cache.record(forKey: "a") == .named)
        cache.flush()
        #expect(cache.record(forKey: "a") == .named)
    }

    @Test func aNewVersionRemovesVariantsOfOlderOnes() throws {
        let cache = try open()
        cache.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1), metadata: nil)
        cache.setData(Data([1]), forKey: "a-10", record: record(thumbnail(10), 1), metadata: nil)
        cache.setData(Data([1]), forKey: "a-20", record: record(thumbnail(20), 1), metadata: nil)
        let other = record(EntryKey(source: "b", transformer: "T", string: "b-T"), 1)
        cache.setData(Data([1]), forKey: "b-T", record: other, metadata: nil)
        cache.flush()
        #expect(cache.totalCount() == 4)
        cache.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1), metadata: nil)
        #expect(cache.totalCount() == 4, "storing the same version again removed an entry")
        cache.setData(Data([2]), forKey: "a", record: record(.shared("a"), 2), metadata: nil)
        #expect(cache.totalCount() == 2 && cache.totalSize() == 2)
        #expect(cache.data(forKey: "a-10") == nil && cache.data(forKey: "b-T") == Data([1]))
        // Not only a new original but also a new variant removes older variants of the same source.
        cache.setData(Data([3]), forKey: "a-20", record: record(thumbnail(20), 2), metadata: nil)
        cache.flush()
        cache.setData(Data([3]), forKey: "a-30", record: record(thumbnail(30), 3), metadata: nil)
        cache.flush()
        #expect(cache.data(forKey: "a-20") == nil && cache.data(forKey: "a-30") == Data([3]))
    }

    /// In this test, all writes have the same time. In a program, writes within one millisecond have the same time.
    @Test func aNewVersionRemovesVariantsThatWereWrittenJustBefore() throws {
        let cache = try open()
        for number in 0..<8 {
            let side = Double(number + 1)
            cache.setData(Data([1]), forKey: "old-\(side)", record: record(thumbnail(side), 1), metadata: nil)
        }
        cache.setData(Data([2]), forKey: "a", record: record(.shared("a"), 2), metadata: nil)
        for number in 0..<8 {
            let side = Double(number + 101)
            cache.setData(Data([2]), forKey: "new-\(side)", record: record(thumbnail(side), 2), metadata: nil)
        }
        #expect(cache.totalCount() == 9)
        #expect(cache.data(forKey: "old-1.0") == nil && cache.data(forKey: "new-101.0") == Data([2]))
    }

    @Test(arguments: [false, true])
    func expiredEntryIsAMiss(isCommitted: Bool) throws {
        let cache = try open()
        let end = now.withLock { $0 } + 60
        cache.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1, expires: end), metadata: nil)
        cache.setData(Data([1]), forKey: "b", record: record(.shared("b"), 1), metadata: nil)
        if isCommitted { cache.flush() }
        #expect(cache.containsData(forKey: "a") && cache.data(forKey: "a") == Data([1]))
        now.withLock { $0 += 60 }
        #expect(!cache.containsData(forKey: "a") && cache.data(forKey: "a") == nil)
        cache.removeExpiredData()
        #expect(cache.totalCount() == 1 && cache.data(forKey: "b") == Data([1]))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0])
    func anyDateIsAcceptedAsExpirationDate(seconds: Double) throws {
        let cache = try open()
        cache.setData(
            Data([1]), forKey: "a", record: record(.shared("a"), 1, expires: Date(timeIntervalSince1970: seconds)),
            metadata: nil)
        cache.flush()
        #expect((cache.data(forKey: "a") != nil) == (seconds > 1e9))
    }

    @Test(arguments: [
        "UPDATE entry SET kind = 99", "UPDATE entry SET identity = zeroblob(3)", "UPDATE entry SET identity = NULL",
        "UPDATE entry SET identity = 'text'",
    ])
    func invalidRecordReadsAsUnknownIdentity(lie: String) throws {
        var cache: DiskCache? = try open()
        cache?.setData(Data([1]), forKey: "a", record: record(.shared("a"), 1), metadata: nil)
        cache = nil
        try Database(path: folder.path + "/cache/index.sqlite", mode: .readWrite).execute(lie)
        #expect(try open().record(forKey: "a")?.identity == .legacy)
    }
}
