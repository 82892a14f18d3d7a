import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// Checks which addresses and URLs a `DownloadPolicy` refuses. The addresses in the tables are at the edges of the
/// registered special-use ranges, where a wrong range would allow an internal address or refuse a public one.
struct DownloadPolicyTests {
    @Test(arguments: [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.169.254", "169.254.0.0", "172.16.0.0", "172.31.255.255", "192.0.0.8", "192.0.2.1",
        "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::8.8.8.8",
        "64:ff9b::127.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::",
        "3fff::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
        // An ISATAP address (RFC 5214): its last 32 bits are a private IPv4 address.
        "2a00:1450::5efe:10.0.0.1",
    ])
    func specialAddressIsRefused(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.specialUse != nil)
        let host = text.contains(":") ? "[\(text.split(separator: "%")[0])]" : text
        let url = try #require(URL(string: "http://\(host)/a.png"))
        #expect(DownloadPolicy.server.refusal(of: url)?.code == .invalidDownloadOperation)
        #expect(DownloadPolicy().refusal(of: url) == nil)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001:801::200e",
    ])
    func publicAddressPasses(text: String) throws {
        #expect(try #require(IPAddress(text)).specialUse == nil)
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "0x7f.1", "2130706433", "::g", "1::2::3", "localhost"])
    func otherNotationsAreNoAddress(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "x/8", "10.0.0.0/8/8", "::/129", ""])
    func invalidAddressRangesAreNil(text: String) { #expect(AddressRange(text) == nil) }

    @Test func exceptionsAreAllowed() throws {
        var policy = DownloadPolicy.server
        policy.allowedAddresses = [try #require(AddressRange("10.1.0.0/16"))]
        #expect(policy.refusal(of: try #require(URL(string: "http://10.1.2.3/"))) == nil)
        #expect(policy.refusal(of: try #require(URL(string: "http://10.2.2.3/"))) != nil)
    }

    @Test func hostsAndSchemesAreHeld() throws {
        var policy = DownloadPolicy()
        policy.allowedHosts = ["example.org", ".cdn.example.net"]
        policy.deniedHosts = ["bad.cdn.example.net"]
        func passes(_ text: String) throws -> Bool { policy.refusal(of: try #require(URL(string: text))) == nil }
        #expect(try passes("https://example.org/a"))
        #expect(try passes("https://EXAMPLE.org./a"))
        #expect(try passes("https://a.cdn.example.net/a"))
        #expect(try !passes("https://bad.cdn.example.net/a"))
        #expect(try !passes("https://sub.example.org/a"))
        #expect(try !passes("https://evilexample.org/a"))
        #expect(try !passes("file:///etc/passwd"))
        #expect(try !passes("ftp://example.org/a"))
        policy.allowedSchemes = ["https"]
        #expect(try !passes("http://example.org/a"))
    }

    @Test func downgradeIsRefusedUnlessAllowed() throws {
        let secure = try #require(URL(string: "https://a.example/"))
        let plain = try #require(URL(string: "http://a.example/"))
        var policy = DownloadPolicy()
        #expect(policy.refusal(ofRedirectFrom: secure, to: plain) != nil)
        #expect(policy.refusal(ofRedirectFrom: plain, to: secure) == nil)
        policy.allowsDowngrade = true
        #expect(policy.refusal(ofRedirectFrom: secure, to: plain) == nil)
    }

    @Test func refusedURLsAreNotRememberedAsFailed() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let error = try #require(DownloadPolicy.server.refusal(of: url))
        #expect(!error.shouldBlockURL)
    }
}
