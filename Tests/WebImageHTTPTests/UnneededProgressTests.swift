import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// The progress of a download whose caller needs it only at the end.
@Suite(.timeLimit(minutes: 1))
struct UnneededProgressTests {
    private let seen = Collected<[Int]>()

    /// Fetches with a progress block, and returns the number of bytes.
    private func fetch(_ url: URL, _ downloader: WebImageDownloader, demand: ProgressDemand) async throws -> Int {
        var load = ImageDataLoad(url: url)
        load.progressDemand = demand
        return try await downloader.loadData(for: load) { received, expected, _ in seen.append([received, expected]) }
            .data.count
    }

    private static var pieces: FaultResponse {
        var response = FaultResponse(.zeros(100_000))
        (response.piece, response.interval) = (5000, .milliseconds(2))
        return response
    }

    @Test(arguments: [true, false])
    func isReportedOnceAfterTheLastByte(isNever: Bool) async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .respond(Self.pieces))
            let demand: ProgressDemand = isNever ? .never : .sameAs(SharedTaskHandle())
            try await #expect(fetch(server.url("/a"), downloader, demand: demand) == 100_000)
            #expect(seen.values == [[100_000, 100_000]])
        }
    }

    @Test func lengthIsZeroIfTheServerDeclaresNone() async throws {
        try await withDownloader { server, downloader in
            var response = Self.pieces
            response.framing = .chunked
            server.route("/a", .respond(response))
            _ = try await fetch(server.url("/a"), downloader, demand: .never)
            #expect(seen.values == [[100_000, 0]])
        }
    }

    @Test func failedAndCancelledDownloadsReportNone() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .status(503))
            await #expect(throws: WebImageError.self) {
                _ = try await fetch(server.url("/a"), downloader, demand: .sameAs(SharedTaskHandle()))
            }
            server.route("/b", .hang)
            weak var released: SharedTaskHandle?
            do {
                let handle = SharedTaskHandle()
                released = handle
                let task = Task { try await fetch(server.url("/b"), downloader, demand: .sameAs(handle)) }
                try await eventually("the request arrived") { server.concurrentRequests == 1 }
                task.cancel()
                _ = await task.result
            }
            #expect(seen.values.isEmpty)
            #expect(await eventually { released == nil }, "the download keeps the listeners of its progress")
        }
    }

    /// Another subscriber of the same download needs its progress.
    @Test func eachSubscriberReceivesWhatItNeeds() async throws {
        try await withDownloader { server, downloader in
            // The next piece is sent when the one before it was reported. Reports that are close together are combined.
            var response = FaultResponse(.zeros(100_000))
            response.piece = 20_000
            let gates = (1...4).map { _ in FaultGate() }
            for (index, gate) in gates.enumerated() { response.pieceGates[index + 1] = gate }
            server.route("/a", .respond(response))
            let all = Collected<Int>()
            async let needed = downloader.fetch(server.url("/a")) { received, _, _ in
                all.append(received)
                if (1...4).contains(received / 20_000) { gates[received / 20_000 - 1].open() }
            }.data.count
            async let unneeded = fetch(server.url("/a"), downloader, demand: .never)
            let counts = try await [needed, unneeded]
            #expect(counts == [100_000, 100_000])
            #expect(all.values.count > 3 && all.values.last == 100_000)
            #expect(seen.values == [[100_000, 100_000]])
        }
    }

    /// Shared tiers and stored parts of bodies use this text as a key, also those of earlier versions.
    @Test func theTextOfAnIdentityKeepsItsLayout() async throws {
        try await withDownloader { _, downloader in
            downloader.setValue("text/x", forHTTPHeaderField: "X-Kind")
            let url = try #require(URL(string: "https://example.com/a"))
            let sharing = try #require(downloader.identity(of: ImageDataLoad(url: url)).sharing)
            let start = "3:GET,21:https://example.com/a,9:100000000,0:,0:,0:,0:,11:environment,0:,0:,0:,0:,0:,6:shared,"
            #expect(sharing.hasPrefix(start))
            #expect(sharing.hasSuffix("6:x-kind,6:text/x,"))
            downloader.setValue("other", forHTTPHeaderField: "X-Kind")
            #expect(downloader.identity(of: ImageDataLoad(url: url)).sharing?.hasSuffix("6:x-kind,5:other,") == true)
        }
    }
}
