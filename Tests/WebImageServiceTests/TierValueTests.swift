import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageHTTP
@testable import WebImageService

/// What a reader of a tier can see: exactly the values by which another service judges a source or a result.
@Suite(.timeLimit(minutes: 1)) struct TierValueTests {
    private static let requested = "https://pictures.example:8443/path?token=secret"

    /// A response from the last of some servers; the others have redirected.
    private func response(_ hops: [(url: String, address: String)]) throws -> StoredResponse {
        let request = WebImageRequest(url: try #require(URL(string: hops[0].url)))
        let last = try #require(hops.last)
        let fields = ["ETag": "\"1\"", "Server": "internal-7"]
        var response = WebImageResponse(url: URL(string: last.url), statusCode: 200, allHeaderFields: fields)
        response.remoteAddress = last.address
        let stored = StoredResponse(response, to: request, requestTime: 1, responseTime: 1)
        return stored.following(
            try hops.dropLast().map { hop in
                let source = try #require(URL(string: hop.url))
                var redirect = WebImageResponse(url: source, statusCode: 302, allHeaderFields: ["Location": last.url])
                redirect.remoteAddress = hop.address
                return StoredRedirect(
                    try #require(Redirect(redirect, from: source)), to: request, requestTime: 1, responseTime: 1)
            })
    }

    private func hops(_ response: StoredResponse) -> [String] { response.hops.map { "\($0.origin) \($0.address)" } }

    @Test func onlyAddressesAndHostsThatAReaderMustJudgeAreNamed() throws {
        let url = try #require(URL(string: Self.requested))
        let rows: [(hops: [(String, String)], reduced: [String])] = [
            ([(Self.requested, "93.184.216.34")], ["= public"]),
            ([(Self.requested, "2606:2800:220:1::1")], ["= public"]),
            ([(Self.requested, "10.1.2.3")], ["= 10.1.2.3"]),
            ([(Self.requested, "::ffff:10.1.2.3")], ["= ::ffff:10.1.2.3"]),
            ([(Self.requested, "64:ff9b::a01:203")], ["= 64:ff9b::a01:203"]),
            (
                [(Self.requested, "93.184.216.34"), ("https://cdn.example/b?token=secret", "93.184.216.35")],
                ["= public", "https://cdn.example public"]
            ),
            (
                [(Self.requested, "93.184.216.34"), ("https://pictures.example/other", "93.184.216.35")],
                ["= public"]
            ),
            (
                [(Self.requested, "93.184.216.34"), ("http://pictures.example/b", "10.0.0.1")],
                ["= public", "http://pictures.example 10.0.0.1"]
            ),
            (
                [(Self.requested, "93.184.216.34"), ("http://[fd00::1]:8080/b", "fd00::1")],
                ["= public", "http://[fd00::1] fd00::1"]
            ),
        ]
        for row in rows {
            let stored = try response(row.hops)
            let reduced = stored.reduced(for: url)
            #expect(hops(reduced) == row.reduced)
            let text = String(decoding: reduced.serialized, as: UTF8.self)
            for secret in ["token", "secret", "/path", "8443", "internal", "93.184", "2606"] {
                #expect(!text.contains(secret), "\(text)")
            }
            let read = try #require(StoredResponse(serialized: reduced.serialized)).completed(for: url)
            let origin = "https://pictures.example"
            #expect(hops(read) == row.reduced.map { $0.hasPrefix("=") ? origin + $0.dropFirst() : $0 })
            // The machine's own disk still has every address.
            #expect(hops(stored).allSatisfy { !$0.contains("public") })
        }
    }

    @Test func readersJudgeReducedValuesAsWholeOnes() throws {
        let url = try #require(URL(string: Self.requested))
        func allows(_ change: (inout DownloadPolicy) -> Void, _ hops: [(String, String)]) throws -> Bool {
            var policy = DownloadPolicy.server
            change(&policy)
            let rules = StoredRules(
                policy: policy, output: OutputSettings(), bounds: Lifetime.Bounds(), negativeTTL: 10)
            var verdicts: Set<Bool> = []
            for stored in [try response(hops), try response(hops).reduced(for: url).completed(for: url)] {
                let record = SourceRecord(stored, of: Data([1]))
                verdicts.insert((try? rules.check(record, .web(url))) != nil)
            }
            #expect(verdicts.count == 1)
            return verdicts.contains(true)
        }
        let range = try #require(AddressRange("10.1.0.0/16"))
        let (own, cdn) = ((Self.requested, "10.1.2.3"), ("https://cdn.example/b", "93.184.216.35"))
        #expect(try allows({ _ in }, [(Self.requested, "93.184.216.34")]))
        #expect(try !allows({ _ in }, [own]))
        #expect(try allows({ $0.allowedAddresses = [range] }, [own, cdn]))
        #expect(try !allows({ $0.allowedAddresses = [range] }, [(Self.requested, "10.2.2.3")]))
        #expect(try !allows({ $0.deniedHosts = ["cdn.example"] }, [(Self.requested, "93.184.216.34"), cdn]))
        let address = ("http://[2606:4700::1]:8080/b", "2606:4700::1")
        #expect(try allows({ _ in }, [(Self.requested, "93.184.216.34"), address]))
        #expect(try !allows({ $0.deniedHosts = ["2606:4700::1"] }, [(Self.requested, "93.184.216.34"), address]))
    }

    /// The names of the lines of a stored response.
    private func names(_ text: String) -> Set<String> {
        Set(text.split(separator: "\n").dropFirst(2).compactMap { $0.split(separator: ":").first.map(String.init) })
    }

    @Test func valuesHaveExactlyTheseFields() async throws {
        let (origin, server, folder) = (try FaultServer(), TierServer(), try ScratchFolder())
        defer { origin.stop() }
        origin.routeOthers(
            .body(
                try PictureFixtures.quadrants(),
                headers: [
                    "Cache-Control": "max-age=600", "ETag": "\"1\"", "Cache-Tag": "shop", "Vary": "Accept-Encoding",
                    "Date": HTTPDateText.text(SystemClock().date), "Server": "internal-7", "X-Path": "/srv/pictures",
                ]))
        let configuration = ServiceConfiguration.with {
            ($0.cacheFolder, $0.offersAVIF) = (folder.url.path, false)
            $0.allowedAddresses = ["127.0.0.0/8"]
        }
        let service = try ImageService(
            configuration: configuration, loader: nil, clock: SystemClock(),
            tiers: CacheTiers([CacheTiers.Level("server", LinkedTier(server), budget: .seconds(5))]))
        let source = origin.url("/folder/a.png").absoluteString + "%3Ftoken=secret"
        #expect(await service.respond(to: ServiceRequest(target: "/_/w:2/f:png/plain/\(source)")).status == 200)
        await service.provider.store.tiers?.tiers.flush(within: .seconds(5))
        await service.shutdown()
        let entries = server.state.withLock { Array($0.entries.values) }
        #expect(entries.count == 2)
        let ofResponse: Set = [
            "cache-control", "etag", "cache-tag", "vary", "?accept-encoding", "date", "@source", "@hop",
        ]
        for entry in entries {
            guard case .value(let data, let metadata, let extended) = entry.content else { continue }
            #expect(extended == nil)
            var texts: [String] = []
            if let metadata {
                texts = [String(decoding: metadata, as: UTF8.self)]
                #expect(names(texts[0]).subtracting(["@seen"]) == ofResponse)
            } else {
                let length = data.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                let head = try #require(
                    JSONSerialization.jsonObject(with: Data(data.dropFirst(8).prefix(length))) as? [String: Any])
                #expect(
                    Set(head.keys).subtracting(["seen"]) == [
                        "mediaType", "etag", "stored", "lifetime", "sourceVersion", "source", "width", "height",
                        "record", "tags",
                    ])
                let record = try #require(head["record"] as? [String: Any])
                #expect(Set(record.keys) == ["response", "byteCount", "format", "pixelCount"])
                let response = try #require(record["response"] as? String)
                #expect(names(response) == ofResponse)
                texts = [response, head["source"] as? String ?? "", head["sourceVersion"] as? String ?? ""]
            }
            for line in texts.joined(separator: "\n").split(separator: "\n") where line.hasPrefix("@hop") {
                #expect(line == "@hop: = 127.0.0.1")
            }
            for secret in ["secret", "folder", "http://", "localhost", "internal", "/srv"] {
                #expect(!texts.contains { $0.contains(secret) }, "\(texts)")
            }
        }
    }
}
