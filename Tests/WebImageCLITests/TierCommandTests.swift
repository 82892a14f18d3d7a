import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Commands of `webimage` with the option `--tier`.
@Suite(.serialized, .timeLimit(minutes: 5)) struct TierCommandTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    @Test(.needsValkey) func commandLoadsFromATierAndSharesNothingPrivate() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = ["--tier", server.address]
        func load(_ further: [String] = []) throws -> Tool.Outcome {
            let folder = try ScratchFolder()
            let run = try Tool.run(
                ["load", "--json", "--cache", folder.url.path] + tier + further
                    + [origin.url("/0.png").absoluteString])
            #expect(run.code == 0, "\(run.errors)")
            return run
        }
        try route(1)
        let first = try #require(try load().objects().first)
        let second = try #require(try load().objects().first)
        #expect(origin.requests.count == 1)
        #expect(first["bytes"] as? Int == second["bytes"] as? Int && first["width"] as? Int == second["width"] as? Int)
        // A request with credentials neither reads nor fills the tier.
        _ = try load(["--header", "Authorization: Bearer alice"])
        #expect(origin.requests.count == 2)
        for headers in [["Cache-Control": "private, max-age=60"], ["Cache-Control": "no-store"], [:]] {
            try route(1, headers: headers)
            let before = origin.requests.count
            // Another query is another picture.
            let url = origin.url("/0.png?\(before)").absoluteString
            for _ in 0..<2 {
                let folder = try ScratchFolder()
                #expect(try Tool.run(["load", "--cache", folder.url.path] + tier + [url]).code == 0)
            }
            #expect(origin.requests.count == before + 2, "\(headers)")
        }
    }

    @Test(.needsValkey) func commandReportsWhetherTiersWork() throws {
        let server = try ValkeyServer()
        let address = "valkey://127.0.0.1:\(server.port)"
        for action in ["stats", "verify"] {
            let run = try Tool.run(["cache", action, "--tier", address])
            #expect(run.code == 0 && run.output.contains("valkey"), "\(run.output)\(run.errors)")
        }
        #expect(try Tool.run(["cache", "clear", "--tier", address]).code == 1)
        server.stop()
        for action in ["stats", "verify"] { #expect(try Tool.run(["cache", action, "--tier", address]).code == 2) }
        #expect(try Tool.run(["cache", "verify", "--tier", address]).errors.contains("does not answer"))
    }

    @Test func addressesOfTiersAreChecked() throws {
        for (address, hint) in [
            ("ftp://host", "unix or s3"), ("valkey://user:word@host", "WEBIMAGE_TIER_PASSWORD"), ("s3://ab", "bucket"),
            ("valkey://host?budget=0", "budget"), ("valkey://host?private=1", "private"),
            ("valkey://host?x=1", "parameters"), ("nothing", "URL"),
        ] {
            let run = try Tool.run(["serve", "--check-config", "--tier", address])
            #expect(run.code == 1 && run.errors.contains(hint), "\(address): \(run.errors)")
            #expect(!run.errors.contains("word@"))
        }
        let twice = try Tool.run(["serve", "--check-config", "--tier", "valkey://host", "--tier", "valkey://host"])
        #expect(twice.code == 1 && twice.errors.contains("twice"), "\(twice.errors)")
    }
}
