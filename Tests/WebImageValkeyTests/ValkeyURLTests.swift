import Testing
import WebImageCore
import WebImageHTTP

@testable import WebImageValkey

@Suite struct ValkeyURLTests {
    @Test func addressesAreRead() throws {
        let plain = try ValkeyConnection.Configuration(url: "valkey://cache.example")
        #expect(plain.destination.address == .host("cache.example", port: 6379))
        #expect(plain.destination.encryption == nil && plain.user == nil && plain.password == nil)
        let full = try ValkeyConnection.Configuration(url: "rediss://web:s%40cret@[::1]:7000/3")
        #expect(full.destination.address == .host("::1", port: 7000))
        #expect(full.destination.encryption != nil)
        #expect(full.user == "web" && full.password == "s@cret" && full.database == 3)
        let passwordOnly = try ValkeyConnection.Configuration(url: "redis://:word@h")
        #expect(passwordOnly.user == nil && passwordOnly.password == "word")
        let unix = try ValkeyConnection.Configuration(url: "unix:///run/valkey/valkey.sock")
        #expect(unix.destination.address == .unix(path: "/run/valkey/valkey.sock"))
    }

    @Test(arguments: [
        "", "cache.example", "http://h", "valkey://", "valkey://h:0", "valkey://h:70000", "valkey://h/a",
        "valkey://h/1/2",
        "unix://relative", "unix:", "valkey://user@h",
    ]) func malformedAddressIsRefusedWithoutItsPassword(text: String) {
        #expect(throws: WebImageError.self) { try ValkeyConnection.Configuration(url: text) }
    }
}
