import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageS3
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Buckets as sources and as tiers of `webimage serve`.
@Suite(.serialized, .timeLimit(minutes: 5)) struct TierBucketTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    /// A store with the bucket `pictures`.
    private func store() async throws -> (SeaweedServer, S3Client) {
        let server = try SeaweedServer()
        var configuration = try S3Configuration(bucket: "pictures", endpoint: server.endpoint)
        configuration.credentials = .fixed(S3Credentials(keyID: server.keyID, secret: server.secret))
        let client = S3Client(configuration)
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(40))
        while case .failure = await client.makeBucket(within: .seconds(2)), ContinuousClock.now < deadline {}
        // The first object of a bucket takes seconds.
        _ = await client.put(Data([1]), at: "first", within: .seconds(20))
        return (server, client)
    }

    @Test(
        .enabled(
            if: SeaweedServer.isAvailable && ValkeyServer.isAvailable, "no SeaweedFS or no Valkey (Scripts/setup tiers)"
        ))
    func objectsOfABucketAreSources() async throws {
        let (server, client) = try await store()
        defer { server.stop() }
        defer { client.shutDown() }
        let valkey = try ValkeyServer()
        defer { valkey.stop() }
        func put(_ name: String, green: UInt8) async throws {
            let image = try TestImages.solid(width: 32, height: 16, blue: 0, green: green, red: 0)
            let data = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
            _ = try await client.put(data, at: name, within: .seconds(20)).get()
        }
        try await put("public/a b.png", green: 200)
        try await put("private/a.png", green: 200)
        let tier = [valkey.address]
        let bucket = ["--s3-source", "s3://pictures/public?endpoint=\(server.endpoint)"]
        let environment = [
            "WEBIMAGE_S3_KEY": "pictures:\(server.keyID):\(server.secret)", "WEBIMAGE_PURGE_TOKEN": "secret",
        ]
        let first = try await service(tiers: tier, environment: environment, further: bucket)
        defer { first.stop() }
        let second = try await service(tiers: tier, environment: environment, further: bucket)
        defer { second.stop() }
        let target = "/_/rs:fit:4:4/f:png/plain/s3://pictures/public/a%20b.png"
        let made = try await first.get(target)
        #expect(made.status == 200 && made.body.count > 60)
        #expect(try await second.get(target).body == made.body)
        #expect(try await answers(second, "tier") == 1)
        #expect(try await answers(second, "made") == 0)
        // The object itself is in no tier.
        #expect(try await second.get(target.replacing("rs:fit:4:4", with: "raw:1")).body.count > 60)

        for (source, status) in [
            ("s3://pictures/private/a.png", 403), ("s3://other-bucket/public/a.png", 403),
            ("s3://pictures/public/..%2Fprivate/a.png", 400), ("s3://pictures/public/none.png", 404),
            ("s3://pictures/public/a%20b.png%3Fendpoint=http:%2F%2F127.0.0.1:1", 400),
        ] {
            let answer = try await first.get("/_/rs:fit:4:4/f:png/plain/\(source)")
            #expect(answer.status == status, "\(source): \(answer.text)")
        }

        // A purge of the object reaches the other service.
        try await put("public/a b.png", green: 60)
        #expect(try await purge("source=s3://pictures/public/a%20b.png", at: first) == "purged\n")
        try await wait(until: "both services have the new object") {
            let bodies = [try await first.get(target).body, try await second.get(target).body]
            return bodies.allSatisfy { $0 != made.body }
        }

        // A service without the key answers, and shows neither the key nor the store.
        let wrong = try await service(
            tiers: [], environment: ["WEBIMAGE_S3_KEY": "pictures:\(server.keyID):wr0ng"], further: bucket)
        defer { wrong.stop() }
        let refused = try await wrong.get(target)
        #expect(refused.status == 502 && !refused.text.contains("wr0ng") && !refused.text.contains(server.endpoint))
    }

    @Test(.enabled(if: SeaweedServer.isAvailable, "SeaweedFS is not installed (Scripts/setup tiers)"))
    func bucketServesLaterServices() async throws {
        let (server, client) = try await store()
        defer { server.stop() }
        defer { client.shutDown() }
        try route(20)
        let tier = ["s3://pictures/cache?endpoint=\(server.endpoint)&budget=5000"]
        let keys = ["AWS_ACCESS_KEY_ID": server.keyID, "AWS_SECRET_ACCESS_KEY": server.secret]
        let forms = Locked([Int: Data]())
        let first = try await service(tiers: tier, environment: keys)
        let second = try await service(tiers: tier, environment: keys)
        #expect(try await load([first, second], requests: 400, pictures: 20, clients: 4, forms: forms) == [])
        #expect((20...40).contains(origin.requests.count))
        // The end of a service waits for its writes.
        first.stop()
        second.stop()
        let fetched = origin.requests.count
        let third = try await service(tiers: tier, environment: keys)
        defer { third.stop() }
        #expect(try await load([third], requests: 40, pictures: 20, clients: 2, forms: forms) == [])
        #expect(origin.requests.count == fetched)
        #expect(try await answers(third, "made") == 0)
    }
}
