import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTestSupport
import WebImageTesting

/// A loader whose sources never arrive.
private struct HangingLoader: ImageLoader {
    let gate = Gate()

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        await gate.wait()
        throw .cancelled
    }

    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
}

extension HTTPServerTests {
    /// A request without an answer at the end of the drain is one answer in the log and in the metrics.
    @Test func requestCutAtTheEndOfTheDrainCountsOnce() async throws {
        let (loader, folder) = (HangingLoader(), try ScratchFolder())
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = folder.url.path
        let service = try ImageService(configuration: configuration, loader: loader)
        let log = Locked<[String]>([])
        let server = try HTTPServer(
            listening: [.network(host: "127.0.0.1", port: 0)],
            answered: { request, response in
                log.withLock { $0.append("\(response.status) \(request.target) \(response.logEntry.target)") }
            },
            refuse: {
                service.refusal(
                    status: $0.status, message: $0.message, retryAfter: $0.retryAfter, accepted: $0.accepted)
            },
            respond: { await service.respond(to: $0) })
        let target = "/_/w:9/plain/http://example.com/a?secret=1"
        let client = try await onThread { [address = server.address] in
            let client = try RawClient(address)
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(await eventually { loader.gate.waitingCount == 1 })
        service.announceDraining()
        await server.stop(within: .zero)
        let answer = try await onThread { try client.answer() }
        #expect(answer.status == 503 && answer.fields["retry-after"] == "1" && answer.fields["x-request-id"] != nil)
        #expect(log.withLock { $0 } == ["503 \(target) /_/w:9/plain/…"])
        func metrics() async -> [String] {
            let response = await service.respondToOperator(ServiceRequest(target: "/metrics"))
            guard case .bytes(let text) = response.body else { return [] }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("webimage_requests_total{") && !$0.contains("metrics") }
        }
        var lines = await metrics()
        while lines.isEmpty {
            await Task.yield()
            lines = await metrics()
        }
        #expect(lines.count == 1 && lines[0].contains("status=\"503\"") && lines[0].hasSuffix(" 1"), "\(lines)")
    }

    @Test func stopWaitsForRunningRequests() async throws {
        let gate = Gate()
        let server = try HTTPServer(listening: [.network(host: "127.0.0.1", port: 0)]) { request in
            if request.target == "/slow" { await gate.wait() }
            return .echo(request)
        }
        let (slow, used) = try await onThread { [address = server.address] in
            let used = try RawClient(address)
            let slow = try RawClient(address)
            slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            return (slow, used)
        }
        #expect(await eventually { gate.waitingCount == 1 })
        #expect(try await onThread { try used.get("/a").status } == 200)
        let stopping = Task { await server.stop(within: .seconds(600)) }
        // During the stop, a new request on an open connection receives its response with `Connection: close`.
        try await onThread { [address = server.address] in
            while true {
                guard let answer = try? used.get("/b") else { break }
                #expect(answer.text == "GET /b")
                if answer.fields["connection"]?.lowercased() == "close" { break }
            }
            while (try? RawClient(address)) != nil {}
        }
        #expect(server.statistics.activeRequests == 1)
        gate.open()
        let answer = try await onThread { try slow.answer() }
        #expect(answer.text == "GET /slow")
        #expect(answer.fields["connection"]?.lowercased() == "close")
        #expect(try await onThread { slow.isEnded() })
        await stopping.value
        #expect(await eventually { serverThreads().isEmpty })
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
    }

