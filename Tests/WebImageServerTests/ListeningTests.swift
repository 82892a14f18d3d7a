import Foundation
import Testing
import WebImageHTTP
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTesting

extension HTTPServerTests {
    @Test func localSocketHasItsModeAndIsRemoved() async throws {
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("s").path
        var configuration = HTTPServerConfiguration()
        configuration.socketMode = 0o600
        try await withServer([.local(path: path)], configuration, respond: { .text($0.client ?? "none") }) { server in
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            try await onThread { [address = server.address] in
                let client = try RawClient(address)
                #expect(try client.get("/").text == "none")
                // A client on a local socket counts as a trusted proxy, because it runs on this machine.
                #expect(try client.get("/", further: "X-Forwarded-For: 192.0.2.7\r\n").text == "192.0.2.7")
            }
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func staleSocketIsReplacedAndALiveOneIsKept() async throws {
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("s").path
        try await withServer([.local(path: path)]) { server in
            // Create a second link to the socket file. The link remains after the server has ended and simulates the
            // socket file of a crashed server.
            #expect(link(path, path + "2") == 0)
            #expect(throws: HTTPServerError.self) {
                try HTTPServer(listening: [.local(path: path)]) { .echo($0) }
            }
            _ = try await onThread { [address = server.address] in try RawClient(address).get("/") }
        }
        #expect(access(path + "2", F_OK) == 0)
        try await withServer([.local(path: path + "2")]) { server in
            let answer = try await onThread { [address = server.address] in try RawClient(address).get("/x") }
            #expect(answer.text == "GET /x")
        }
    }

    @Test func otherFilesAreNeverReplaced() throws {
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("file").path
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: HTTPServerError.self) { try HTTPServer(listening: [.local(path: path)]) { .echo($0) } }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    }

    @Test func severalAddressesAreServed() async throws {
        let folder = try ScratchFolder()
        let addresses: [ListenAddress] = [
            .network(host: "127.0.0.1", port: 0), .network(host: "::1", port: 0), .everywhere(port: 0),
            .local(path: folder.url.appendingPathComponent("s").path),
        ]
        try await withServer(addresses, respond: { .text($0.client ?? "none") }) { server in
            let clients = try await onThread { [addresses = server.addresses] in
                try addresses.map { try RawClient($0).get("/").text }
            }
            // The third address is an IPv6 socket. The client connects to this socket by IPv4.
            #expect(clients == ["127.0.0.1", "::1", "127.0.0.1", "none"])
        }
    }

    @Test func addressInUseIsAnErrorAndLeavesNothingBehind() async throws {
        try await withServer { server in
            let folder = try ScratchFolder()
            let path = folder.url.appendingPathComponent("s").path
            #expect(throws: HTTPServerError.self) {
                try HTTPServer(listening: [.local(path: path), server.address]) { .echo($0) }
            }
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test func inheritedSocketIsServed() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(listening: [.inherited(descriptor: descriptor, name: nil)]) { .echo($0) }
        }
        #expect(listen(descriptor, 16) == 0)
        try await withServer([.inherited(descriptor: descriptor, name: "web")]) { server in
            let answer = try await onThread { [address = server.address] in
                // The test has not bound the socket to an address, so listen(2) has bound it to all addresses.
                guard case .network(_, let port) = address else { throw RawClient.Failure(description: "\(address)") }
                return try RawClient(.network(host: "127.0.0.1", port: port)).get("/x")
            }
            #expect(answer.text == "GET /x")
        }
    }

    @Test func connectionsAreLimited() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.maxConnections = 3
        try await withServer([.network(host: "127.0.0.1", port: 0)], configuration) { server in
            let clients = try await onThread { [address = server.address] in
                let clients = try (0..<3).map { _ in try RawClient(address) }
                for client in clients { _ = try client.get("/") }
                #expect(try RawClient(address).answer().status == 503)
                return clients
            }
            #expect(server.statistics.refusedConnections == 1)
            clients[0].leave()
            #expect(await eventually { server.statistics.openConnections == 2 })
            try await onThread { [address = server.address] in
                let new = try RawClient(address).get("/")
                let old = try clients[1].get("/")
                #expect(new.status == 200 && old.status == 200)
            }
        }
    }

    @Test func connectionsOfOneClientAreLimited() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.maxConnectionsPerClient = 3
        let addresses: [ListenAddress] = [.network(host: "127.0.0.1", port: 0), .network(host: "::1", port: 0)]
        try await withServer(addresses, configuration) { server in
            let clients = try await onThread { [addresses = server.addresses] in
                let clients = try (0..<3).map { _ in try RawClient(addresses[0]) }
                for client in clients { _ = try client.get("/") }
                #expect(try RawClient(addresses[0]).answer().status == 429)
                // A client with a different address is still served.
                #expect(try RawClient(addresses[1]).get("/").status == 200)
                return clients
            }
            #expect(server.statistics.refusedConnectionsOfClient == 1)
            var trusting = configuration
            trusting.trustedProxies = [try #require(AddressRange("127.0.0.1"))]
            server.update(trusting)
            let status = try await onThread { [address = server.address] in try RawClient(address).get("/").status }
            #expect(status == 200)
            withExtendedLifetime(clients) {}
        }
    }
}

@Suite struct AddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1:8080", true), ("0.0.0.0:80", "0.0.0.0:80", false),
        ("[::1]:8080", "[::1]:8080", true), ("[::]:1", "[::]:1", false), ("*:8080", "*:8080", false),
        (":8080", "*:8080", false), ("localhost:0", "127.0.0.1:0", true), ("unix:/run/x", "unix:/run/x", true),
        ("127.9.9.9:1", "127.9.9.9:1", true), ("[2001:DB8::0]:1", "[2001:db8::]:1", false),
    ])
    func listenAddressIsRead(text: String, description: String, isLoopback: Bool) throws {
        let address = try ListenAddress(text)
        #expect(address.description == description)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1:8080",
        "[127.0.0.1]:80", "example.com:80", "unix:", "unix:" + String(repeating: "a", count: 108), "[::1]", "1.2.3:4",
    ])
    func otherTextIsAnError(text: String) {
        #expect(throws: HTTPServerError.self) { try ListenAddress(text) }
    }

    @Test func addressesThatOnlyMapLoopbackAreNotLoopback() throws {
        #expect(try !ListenAddress("[::ffff:127.0.0.1]:80").isLoopback)
    }
}
