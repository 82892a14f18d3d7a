import Foundation
import Testing
import WebImageCore
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTesting

extension HTTPServerTests {
    @Test(arguments: [Int32(SHUT_RDWR), Int32(SHUT_WR)])
    func clientThatLeavesCancelsItsTask(how: Int32) async throws {
        let gate = Gate()
        let isCancelled = Locked(false)
        try await withServer(respond: { request in
            await gate.wait()
            isCancelled.withLock { $0 = Task.isCancelled }
            return .echo(request)
        }) { server in
            let client = try await onThread { [address = server.address] in try RawClient(address) }
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await eventually { gate.waitingCount == 1 })
            client.leave(how)
            #expect(await eventually { gate.cancelledCount == 1 })
            #expect(await eventually { server.statistics.openConnections == 0 })
            #expect(isCancelled.withLock { $0 })
            #expect(server.statistics.abandonedRequests == 1)
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
