import Foundation
import Testing
import WebImageCore
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTesting

extension HTTPServerTests {
    /// A client that closes its connection and a client that only ends its sending direction look the same at first. The
    /// server must cancel the request of the first client only.
    @Test(arguments: [true, false])
    func clientThatLeavesCancelsItsTask(isClosed: Bool) async throws {
        let gate = Gate()
        let isCancelled = Locked(false)
        try await withServer(respond: { request in
            await gate.wait()
            isCancelled.withLock { $0 = Task.isCancelled }
            return .echo(request)
        }) { server in
            var client: RawClient? = try await onThread { [address = server.address] in try RawClient(address) }
            client?.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await eventually { gate.waitingCount == 1 })
            if isClosed { client = nil } else { client?.leave() }
            #expect(await eventually { gate.cancelledCount == 1 })
            #expect(await eventually { server.statistics.openConnections == 0 })
            #expect(isCancelled.withLock { $0 })
            #expect(server.statistics.abandonedRequests == 1)
        }
    }

    @Test(arguments: [true, false])
    func clientThatEndsOnlyItsSendingReceivesEveryAnswer(isLocal: Bool) async throws {
        let gate = Gate()
        let folder = try ScratchFolder()
        let listener: ListenAddress =
            isLocal ? .local(path: folder.url.appendingPathComponent("s").path) : .network(host: "127.0.0.1", port: 0)
        try await withServer(
            [listener],
            respond: { request in
                if request.target == "/wait" { await gate.wait() }
                return .echo(request)
            }
        ) { server in
            let clients = try await onThread { [address = server.address] in
                try (0..<60).map { number in
                    let client = try RawClient(address)
                    // Some clients end their sending before the server has read their requests.
                    let first = number % 2 == 0 ? "/wait" : "/now"
                    client.send(
                        "GET \(first) HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\n"
                            + "HEAD /last HTTP/1.0\r\n\r\n")
                    client.leave(Int32(SHUT_WR))
                    return client
                }
            }
            #expect(await eventually { gate.waitingCount == 60 })
            gate.open()
            try await onThread {
                for (number, client) in clients.enumerated() {
                    let first = try client.answer().text
                    #expect(first == (number % 2 == 0 ? "GET /wait" : "GET /now"))
                    #expect(try client.answer().text == "GET /wait")
                    #expect(try client.answer(isHead: true).fields["content-length"] == "10")
                    #expect(client.isEnded())
                }
            }
            #expect(gate.cancelledCount == 0 && server.statistics.abandonedRequests == 0)
        }
    }

    @Test func clientThatStaysIsNotCancelled() async throws {
        let gate = Gate()
        try await withServer(respond: { request in
            await gate.wait()
            return .echo(request)
        }) { server in
            let clients = try await onThread { [address = server.address] in
                try (0..<20).map { _ in try RawClient(address) }
            }
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(await eventually { gate.waitingCount == 20 })
            for client in clients.prefix(10) { client.leave() }
            #expect(await eventually { gate.cancelledCount == 10 })
            gate.open()
            let answers = try await onThread { try clients.suffix(10).map { try $0.answer().status } }
            #expect(answers == [Int](repeating: 200, count: 10))
            #expect(gate.cancelledCount == 10)
        }
    }

    /// Clients disconnect at random moments. For every request, the server uses the handler's response exactly once.
    /// No resource leaks.
    @Test func everyRequestIsAnsweredOnceForEveryClientBehaviour() async throws {
        let begun = Locked(0)
        let ended = Locked(0)
        try await withServer(respond: { request in
            let number = begun.withLock { begun in
                begun += 1
                return begun
            }
            defer { ended.withLock { $0 += 1 } }
            for _ in 0..<number % 6 { await Task.yield() }
            return .echo(request)
        }) { server in
            let clients = 8
            let answers = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seed in 0..<clients {
                    group.addTask { [address = server.address] in
                        try await onThread {
                            var random = SeededRandom(seed: UInt64(seed))
                            for round in 0..<60 {
                                let client = try RawClient(address)
                                let count = Int.random(in: 1...4, using: &random)
                                let lines = (0..<count).map {
                                    "GET /\(seed)/\(round)/\($0) HTTP/1.1\r\nHost: a\r\n\r\n"
                                }
                                client.send(lines.joined())
                                guard Bool.random(using: &random) else {
                                    client.leave(Bool.random(using: &random) ? Int32(SHUT_WR) : Int32(SHUT_RDWR))
                                    continue
                                }
                                for number in 0..<count {
                                    #expect(try client.answer().text == "GET /\(seed)/\(round)/\(number)")
                                    answers.withLock { $0 += 1 }
                                }
                                #expect(!client.hasBytes())
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(answers.withLock { $0 } > 0)
            #expect(await eventually { server.statistics.openConnections == 0 })
            #expect(await eventually { begun.withLock { $0 } == ended.withLock { $0 } })
            #expect(server.statistics.requests == begun.withLock { $0 })
        }
    }
}
