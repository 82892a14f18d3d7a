import Foundation
import Testing
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTestSupport
import WebImageTesting

extension HTTPServerTests {
    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0,0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX-A : 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX A: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX@A: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX\u{E4}: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX-A: \u{1}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX-A: \u{7F}\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 4\r\n\r\nbody",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\t4\r\n\r\nbody",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "get / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a/%2e%2e/../b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a b/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a..b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
    ])
    func malformedHeadIsRefusedOnceAndTheConnectionClosed(head: String) async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                // The server must not read the second request. Otherwise an attacker could smuggle this request through
                // a proxy.
                client.send(head + "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n")
                let text = client.readToEnd()
                #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
                #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2 && !text.contains("hidden"))
                #expect(text.contains("Connection: close\r\n") && text.contains("Cache-Control: no-store\r\n"))
            }
            #expect(server.statistics.requests == 0 && server.statistics.refusedRequests == 1)
        }
    }

    @Test(arguments: ["/a\0/hidden", "/a\0", "\0/a", "/a?\0b", "/a%20b?c&\0b=1"])
    func aZeroByteInATargetIsRefusedAndTheConnectionClosed(target: String) async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n")
                let text = client.readToEnd()
                #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
                #expect(!text.contains("hidden"))
            }
            #expect(server.statistics.requests == 0)
        }
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ])
    func bodyIsRefused(head: String) async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                client.send(head)
                #expect(client.readToEnd().hasPrefix("HTTP/1.1 413 "))
                let other = try RawClient(address)
                #expect(try other.get("/", method: "POST", further: "Content-Length: 0\r\n").text == "POST /")
            }
        }
    }

    /// The comparison of field names must not depend on the locale. In the Turkish locale, the C library converts the
    /// letter I to lower case as a letter that is not i.
    @Test(.enabled(if: CompiledLocale.isAvailable)) func fieldsAreTheSameInEveryLanguage() async throws {
        let folder = try ScratchFolder()
        try CompiledLocale.compile("tr_TR.UTF-8", into: folder.url.path)
        await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
            try #require(CompiledLocale.use("tr_TR.UTF-8", in: path))
            let heads = [
                "GET / HTTP/1.1\r\nHOST: a\r\nTRANSFER-ENCODING: chunked\r\nCONTENT-LENGTH: 4\r\n\r\n": 400,
                "POST / HTTP/1.1\r\nHOST: a\r\nTRANSFER-ENCODING: CHUNKED\r\n\r\n0\r\n\r\n": 413,
                "GET / HTTP/1.1\r\nHOST: a\r\nhost: a\r\n\r\n": 400,
            ]
            try await withServer { server in
                try await onThread { [address = server.address] in
                    for (head, status) in heads {
                        let client = try RawClient(address)
                        client.send(head)
                        let text = client.readToEnd()
                        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(head)\(text)")
                    }
                }
            }
        }
    }

    @Test func longTargetIsRefused() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.maxTargetBytes = 100
        try await withServer([.network(host: "127.0.0.1", port: 0)], configuration) { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                #expect(try client.get("/" + String(repeating: "a", count: 99)).status == 200)
                #expect(try client.get("/" + String(repeating: "a", count: 100)).status == 414)
                #expect(client.isEnded())
            }
        }
    }

    @Test(arguments: ["X-A: ", "one field"])
    func megabyteHeadIsRefused(kind: String) async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                let field = kind == "one field" ? "X-A: " + String(repeating: "a", count: 1 << 20) + "\r\n" : ""
                let fields = (0..<50_000).map { "X-\($0): aaaaaaaaaa\r\n" }.joined()
                client.send("GET / HTTP/1.1\r\nHost: a\r\n" + (field.isEmpty ? fields : field) + "\r\n")
                // The response can be lost, because the server closes the connection while the client still writes.
                let text = client.readToEnd()
                #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 431 "), "\(text.prefix(100))")
                #expect(try RawClient(address).get("/ok").status == 200)
            }
            #expect(server.statistics.requests == 1)
        }
    }

    @Test func pipelinedGarbageEndsTheConnection() async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                for garbage in [
                    "\0\0\0\0\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / FTP/9\r\n\r\n",
                ] {
                    let client = try RawClient(address)
                    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" + garbage)
                    #expect(try client.answer().text == "GET /a")
                    client.leave(Int32(SHUT_WR))
                    _ = client.readToEnd()
                }
                #expect(try RawClient(address).get("/ok").status == 200)
            }
        }
    }

    @Test func connectionWithASlowHeadIsClosedWhileOthersAreServed() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let slow = try await onThread { [address = server.address] in
                let clients = try (0..<50).map { _ in try RawClient(address) }
                for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\nX-") }
                return clients
            }
            #expect(await eventually { server.statistics.acceptedConnections == 50 })
            for _ in 0..<9 {
                clock.advance(by: .seconds(1))
                // These clients send one byte per second. The deadline for a request head must still apply.
                for client in slow { client.send("a") }
            }
            #expect(server.statistics.headTimeouts == 0)
            clock.advance(by: .seconds(1))
            try await onThread { [address = server.address] in
                let during = try RawClient(address).get("/quick")
                #expect(during.text == "GET /quick")
                for client in slow { #expect(client.isEnded()) }
                let after = try RawClient(address).get("/quick")
                #expect(after.text == "GET /quick")
            }
            #expect(server.statistics.headTimeouts == 50)
        }
    }

    @Test func connectionWithASlowLaterHeadIsClosed() async throws {
        let clock = VirtualClock()
        var configuration = HTTPServerConfiguration()
        configuration.idleTimeout = .seconds(1 << 40)
        try await withServer([.network(host: "127.0.0.1", port: 0)], configuration, clock: clock) { server in
            let client = try await onThread { [address = server.address] in
                let client = try RawClient(address)
                _ = try client.get("/")
                return client
            }
            #expect(await eventually { server.statistics.completedRequests == 1 })
            clock.advance(by: .seconds(20))
            client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            // The server can read the request line after the clock has advanced. Advance the clock repeatedly until the
            // connection closes.
            #expect(
                await eventually {
                    clock.advance(by: .seconds(10))
                    return server.statistics.openConnections == 0
                })
            #expect(try await onThread { client.isEnded() })
            #expect(server.statistics.headTimeouts == 1)
        }
    }

    @Test func idleConnectionIsClosed() async throws {
        let clock = VirtualClock()
        try await withServer(clock: clock) { server in
            let client = try await onThread { [address = server.address] in
                let client = try RawClient(address)
                _ = try client.get("/")
                return client
            }
            #expect(await eventually { server.statistics.completedRequests == 1 })
            clock.advance(by: .seconds(29))
            #expect(try await onThread { try client.get("/again").text } == "GET /again")
            #expect(await eventually { server.statistics.completedRequests == 2 })
            clock.advance(by: .seconds(31))
            #expect(try await onThread { client.isEnded() })
            #expect(server.statistics.idleTimeouts == 1)
        }
    }

    @Test func connectionThatReadsNoBytesIsClosed() async throws {
        let clock = VirtualClock()
        let bytes = Data(count: 64 << 20)
        try await withServer(clock: clock, respond: { _ in ServiceResponse(status: 200, body: .bytes(bytes)) }) {
            server in
            let client = try await onThread { [address = server.address] in
                let client = try RawClient(address)
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            #expect(await eventually { client.hasBytes() })
            // The deadline starts at the first check after the client has acknowledged its last byte. Advance the clock
            // repeatedly, so that the server first makes this check and then reaches the deadline.
            #expect(
                await eventually {
                    clock.advance(by: .seconds(31))
                    return server.statistics.sendTimeouts == 1
                })
            #expect(await eventually { server.statistics.openConnections == 0 })
        }
    }

    @Test func slowHandlerHasNoDeadlineInTheServer() async throws {
        let clock = VirtualClock()
        let gate = Gate()
        try await withServer(
            clock: clock,
            respond: { request in
                if request.target == "/a" { await gate.wait() }
                return .echo(request)
            }
        ) { server in
            let client = try await onThread { [address = server.address] in
                let client = try RawClient(address)
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            #expect(await eventually { gate.waitingCount == 1 })
            clock.advance(by: .seconds(1000))
            // The server has finished its check of the deadlines when it accepts this connection.
            let idle = try await onThread { [address = server.address] in try RawClient(address) }
            #expect(await eventually { server.statistics.acceptedConnections == 2 })
            clock.advance(by: .seconds(1000))
            #expect(try await onThread { idle.isEnded() })
            gate.open()
            #expect(try await onThread { try client.answer().text } == "GET /a")
        }
    }
}
