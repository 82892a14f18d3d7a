import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageS3

/// The client and the tier against a real store that checks signatures. A store takes seconds to start, so each test
/// checks several facts.
@Suite(
    .enabled(if: SeaweedServer.isAvailable, "SeaweedFS is not installed (Scripts/setup tiers)"), .serialized,
    .timeLimit(minutes: 4))
struct S3ServerTests {
    private let budget = Sanitizer.time(Duration.seconds(20))

    private func client(
        _ server: SeaweedServer, bucket: String = "pictures", change: (inout S3Configuration) -> Void = { _ in }
    ) throws -> S3Client {
        var configuration = try S3Configuration(bucket: bucket, endpoint: server.endpoint)
        configuration.credentials = .fixed(S3Credentials(keyID: server.keyID, secret: server.secret))
        change(&configuration)
        return S3Client(configuration)
    }

    private func started() async throws -> (SeaweedServer, S3Client) {
        let server = try SeaweedServer()
        let client = try client(server)
        // The store accepts connections before it can serve requests.
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(40))
        while case .failure = await client.makeBucket(within: .seconds(2)), ContinuousClock.now < deadline {}
        return (server, client)
    }

    @Test func objectsAreStoredReadListedAndRemovedUnderEverySignature() async throws {
        let (server, client) = try await started()
        defer { server.stop() }
        defer { client.shutDown() }

        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let tag = try #require(try await client.put(data, at: "a/1", within: budget).get())
        let object = try await client.get("a/1", within: budget).get()
        #expect(object.data == data && object.tag == tag)
        #expect(try await client.get("a/1", unless: tag, within: budget).get().isNotModified)
        let part = try await client.get("a/1", range: 10..<30, within: budget).get()
        #expect(part.data == data[10..<30] && part.wholeSize == data.count)
        #expect(await client.get("a/1", range: 200_000..<200_001, within: budget).failure?.status == 416)
        #expect(await client.get("a/1", most: 99_999, within: budget).failure == .tooLarge)
        #expect(await client.get("a/2", within: budget).failure == .missing)
        // libcurl would send the request for "b".
        _ = try await client.put(Data("b".utf8), at: "b", within: budget).get()
        #expect(await client.get("a/../b", within: budget).failure == .unconfigured("an object's name makes no URL"))

        // Names whose canonical form differs from their text.
        let names = ["a b+c", "ü/é", "x=1&y@2", "~!*'()", "100%", "a//b"]
        for name in names {
            _ = try await client.put(Data(name.utf8), at: "names/\(name)", within: budget).get()
            #expect(try await client.get("names/\(name)", within: budget).get().data == Data(name.utf8))
        }
        let listed = try await client.list(prefix: "names/", within: budget).get()
        // Some stores reduce two slashes to one.
        #expect(Set(listed.entries.map(\.key)).isSuperset(of: names.dropLast().map { "names/\($0)" }))

        for number in 0..<5 { _ = try await client.put(Data([1]), at: "pages/\(number)", within: budget).get() }
        var (found, token, pages) = ([String](), String?.none, 0)
        repeat {
            let page = try await client.list(prefix: "pages/", after: token, most: 2, within: budget).get()
            found += page.entries.map(\.key)
            (token, pages) = (page.next, pages + 1)
            #expect(page.entries.allSatisfy { abs(($0.stored ?? 0) - Date().timeIntervalSince1970) < 600 })
        } while token != nil && pages < 9
        #expect(found == (0..<5).map { "pages/\($0)" })

        try await client.remove(found, within: budget).get()
        try await client.remove("pages/nothing", within: budget).get()
        #expect(try await client.list(prefix: "pages/", within: budget).get().entries.isEmpty)

        let wrong = try self.client(server) {
            $0.credentials = .fixed(S3Credentials(keyID: server.keyID, secret: "wrong"))
        }
        defer { wrong.shutDown() }
        #expect(await wrong.get("a/1", within: budget).failure == .forbidden(code: "SignatureDoesNotMatch"))
        let elsewhere = try self.client(server, bucket: "no-such-bucket")
        defer { elsewhere.shutDown() }
        #expect(await elsewhere.get("a/1", within: budget).failure != nil)
    }

    @Test func loaderReadsObjectsInPartsAndRevalidatesThem() async throws {
        let (server, client) = try await started()
        defer { server.stop() }
        defer { client.shutDown() }
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        for name in ["public/a b.png", "private/a.png"] {
            _ = try await client.put(data, at: name, within: budget).get()
        }
        _ = try await client.put(Data(), at: "public/empty", within: budget).get()
        var configuration = client.configuration
        (configuration.prefix, configuration.partBytes) = ("public", 16_384)
        let loader = S3ImageLoader([configuration], within: budget)
        let url = try #require(URL(string: "s3://pictures/public/a%20b.png"))
        #expect(loader.canLoad(ImageDataLoad(url: url)))

        let seen = Locked([Int]())
        let first = try await loader.loadData(for: ImageDataLoad(url: url)) { received, size, _ in
            #expect(size == data.count)
            seen.withLock { $0.append(received) }
        }
        #expect(first.data == data && !first.isNotModified && first.response.statusCode == 200)
        #expect(first.response.value(forHTTPHeaderField: "content-range") == nil)
        // Seven parts, then the whole.
        #expect(seen.withLock { $0.count == 8 && $0.first == 16_384 && $0.last == data.count && $0 == $0.sorted() })

        // An entry whose response is old is revalidated by its tag; a new object replaces it.
        var stored = try #require(first.metadata.flatMap(StoredResponse.init(serialized:)))
        (stored.requestTime, stored.responseTime) = (0, 0)
        var load = ImageDataLoad(url: url, options: .refreshCached)
        var entry = EncodedResource(data: data)
        entry.metadata = stored.serialized
        load.cached = entry
        seen.withLock { $0 = [] }
        let second = try await loader.loadData(for: load) { received, _, _ in seen.withLock { $0.append(received) } }
        #expect(second.isNotModified && second.data == data && seen.withLock { $0.isEmpty })
        let renewed = try #require(second.metadata.flatMap(StoredResponse.init(serialized:)))
        #expect(renewed.responseTime > 0 && renewed.fields["etag"] == stored.fields["etag"])
        _ = try await client.put(Data("new".utf8), at: "public/a b.png", within: budget).get()
        let third = try await loader.loadData(for: load, progress: nil)
        #expect(!third.isNotModified && third.data == Data("new".utf8))

        func failure(_ text: String, limit: Int? = nil) async throws -> WebImageError? {
            var request = ImageRequest(url: try #require(URL(string: text)))
            if let limit { request.limits = DecodingLimits(maxEncodedBytes: limit) }
            return await #expect(throws: WebImageError.self) {
                try await loader.loadData(for: ImageDataLoad(request), progress: nil)
            }
        }
        #expect(try await failure("s3://pictures/public/none.png")?.underlying == .http(status: 404))
        for text in ["s3://pictures/private/a.png", "s3://other-bucket/public/a.png", "https://pictures/public/a.png"] {
            #expect(try await failure(text)?.code == .invalidURL)
            #expect(!(URL(string: text).map { loader.canLoad(ImageDataLoad(url: $0)) } ?? false))
        }
        _ = try await client.put(data, at: "public/long", within: budget).get()
        #expect(try await failure("s3://pictures/public/long", limit: 50_000)?.code == .limitExceeded)
        #expect(
            try await loader.loadData(
                for: ImageDataLoad(url: URL(string: "s3://pictures/public/empty")!), progress: nil
            ).data.isEmpty)
    }

    @Test func conditionsAreTestedAndEnforced() async throws {
        let (server, client) = try await started()
        defer { server.stop() }
        defer { client.shutDown() }
        let conditions = try await client.testConditions(prefix: "wi1/", within: budget).get()
        #expect(conditions.enforcesAbsence && conditions.enforcesMatch)
        #expect(try await client.list(prefix: "wi1/", within: budget).get().entries.isEmpty)

        let tag = try #require(try await client.put(Data("1".utf8), at: "one", if: .isAbsent, within: budget).get())
        #expect(
            await client.put(Data("2".utf8), at: "one", if: .isAbsent, within: budget).failure == .preconditionFailed)
        #expect(try await client.get("one", within: budget).get().data == Data("1".utf8))
        _ = try await client.put(Data("3".utf8), at: "one", if: .hasTag(tag), within: budget).get()
        #expect(
            await client.put(Data("4".utf8), at: "one", if: .hasTag(tag), within: budget).failure
                == .preconditionFailed)
        #expect(try await client.get("one", within: budget).get().data == Data("3".utf8))
    }

    @Test func tierConformsAndSurvivesItsStore() async throws {
        let (server, client) = try await started()
        defer { server.stop() }
        defer { client.shutDown() }
        let tier = S3Tier(client)
        var conformance = CacheTierConformance(tier)
        conformance.budget = budget
        #expect(await conformance.faults().isEmpty)

        // Bytes that were not stored by a tier are a miss and are removed.
        let key = CacheTierKey(namespace: "n", cacheKey: "k")
        let entry = CacheTierEntry(
            .value(data: Data("picture".utf8), metadata: nil, extended: nil), stored: Date().timeIntervalSince1970,
            lifetime: .seconds(60))
        let name = tier.name(of: key)
        for foreign in [Data("garbage".utf8), Data()] {
            _ = try await client.put(foreign, at: name, within: budget).get()
            #expect(await tier.entry(for: key, within: budget) == nil)
            #expect(await client.get(name, within: budget).failure == .missing)
        }
        #expect(await tier.put(entry, for: key, within: budget))
        let bytes = try await client.get(name, within: budget).get().data
        for wrong in [Data(bytes.dropLast()), bytes + Data([0]), Data(bytes.reversed())] {
            _ = try await client.put(wrong, at: name, within: budget).get()
            #expect(await tier.entry(for: key, within: budget) == nil)
        }
        // The entry of one key is not an entry of another.
        let other = CacheTierKey(namespace: "n", cacheKey: "other")
        _ = try await client.put(bytes, at: tier.name(of: other), within: budget).get()
        #expect(await tier.entry(for: other, within: budget) == nil)

        // A store that does not answer costs the budget, then nothing, and is used again when it answers.
        #expect(await tier.put(entry, for: key, within: budget))
        server.pause()
        for _ in 0..<5 { #expect(await tier.entry(for: key, within: .milliseconds(50)) == nil) }
        let begin = ContinuousClock.now
        for _ in 0..<100 { _ = await tier.entry(for: key, within: .milliseconds(50)) }
        // With the budget of each call it would be five seconds.
        #expect(ContinuousClock.now - begin < Sanitizer.time(.seconds(4)))
        #expect(tier.statistics.isOpen)
        server.resume()
        try await eventuallyReads(tier, key, entry)

        // A restart closes the connections.
        server.kill()
        #expect(await tier.entry(for: key, within: .milliseconds(500)) == nil)
        try server.start()
        try await eventuallyReads(tier, key, entry)

        let result = await tier.removeStored(before: nil, within: budget)
        #expect(result.failure == nil && result.removed > 0)
        #expect(try await client.list(prefix: "wi1/", within: budget).get().entries.isEmpty)
    }

    /// A store has many threads. Those that run go on after the signal, until another one has received it.
    @Test func pausedStoreAnswersNothing() async throws {
        let (server, client) = try await started()
        defer { server.stop() }
        defer { client.shutDown() }
        _ = try await client.put(Data("x".utf8), at: "a", within: budget).get()
        let isBusy = Locked(true)
        defer { isBusy.withLock { $0 = false } }
        for _ in 0..<3 * ProcessInfo.processInfo.activeProcessorCount {
            Thread { while isBusy.withLock({ $0 }) { for _ in 0..<10_000 {} } }.start()
        }
        for _ in 0..<30 {
            server.pause()
            #expect(await client.get("a", within: .milliseconds(50)).failure != nil)
            server.resume()
            #expect(await client.get("a", within: budget).failure == nil)
        }
    }

    private func eventuallyReads(_ tier: S3Tier, _ key: CacheTierKey, _ entry: CacheTierEntry) async throws {
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(40))
        while ContinuousClock.now < deadline {
            if await tier.entry(for: key, within: .seconds(1))?.content == entry.content { return }
        }
        Issue.record("the tier does not recover")
    }
}

extension S3Failure {
    var status: Int? { if case .refused(let status, _) = self { status } else { nil } }
}
