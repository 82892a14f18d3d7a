import Foundation
import Testing
import WebImageHTTP
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTesting

extension HTTPServerTests {
    @Test func connectionServesSeveralRequests() async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                for number in 0..<5 {
                    let answer = try client.get("/a%2Fb/\(number)?x=%20")
                    #expect(answer.status == 200)
                    #expect(answer.text == "GET /a%2Fb/\(number)?x=%20")
                    #expect(answer.fields["connection"]?.lowercased() != "close")
                    #expect(answer.fields["date"] != nil)
                }
            }
            #expect(server.statistics.acceptedConnections == 1)
            #expect(server.statistics.requests == 5)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let gate = Gate()
        try await withServer(respond: { request in
            if request.target == "/0" { await gate.wait() }
            return .echo(request)
        }) { server in
            let client = try await onThread { [address = server.address] in try RawClient(address) }
            client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            #expect(await eventually { gate.waitingCount == 1 })
            // The server reads the next request of a connection only after it has responded to the previous request.
            #expect(server.statistics.requests == 1)
            gate.open()
            try await onThread {
                for number in 0..<20 {
                    let answer = try client.answer()
                    #expect(answer.text == "GET /\(number)")
                }
                client.send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let last = try client.answer()
                #expect(last.text == "GET /last")
                #expect(client.isEnded())
            }
        }
    }

    @Test func headResponseHasTheLengthWithoutTheBody() async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                let head = try client.get("/x", method: "HEAD")
                #expect(head.fields["content-length"] == "7")
                // If the response to HEAD had a body, the client would read the body as the head of the next response.
                #expect(try client.get("/y").text == "GET /y")
            }
        }
    }

    @Test func statusWithoutBodySendsNone() async throws {
        try await withServer(respond: { request in
            request.target == "/204"
                ? ServiceResponse(status: 204)
                : request.target == "/304/unknown"
                    ? ServiceResponse(status: 304)
                    : ServiceResponse(status: 304, headers: ["ETag": "\"a\""], body: .bytes(Data("ninebytes".utf8)))
        }) { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                for _ in 0..<2 {
                    let empty = try client.get("/204")
                    #expect(empty.status == 204)
                    #expect(empty.fields["content-length"] == nil)
                    // A 304 response declares the length of the 200 response (RFC 9110 §8.6). If the 304 response had a
                    // body, the client would read the body as the head of the next response.
                    let same = try client.get("/304", method: "GET", isHead: true)
                    #expect(same.status == 304)
                    #expect(same.fields["etag"] == "\"a\"")
                    #expect(same.fields["content-length"] == "9")
                    let unknown = try client.get("/304/unknown")
                    #expect(unknown.status == 304 && unknown.fields["content-length"] == nil)
                }
            }
        }
    }

    @Test func bodiesAreReceivedCompletely() async throws {
        let folder = try ScratchFolder()
        var random = SeededRandom(seed: 7)
        let bytes = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        let path = folder.url.appendingPathComponent("body").path
        try bytes.write(to: URL(fileURLWithPath: path))
        let file = try #require(ServiceFile(path: path))
        try await withServer(respond: { request in
            switch request.target {
            case "/memory": ServiceResponse(status: 200, body: .bytes(bytes))
            case "/file": ServiceResponse(status: 200, body: .file(file, 0..<file.byteCount))
            case "/part": ServiceResponse(status: 206, body: .file(file, 1_000_001..<1_500_000))
            case "/slice": ServiceResponse(status: 200, body: .bytes(bytes[5..<100_000]))
            default: ServiceResponse(status: 200)
            }
        }) { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                for _ in 0..<2 {
                    #expect(try client.get("/memory").body == bytes)
                    #expect(try client.get("/file").body == bytes)
                    #expect(try client.get("/part").body == Data(bytes[1_000_001..<1_500_000]))
                    #expect(try client.get("/slice").body == Data(bytes[5..<100_000]))
                    #expect(try client.get("/file", method: "HEAD").fields["content-length"] == "3000000")
                    #expect(try client.get("/none").fields["content-length"] == "0")
                }
            }
        }
        // After the responses, the server closes only its own descriptors. The descriptor of `file` is still open.
        #expect(file.bytes(in: 0..<4) == bytes.prefix(4))
    }

    @Test func requestCarriesItsHeadAndItsClient() async throws {
        try await withServer(respond: { request in
            .text([request.headers["x-a"] ?? "", request.client ?? "none"].joined(separator: "|"))
        }) { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                #expect(try client.get("/", further: "X-A: 1\r\nx-a:  two \r\n").text == "1, two|127.0.0.1")
                // No proxy is trusted by default.
                #expect(try client.get("/", further: "X-Forwarded-For: 192.0.2.9\r\n").text == "|127.0.0.1")
            }
        }
    }

    @Test func trustedProxySetsTheClientAddress() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.trustedProxies = [try #require(AddressRange("127.0.0.0/8"))]
        try await withServer(
            [.network(host: "127.0.0.1", port: 0)], configuration,
            respond: { request in
                .text(request.client ?? "none")
            }
        ) { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                #expect(try client.get("/", further: "X-Forwarded-For: 6.6.6.6, 192.0.2.9\r\n").text == "192.0.2.9")
                #expect(try client.get("/", further: "X-Forwarded-For: 2001:db8::1\r\n").text == "2001:db8::1")
                #expect(try client.get("/").text == "127.0.0.1")
            }
        }
    }

    @Test func absoluteTargetBecomesAPath() async throws {
        try await withServer { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                #expect(try client.get("http://other/a/b?c").text == "GET /a/b?c")
                #expect(try client.get("HTTP://other").text == "GET /")
                #expect(try client.get("/http://other").text == "GET /http://other")
            }
        }
    }

    @Test func responseFieldsCannotBreakTheFraming() async throws {
        try await withServer(respond: { request in
            var response = ServiceResponse(status: request.target == "/odd" ? 42 : 200, body: .bytes(Data("x".utf8)))
            response.headers["Content-Length"] = "100"
            response.headers["Transfer-Encoding"] = "chunked"
            response.headers["Connection"] = "upgrade"
            return response
        }) { server in
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                let answer = try client.get("/")
                #expect(answer.text == "x")
                #expect(answer.fields["transfer-encoding"] == nil)
                #expect(try client.get("/odd").status == 500)
                #expect(try client.get("/").text == "x")
            }
        }
    }
}
