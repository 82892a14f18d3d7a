import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageValkey

/// What other users, and readers of the server, can learn from a tier.
@Suite(.serialized, .needsValkey, .timeLimit(minutes: 3)) struct TierPrivacyTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    /// The names of a server, and the bytes of their values.
    private func content(_ server: ValkeyServer) async throws -> [String: Data] {
        let connection = ValkeyConnection(.init(.init(.host("127.0.0.1", port: server.port))))
        defer { connection.shutDown() }
        try await wait(until: "the server answers") { connection.isUp }
        let budget = Sanitizer.time(Duration.seconds(10))
        let names = try await connection.send(RESPCommand(["KEYS", "*"]), within: budget).get().elements ?? []
        var content: [String: Data] = [:]
        for name in names.compactMap(\.string) {
            // A key of another type than text answers with an error.
            let value = await connection.send(RESPCommand(["GET", .init(name)]), within: budget)
            content[name] = (try? value.get())?.data ?? Data()
        }
        return content
    }

    /// Two users whose pictures have one URL and different sizes, and machines with caches of their own.
    @Test func usersReadNothingOfEachOtherThroughATier() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        func picture(_ width: Int) throws -> Data {
            try ImageCodersManager.shared.encode(
                TestImages.solid(width: width, height: 30), format: .png, options: EncodingOptions())
        }
        let pictures = ["Bearer alice-word": try picture(40), "Bearer bob-word": try picture(50)]
        let plain = try picture(60)
        // The origin declares everything to be public.
        let headers = ["Cache-Control": "public, max-age=600"]
        origin.routeOthers(
            .dynamic { .body(pictures[$0.headers["authorization"] ?? ""] ?? plain, headers: headers) })
        let tier = try ValkeyTier(url: "valkey://127.0.0.1:\(server.port)")
        func load(_ path: String, user: String?, scope: CacheScope = .shared, thumbnail: Bool) async throws -> Int {
            let folder = try ScratchFolder()
            let loader = TieredImageLoader(
                WebImageDownloader(),
                tiers: CacheTiers([CacheTiers.Level(tier, budget: Sanitizer.time(.seconds(5)))]))
            let manager = WebImageManager(
                cache: ImageCache(namespace: "machine", diskCacheDirectory: folder.url.path), loader: loader)
            var context: [WebImageContextOption: Any] = [:]
            if let user {
                context[.downloadRequestModifier] = WebImageDownloaderRequestModifier(
                    method: nil, headers: ["Authorization": "Bearer \(user)-word"], body: nil)
            }
            switch scope {
            case .shared: break
            case .scoped(let name): context[.cacheScope] = name
            case .unstored:
                context[.downloadRequestModifier] = WebImageDownloaderRequestModifier(
                    headers: ["X-User": "dave-word"], cacheScope: .unstored)
            }
            if thumbnail { context[.imageThumbnailPixelSize] = CGSize(width: 200, height: 15) }
            let image = try await manager.image(for: origin.url(path), context: context)
            await loader.flush(within: .seconds(30))
            return image.pixelSize.width
        }
        for thumbnail in [false, true] {
            let factor = thumbnail ? 2 : 1
            for _ in 0..<2 {
                #expect(try await load("/a.png", user: "alice", thumbnail: thumbnail) == 40 / factor)
                #expect(try await load("/a.png", user: "bob", thumbnail: thumbnail) == 50 / factor)
                let scope = CacheScope.scoped("carol-word")
                #expect(try await load("/a.png", user: nil, scope: scope, thumbnail: thumbnail) == 60 / factor)
                #expect(try await load("/a.png", user: nil, scope: .unstored, thumbnail: thumbnail) == 60 / factor)
            }
        }
        // Each of these loads asked the origin, and none wrote to the tier.
        #expect(origin.requests.count == 16)
        #expect(try await content(server).isEmpty)
        // A load without a user is shared, and users still receive their own pictures.
        for _ in 0..<2 { #expect(try await load("/a.png", user: nil, thumbnail: false) == 60) }
        #expect(origin.requests.count == 17)
        #expect(try await load("/a.png", user: "alice", thumbnail: false) == 40)
        let content = try await content(server)
        #expect(content.keys.count { $0.hasPrefix("wi1:") } == 1)
        expectNoSecret(content, ["alice", "bob", "carol", "dave", "Bearer", "a.png", "127.0.0.1"])
    }

    /// A tier that is declared private hands a user's pictures to the same user on another machine, and to nobody else.
    @Test func privateTierServesEachUserTheirOwnPictures() async throws {
        let (privateServer, sharedServer) = (try ValkeyServer(), try ValkeyServer())
        defer { privateServer.stop() }
        defer { sharedServer.stop() }
        func picture(_ width: Int) throws -> Data {
            try ImageCodersManager.shared.encode(
                TestImages.solid(width: width, height: 30), format: .png, options: EncodingOptions())
        }
        let pictures = ["Bearer alice-word": try picture(40), "Bearer bob-word": try picture(50)]
        let plain = try picture(60)
        for (path, control) in [
            ("/private.png", "private, max-age=600"), ("/public.png", "public, max-age=600"),
            ("/secret.png", "no-store"),
        ] {
            origin.route(
                path,
                .dynamic {
                    .body(
                        pictures[$0.headers["authorization"] ?? ""] ?? plain,
                        headers: ["Cache-Control": control, "Vary": "Authorization"])
                })
        }
        // The shared tier is the nearer one, and never receives a user's picture.
        let tiers: [any CacheTier] = [
            try ValkeyTier(url: "valkey://127.0.0.1:\(sharedServer.port)"),
            try ValkeyTier(url: "valkey://127.0.0.1:\(privateServer.port)", isPrivate: true),
        ]
        func load(_ path: String, user: String, _ options: WebImageOptions = []) async throws -> Int {
            let folder = try ScratchFolder()
            let loader = TieredImageLoader(
                WebImageDownloader(),
                tiers: CacheTiers(tiers.map { CacheTiers.Level($0, budget: Sanitizer.time(.seconds(5))) }))
            let manager = WebImageManager(
                cache: ImageCache(namespace: "machine", diskCacheDirectory: folder.url.path), loader: loader)
            let context: [WebImageContextOption: Any] = [
                .downloadRequestModifier: WebImageDownloaderRequestModifier(
                    headers: ["Authorization": "Bearer \(user)-word"], cacheScope: .scoped("\(user)-scope"))
            ]
            let image = try await manager.image(for: origin.url(path), options: options, context: context)
            await loader.flush(within: .seconds(30))
            return image.pixelSize.width
        }
        for _ in 0..<3 {
            #expect(try await load("/private.png", user: "alice") == 40)
            #expect(try await load("/private.png", user: "bob") == 50)
            #expect(try await load("/public.png", user: "alice") == 40)
            #expect(try await load("/secret.png", user: "alice") == 40)
        }
        #expect(origin.requestCount("/private.png") == 2 && origin.requestCount("/public.png") == 1)
        #expect(origin.requestCount("/secret.png") == 3)
        // Cookies of a jar and unchecked certificates stay on their machine.
        for options in [WebImageOptions.handleCookies, .allowInvalidSSLCertificates] {
            #expect(try await load("/private.png", user: "alice", options) == 40)
        }
        #expect(origin.requestCount("/private.png") == 4)
        #expect(try await content(sharedServer).isEmpty)
        let content = try await content(privateServer)
        #expect(content.keys.count { $0.hasPrefix("wi1:") } == 3)
        expectNoSecret(content, ["alice", "bob", "Bearer", "private.png", "127.0.0.1"])
    }

    /// The same with the command: two machines of two users.
    @Test func commandUsesAPrivateTierForItsUser() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1, headers: ["Cache-Control": "private, max-age=600"])
        func load(_ user: String, _ tier: String) throws -> Int32 {
            let folder = try ScratchFolder()
            return try Tool.run(
                [
                    "load", origin.url("/0.png").absoluteString, "--cache", folder.url.path, "--tier", tier,
                    "--header", "Authorization: Bearer \(user)",
                ]
            ).code
        }
        for (number, (user, tier)) in [
            ("alice", server.address), ("alice", server.address + "&private=yes"),
            ("alice", server.address + "&private=yes"), ("bob", server.address + "&private=yes"),
        ].enumerated() {
            #expect(try load(user, tier) == 0)
            #expect(origin.requests.count == [1, 2, 2, 3][number])
        }
        let run = try Tool.run(["serve", "--check-config", "--tier", server.address + "&private=yes"])
        #expect(run.code == 1 && run.errors.contains("private"), "\(run.errors)")
    }

    private func expectNoSecret(_ content: [String: Data], _ secrets: [String]) {
        for (name, value) in content {
            for secret in secrets {
                #expect(!name.contains(secret), "\(name) has \(secret)")
                #expect(value.range(of: Data(secret.utf8)) == nil, "the value of \(name) has \(secret)")
            }
        }
    }

    @Test func namesAndValuesOfAServiceContainNoPathAndNoCredential() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(2)
        let keys = ["WEBIMAGE_KEY": "0badc0de0badc0de", "WEBIMAGE_SALT": "5eed5eed"]
        let environment = purgeToken.merging(keys) { $1 }
        let first = try await service(tiers: [server.address], environment: environment)
        defer { first.stop() }
        func get(_ target: String, _ service: RunningService) async throws -> RawClient.Answer {
            let run = try await onThread {
                try Tool.run(["sign", target], environment: keys)
            }
            return try await service.get(run.output.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let source = origin.url("/0.png").absoluteString + "%3Ftoken=s3cretword"
        let targets = ["rs:fit:4:4", "rs:fit:2:2/ct:shop", "raw:1"].map { "/\($0)/plain/\(source)" }
        for target in targets { #expect(try await get(target, first).status == 200) }
        #expect(
            try await purge("source=\(origin.url("/0.png").absoluteString)?token=s3cretword", at: first) == "purged\n")
        #expect(try await purge("tag=shop", at: first) == "purged\n")
        for target in targets { #expect(try await get(target, first).status == 200) }
        let fetched = origin.requests.count
        // The end of a service waits for its writes.
        first.stop()
        let second = try await service(tiers: [server.address], environment: environment)
        defer { second.stop() }
        for target in targets { #expect(try await get(target, second).status == 200) }
        #expect(origin.requests.count == fetched)
        #expect(try await answers(second, "tier") == 2)
        var content = try await content(server)
        #expect(content.count > 4)
        // A value has the address of its source if it is not public: another service judges it. Its origin is not named.
        let address = Data("@hop: = 127.0.0.1".utf8)
        #expect(content.values.contains { $0.range(of: address) != nil })
        for (name, value) in content {
            var value = value
            while let range = value.range(of: address) { value.removeSubrange(range) }
            content[name] = value
        }
        expectNoSecret(content, ["s3cretword", "0.png", "0badc0de", "5eed5eed", "127.0.0.1", "http:", "http%3A"])
    }
}
