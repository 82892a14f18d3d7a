import Foundation
import Testing
import WebImageCore
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTestSupport
import WebImageTesting

extension HTTPServerTests {
    /// Starts a server and passes it to `body`. The server responds immediately to targets that begin with `/now`. It
    /// responds to other targets in a task.
    private func withImmediateServer(
        waiting: Gate? = nil, _ body: (HTTPServer, Locked<[String]>) async throws -> Void
    ) async throws {
        let clients = Locked<[String]>([])
        let server = try HTTPServer(
            listening: [.network(host: "127.0.0.1", port: 0)],
            respondImmediately: { request in
                clients.withLock { $0.append("\(request.client ?? "none") \(request.headers["X-Number"] ?? "none")") }
                guard request.target.hasPrefix("/now") else { return nil }
                if request.target == "/now/large" {
                    return ServiceResponse(status: 200, body: .bytes(Data(repeating: 7, count: 3 << 20)))
                }
                return .text(
                    "now \(request.method) \(request.target)", status: request.target == "/now/404" ? 404 : 200)
            },
            respond: { request in
                await waiting?.wait()
                return .text("later \(request.method) \(request.target)")
            })
        do {
            try await body(server, clients)
        } catch {
            await server.stop(within: .zero)
            throw error
        }
        await server.stop(within: .zero)
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
    }

    @Test func immediateAndLaterResponsesShareAConnectionInOrder() async throws {
        try await withImmediateServer { server, clients in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                client.send(
                    (0..<30).map {
                        "GET /\($0 % 3 == 0 ? "now" : "later")/\($0) HTTP/1.1\r\nHost: a\r\nX-Number: \($0)\r\n\r\n"
                    }.joined())
                for number in 0..<30 {
                    let kind = number % 3 == 0 ? "now" : "later"
                    let answer = try client.answer()
                    #expect(answer.text == "\(kind) GET /\(kind)/\(number)")
                }
                let missing = try client.get("/now/404")
                #expect(missing.status == 404)
                let head = try client.get("/now/x", method: "HEAD")
                #expect(head.fields["content-length"] == "15")
                let large = try client.get("/now/large")
                #expect(large.body.count == 3 << 20)
            }
            #expect(server.statistics.requests == 33 && server.statistics.acceptedConnections == 1)
            #expect(await eventually { server.statistics.completedRequests == 33 })
            #expect(clients.withLock { $0.prefix(2) } == ["127.0.0.1 0", "127.0.0.1 1"])
        }
    }

    @Test func immediateResponsesAreSentWhileEveryTaskWaits() async throws {
        let gate = Gate()
        try await withImmediateServer(waiting: gate) { server, _ in
            let blocked = try await onThread { [address = server.address] in
                try (0..<64).map { _ in
                    let client = try RawClient(address)
                    client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client
                }
            }
            #expect(await eventually { gate.waitingCount == 64 })
            try await onThread { [address = server.address] in
                let answer = try RawClient(address).get("/now/1")
                #expect(answer.text == "now GET /now/1")
            }
            gate.open()
            try await onThread {
                for client in blocked {
                    let answer = try client.answer()
                    #expect(answer.text == "later GET /later")
                }
            }
        }
    }

    @Test func anImmediateResponseDuringAStopClosesItsConnection() async throws {
        let gate = Gate()
        try await withImmediateServer(waiting: gate) { server, _ in
            let clients = try await onThread { [address = server.address] in
                let clients = [try RawClient(address), try RawClient(address)]
                let answer = try clients[0].get("/now/1")
                #expect(answer.status == 200)
                clients[1].send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
                return clients
            }
            #expect(await eventually { gate.waitingCount == 1 })
            async let stopped: Void = server.stop(within: .seconds(30))
            // The idle connection closes without a response, or its request gets 200 or 503. The request in flight gets
            // its response.
            try await onThread {
                clients[0].send("GET /now/2 HTTP/1.1\r\nHost: a\r\n\r\n")
                if let answer = try? clients[0].answer() { #expect([200, 503].contains(answer.status)) }
                gate.open()
                let last = try clients[1].answer()
                #expect(last.text == "later GET /later")
                #expect(clients[0].isEnded() && clients[1].isEnded())
            }
            await stopped
        }
    }
}