    @Test func stopEndsRequestsAtTheDeadline() async throws {
        let gate = Gate()
        let isIgnoring = Gate()
        let server = try HTTPServer(listening: [.network(host: "127.0.0.1", port: 0)]) { request in
            await gate.wait()
            // Wait in a detached task, because the cancellation of the request does not cancel this task.
            await Task.detached { await isIgnoring.wait() }.value
            return .echo(request)
        }
        let clients = try await onThread { [address = server.address] in
            let clients = try (0..<10).map { _ in try RawClient(address) }
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            return clients
        }
        #expect(await eventually { gate.waitingCount == 10 })
        await server.stop(within: .milliseconds(10))
        #expect(gate.cancelledCount == 10)
        try await onThread {
            for client in clients {
                let answer = try client.answer()
                #expect(answer.status == 503)
                #expect(client.isEnded())
            }
        }
        #expect(await eventually { serverThreads().isEmpty })
        // The handlers return their responses only now, after the server has ended.
        isIgnoring.open()
        await server.stop(within: .zero)
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
    }

    /// The server must close connections that it accepts during the stop, even if no thread serves them yet.
    @Test func connectionsAcceptedDuringTheStopAreCounted() async throws {
        for _ in 0..<100 {
            let server = try HTTPServer(listening: [.network(host: "127.0.0.1", port: 0)]) { .echo($0) }
            let clients = try await onThread { [address = server.address] in
                try (0..<8).map { _ in try RawClient(address) }
            }
            await server.stop(within: .zero)
            withExtendedLifetime(clients) {}
        }
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
    }

    @Test func stopClosesIdleConnections() async throws {
        let server = try HTTPServer(listening: [.network(host: "127.0.0.1", port: 0)]) { .echo($0) }
        let clients = try await onThread { [address = server.address] in
            let clients = try (0..<100).map { _ in try RawClient(address) }
            for client in clients.prefix(50) { _ = try client.get("/") }
            for client in clients.suffix(10) { client.send("GET / HTTP/1.1\r\nHo") }
            return clients
        }
        await server.stop(within: .seconds(600))
        try await onThread { for client in clients { #expect(client.isEnded()) } }
        #expect(await eventually { serverThreads().isEmpty })
    }

    @Test func secondStopShortensTheTime() async throws {
        let gate = Gate()
        let server = try HTTPServer(listening: [.network(host: "127.0.0.1", port: 0)]) { request in
            await gate.wait()
            return .echo(request)
        }
        let client = try await onThread { [address = server.address] in
            let client = try RawClient(address)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(await eventually { gate.waitingCount == 1 })
        let first = Task { await server.stop(within: .seconds(600)) }
        await server.stop(within: .zero)
        await first.value
        #expect(try await onThread { try client.answer().status } == 503)
    }

    /// A server that stops under load responds to every request that it has accepted. A client receives a complete
    /// response, or its connection is closed.
    @Test func stopUnderLoadLosesNoRequest() async throws {
        let begun = Locked(0)
        let server = try HTTPServer(listening: [.network(host: "127.0.0.1", port: 0)]) { request in
            begun.withLock { $0 += 1 }
            for _ in 0..<10 { await Task.yield() }
            return .echo(request)
        }
        let address = server.address
        let answered = Locked(0)
        let isStopping = Locked(false)
        let load = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try await onThread {
                            while let client = try? RawClient(address) {
                                while let answer = try? client.get("/\(number)") {
                                    if answer.status == 200 {
                                        #expect(answer.text == "GET /\(number)")
                                        answered.withLock { $0 += 1 }
                                    } else {
                                        #expect(answer.status == 503)
                                        #expect(isStopping.withLock { $0 })
                                    }
                                    if answer.fields["connection"]?.lowercased() == "close" { break }
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(await eventually { answered.withLock { $0 } > 500 })
        isStopping.withLock { $0 = true }
        await server.stop(within: .seconds(600))
        try await load.value
        #expect(begun.withLock { $0 } == answered.withLock { $0 })
        #expect(await eventually { serverThreads().isEmpty })
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
    }

    @Test func serversStartAndStopManyTimes() async throws {
        for _ in 0..<30 {
            try await withServer { server in
                _ = try await onThread { [address = server.address] in try RawClient(address).get("/") }
            }
        }
        #expect(await eventually { serverThreads().isEmpty })
    }
}
