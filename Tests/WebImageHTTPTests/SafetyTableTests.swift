import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// The `.server` policy refuses forbidden addresses in every notation before a byte is sent. An address can be in the
/// URL, in a redirect, or the address of a host name.
@Suite(.timeLimit(minutes: 1))
struct SafetyTableTests {
    static let addresses = [
        // Unspecified, loopback, link-local, cloud metadata, private and carrier-grade NAT addresses.
        "0.0.0.0", "[::]", "127.0.0.1", "127.255.0.9", "[::1]", "169.254.1.1", "[fe80::1]", "169.254.169.254",
        "[fd00:ec2::254]", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "[fc00::1]", "100.64.0.1",
        // IPv4 addresses inside IPv6 addresses (mapped, compatible, NAT64, 6to4), then multicast, reserved and
        // documentation addresses.
        "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[64:ff9b::808:808]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "224.0.0.1", "[ff02::1]", "255.255.255.255",
        "192.0.2.1", "[2001:db8::1]",
    ]

    /// Other spellings that the resolver accepts as an address of this machine.
    static let spellings = [
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "localhost", "LOCALHOST", "127.0.0.1.",
        "%31%32%37.0.0.1", "0", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]",
    ]

    /// How a load reaches an address: the URL contains it, a redirect leads to it, or a host name resolves to it.
    enum Way: CaseIterable, Sendable { case direct, redirect, name }

    private func expectRefusal(of host: String, by way: Way, resolvedTo address: String? = nil) async throws {
        var config = WebImageDownloaderConfig.default
        config.policy = .server
        if way == .redirect { config.policy?.allowedAddresses = [try #require(AddressRange("127.0.0.77"))] }
        let outer = try FaultServer(host: "127.0.0.77")
        defer { outer.stop() }
        try await withDownloader(config) { server, downloader in
            server.route("/secret", .body(Data("secret".utf8)))
            if let address { downloader.config.resolvedHosts = ["\(host):\(server.port):\(address)"] }
            let target = try #require(URL(string: "http://\(host):\(server.port)/secret"))
            outer.route("/away", .redirect(to: target.absoluteString))
            let error = try await downloader.failure(way == .redirect ? outer.url("/away") : target)
            #expect(error.code == .invalidDownloadOperation, "\(error)")
            #expect(error.description.contains("is not public"), "\(error)")
            // The server listens at 127.0.0.1. Many addresses of the table would reach the server if the policy
            // did not refuse them.
            #expect(server.connectionCount == 0)
            #expect(outer.requests.count == (way == .redirect ? 1 : 0))
        }
    }

    @Test(arguments: addresses, Way.allCases)
    func forbiddenAddressIsRefused(_ address: String, _ way: Way) async throws {
        if way == .name {
            try await expectRefusal(of: "innocent.example", by: way, resolvedTo: address)
        } else {
            try await expectRefusal(of: address, by: way)
        }
    }

    @Test(arguments: spellings, [Way.direct, .redirect])
    func forbiddenAddressInAnotherSpellingIsRefused(_ host: String, _ way: Way) async throws {
        try await expectRefusal(of: host, by: way)
    }

    @Test func nameWithAPublicAndAForbiddenAddressNeverReachesTheForbiddenOne() async throws {
        var config = WebImageDownloaderConfig.default
        config.policy = .server
        config.downloadTimeout = 2
        try await withDownloader(config) { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            let name = "mixed.example:\(server.port)"
            // The name has two addresses. The policy allows the first address, but no server listens at this
            // address. The server listens at the second address, which the policy does not allow. After the
            // first connection has failed, the downloader must not connect to the second address.
            downloader.config.policy?.allowedAddresses = [try #require(AddressRange("127.0.0.99"))]
            downloader.config.resolvedHosts = ["\(name):127.0.0.99,127.0.0.1"]
            let url = try #require(URL(string: "http://\(name)/a"))
            _ = try await downloader.failure(url)
            #expect(server.connectionCount == 0)
        }
    }
}
