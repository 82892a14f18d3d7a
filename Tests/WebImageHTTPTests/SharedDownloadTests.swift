import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// One download serves all concurrent loads of the same resource.
@Suite(.timeLimit(minutes: 2))
struct SharedDownloadTests {
    @Test func thousandConcurrentLoadsAreOneRequest() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0) })
            server.route("/a", .gated(gate, .body(body)))
            try await withThrowingTaskGroup(of: Bool.self) { group in
                let arrived = Collected<Int>()
                for number in 0..<1000 {
                    group.addTask {
                        // The first progress report (0 bytes received, length -1) shows that the load has
                        // joined the download.
                        try await downloader.fetch(server.url("/a")) { received, expected, _ in
                            if (received, expected) == (0, -1) { arrived.append(number) }
                        }.data == body
                    }
                }
                try await eventually("all asked") { arrived.values.count == 1000 }
                #expect(downloader.currentDownloadCount == 1)
                gate.open()
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.requestCount("/a") == 1)
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    @Test func cancelledSubscriberCompletesAtOnceAndOthersReceiveTheBytes() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            let joined = Collected<Int>()
            let (leaving, staying) = (
                Task { try await downloader.fetch(server.url("/a")) { _, _, _ in joined.append(0) } },
                Task { try await downloader.fetch(server.url("/a")) { _, _, _ in joined.append(1) } }
            )
            // Wait until both loads have joined the download. The first progress report of a load shows that the
            // load has joined. A load that joins after the end of the download would start a second download.
            try await eventually("both joined") { Set(joined.values) == [0, 1] }
            try await eventually("the request arrived") { server.requestCount("/a") == 1 }
            leaving.cancel()
            await #expect { try await leaving.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
            gate.open()
            try await #expect(staying.value.data == Data("a".utf8))
            #expect(server.requestCount("/a") == 1)
        }
    }

    @Test func lastSubscribersCancelEndsTheDownload() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .hang)
            let tasks = (0..<5).map { _ in Task { try await downloader.fetch(server.url("/a")) } }
            try await eventually("the request arrived") { server.concurrentRequests == 1 }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
            #expect(downloader.currentDownloadCount == 0)
            try await eventually("the connection is closed") { server.concurrentRequests == 0 }
        }
    }

    @Test func differentIdentitiesAreNotShared() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            let plain = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("one request arrived") { server.requestCount("/a") == 1 }
            let withCookies = Task { try await downloader.fetch(server.url("/a"), options: .handleCookies) }
            try await eventually("two requests arrived") { server.requestCount("/a") == 2 }
            downloader.setValue("Bearer x", forHTTPHeaderField: "Authorization")
            let authorized = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("three requests arrived") { server.requestCount("/a") == 3 }
            gate.open()
            for task in [plain, withCookies, authorized] { _ = try await task.value }
            #expect(server.requests.map { $0.headers["authorization"] } == [nil, nil, "Bearer x"])
        }
    }

    @Test func progressGrowsToTheExactLength() async throws {
        try await withDownloader { server, downloader in
            // The next piece is sent when the one before it was reported. Reports that are close together are combined.
            var response = FaultResponse(.zeros(100_000))
            response.piece = 20_000
            let gates = (1...4).map { _ in FaultGate() }
            for (index, gate) in gates.enumerated() { response.pieceGates[index + 1] = gate }
            server.route("/a", .respond(response))
            let seen = Collected<[Int]>()
            let result = try await downloader.fetch(server.url("/a")) { received, expected, url in
                #expect(url == server.url("/a"))
                seen.append([received, expected])
                if (1...4).contains(received / 20_000) { gates[received / 20_000 - 1].open() }
            }
            #expect(result.data.count == 100_000)
            #expect(seen.values.count > 3)
            #expect(seen.values.map { $0[0] } == seen.values.map { $0[0] }.sorted())
            #expect(seen.values.last == [100_000, 100_000])
            #expect(seen.values.allSatisfy { [-1, 100_000].contains($0[1]) })
        }
    }

    @Test func unknownLengthIsReportedAsZeroExpected() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.zeros(1000))
            response.framing = .chunked
            server.route("/a", .respond(response))
            let seen = Collected<[Int]>()
            _ = try await downloader.fetch(server.url("/a")) { received, expected, _ in
                seen.append([received, expected])
            }
            #expect(seen.values.last == [1000, 0])
        }
    }

    @Test func lateSubscriberReceivesTheCurrentProgress() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.zeros(1000))
            response.piece = 600
            response.interval = .seconds(60)
            server.route("/a", .respond(response))
            let early = Collected<Int>()
            let first = Task {
                try await downloader.fetch(server.url("/a")) { received, _, _ in early.append(received) }
            }
            try await eventually("600 bytes arrived") { early.values.last == 600 }
            let late = Collected<Int>()
            let second = Task {
                try await downloader.fetch(server.url("/a")) { received, _, _ in late.append(received) }
            }
            try await eventually("the late subscriber received 600 bytes") { late.values == [600] }
            first.cancel()
            second.cancel()
            _ = await (first.result, second.result)
        }
    }

    @Test func blockedProgressBlockDelaysNoOtherSubscriber() async throws {
        try await withDownloader { server, downloader in
            server.route("/slow", .body(Data("slow".utf8)))
            server.route("/fast", .body(Data("fast".utf8)))
            let semaphore = DispatchSemaphore(value: 0)
            let entered = Collected<Int>()
            let blocked = Task {
                try await downloader.fetch(server.url("/slow")) { received, _, _ in
                    entered.append(received)
                    semaphore.wait()
                    semaphore.signal()
                }
            }
            try await eventually("the progress block runs") { !entered.values.isEmpty }
            try await #expect(downloader.fetch(server.url("/fast")).data == Data("fast".utf8))
            semaphore.signal()
            try await #expect(blocked.value.data == Data("slow".utf8))
        }
    }
}
