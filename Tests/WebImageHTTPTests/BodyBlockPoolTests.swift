import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageHTTP

/// `BodyBlockPool` reuses the memory blocks of bodies while transfers run. The pool must not reuse a block whose
/// bytes can still be read.
@Suite(.serialized, .timeLimit(minutes: 1))
struct BodyBlockPoolTests {
    private let blocks = BodyBlockPool()

    private static func isBlock(_ kind: String) -> Bool { kind == "body block" }

    private func fill(_ block: BodyBlock, with byte: UInt8) {
        [UInt8](repeating: byte, count: 1 << 20).withUnsafeBytes { block.write($0, at: 0) }
    }

    @Test func blockServesTheNextBodyWhileTransfersRun() throws {
        blocks.keepsSpares = true
        var first = blocks.block(1 << 20)
        let start = try #require(first).start
        first = nil
        let next = try #require(blocks.block(900_000))
        #expect(next.start == start)
        #expect(next.capacity == 1 << 20)
    }

    @Test func blockMuchLargerThanTheBodyIsNotUsed() throws {
        blocks.keepsSpares = true
        var first = blocks.block(1 << 20)
        let start = try #require(first).start
        first = nil
        #expect(try #require(blocks.block(500_000)).start != start)
    }

    @Test func blockIsNotReusedWhileItsBytesAreInUse() throws {
        blocks.keepsSpares = true
        var block = blocks.block(1 << 20)
        fill(try #require(block), with: 7)
        var data: Data? = try #require(block).data(10..<1 << 20)
        let start = try #require(block).start
        block = nil
        let other = try #require(blocks.block(1 << 20))
        #expect(other.start != start)
        fill(other, with: 8)
        #expect(data?.count == (1 << 20) - 10)
        #expect(data?.allSatisfy { $0 == 7 } == true)
        data = nil
        #expect(try #require(blocks.block(1 << 20)).start == start)
    }

    @Test func noBlockIsKeptWhileNoTransferRuns() async throws {
        try await LiveHandles.expectNone { Self.isBlock($0) }
        _ = blocks.block(1 << 20)
        #expect(LiveHandles.current["body block"] == nil)
        blocks.keepsSpares = true
        _ = blocks.block(1 << 20)
        #expect(LiveHandles.current["body block"] == 1)
        blocks.keepsSpares = false
        #expect(LiveHandles.current["body block"] == nil)
    }

    @Test func spareBlocksAreLimited() async throws {
        try await LiveHandles.expectNone { Self.isBlock($0) }
        blocks.keepsSpares = true
        var held = (0..<10).map { _ in blocks.block(5 << 20) }
        #expect(held.allSatisfy { $0 != nil })
        #expect(LiveHandles.current["body block"] == 10)
        held = []
        // The pool keeps at most 32 MiB of freed blocks. Six of the ten blocks (5 MiB each) fit into this limit.
        #expect(LiveHandles.current["body block"] == 6)
        blocks.keepsSpares = false
    }

    @Test func idleDownloaderHoldsNoBlocks() async throws {
        try await withDownloader { server, downloader in
            let file = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            // This transfer runs during the other downloads. The engine is therefore not idle and keeps freed
            // blocks.
            server.route("/held", .hang)
            server.route("/a", .body(file))
            var chunked = FaultResponse(.data(file))
            chunked.framing = .chunked
            server.route("/chunked", .respond(chunked))
            let held = Task { try await downloader.fetch(server.url("/held")) }
            try await eventually("one runs") { server.requestCount("/held") == 1 }
            for number in 0..<6 {
                let path = number.isMultiple(of: 2) ? "/a?\(number)" : "/chunked?\(number)"
                try await #expect(downloader.fetch(server.url(path)).data == file)
            }
            #expect(LiveHandles.current["body block"] ?? 0 > 0)
            held.cancel()
            _ = await held.result
            try await LiveHandles.expectNone { Self.isBlock($0) }
        }
    }
}

/// A libcurl handle keeps its options between transfers. The engine must reset each option that the next
/// transfer does not set. Otherwise a header field, a method or a disabled certificate check would apply to
/// the next request.
@Suite(.timeLimit(minutes: 1))
struct KeptOptionTests {
    /// Returns a context with a request modifier that applies `change`.
    private static func context(_ change: @escaping @Sendable (inout WebImageRequest) -> Void) -> WebImageContext {
        [
            .downloadRequestModifier: WebImageDownloaderRequestModifier { request in
                var request = request
                change(&request)
                return request
            }
        ]
    }

    @Test func transferOptionsAreResetBetweenTransfers() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        try await withDownloader(config) { server, downloader in
            server.route("/a", .dynamic { .body(Data("\($0.method) \($0.headers["x-own"] ?? "none")".utf8)) })
            server.route("/away", .redirect(to: "/a"))
            let changes: [(expected: String, path: String, context: WebImageContext?)] = [
                ("GET none", "/a", nil),
                ("GET one", "/a", Self.context { $0.setValue("one", forHTTPHeaderField: "X-Own") }),
                ("GET none", "/a", nil),
                ("GET none", "/away", nil),
                ("POST none", "/a", Self.context { ($0.httpMethod, $0.httpBody) = ("POST", Data("b".utf8)) }),
                ("GET none", "/a", nil),
                ("GET none", "/a", nil),
                ("GET two", "/a", Self.context { $0.setValue("two", forHTTPHeaderField: "X-Own") }),
            ]
            for (number, change) in changes.enumerated() {
                let load = ImageDataLoad(url: server.url("\(change.path)?\(number)"), context: change.context)
                let data = try await downloader.loadData(for: load, progress: nil).data
                #expect(String(decoding: data, as: UTF8.self) == change.expected, "\(number)")
            }
        }
    }

    @Test func timeoutAndLimitsAreSetForEachTransfer() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .respond(FaultResponse(.zeros(10_000))))
            server.route("/hang", .hang)
            for _ in 0..<2 {
                try await #expect(downloader.fetch(server.url("/a")).data.count == 10_000)
                downloader.config.maxBodyBytes = 5000
                try await #expect(downloader.failure(server.url("/a")).code == .limitExceeded)
                downloader.config.maxBodyBytes = 100_000
                downloader.config.downloadTimeout = 0.2
                try await #expect(downloader.failure(server.url("/hang")).curlCode == 28)
                downloader.config.downloadTimeout = 15
            }
        }
    }

    @Test(.enabled(if: NginxServer.isAvailable, "nginx is not installed"))
    func certificateChecksAreSetForEachTransfer() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try Data("a".utf8).write(to: nginx.root.appendingPathComponent("a.png"))
        let url = nginx.secureURL("/a.png")
        try await withDownloader { _, downloader in
            for _ in 0..<2 {
                try await #expect(
                    downloader.fetch(url, options: .allowInvalidSSLCertificates).data == Data("a".utf8))
                try await #expect(downloader.failure(url).curlCode == 60)
            }
        }
    }
}
