import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests `URL(webAddress:)` with a table of addresses and of the URLs that another parser of the WHATWG URL Standard made
/// of them, and the functions that take an address as text.
@Suite(.timeLimit(minutes: 1))
struct WebAddressTests {
    /// Rows of text, base and result; `Tests/Support/web-addresses.js` made them.
    private func rows() throws -> [[String?]] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let data = try Data(contentsOf: tests.appendingPathComponent("Support/web-addresses.json"))
        return try JSONDecoder().decode([[String?]].self, from: data)
    }

    /// Returns a result of the standard with an escape for each character that RFC 3986 forbids. `URL` cannot contain
    /// these characters.
    private func escaped(_ href: String) -> String {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?".utf8)
        let bytes = Array(href.utf8)
        let mark = href.firstRange(of: /^[a-z][a-z0-9+.\-]*:\/\//)
        let start = mark.map { href.utf8.distance(from: href.startIndex, to: $0.upperBound) } ?? 0
        let end = mark == nil ? 0 : bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        var (result, hasFragment): ([UInt8], Bool) = ([], false)
        for (index, byte) in bytes.enumerated() {
            let digits = bytes[(index + 1)...].prefix(2)
            let isEscape =
                byte == UInt8(ascii: "%") && digits.count == 2
                && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            let isBracket = index < end && "[]".utf8.contains(byte)
            let beginsFragment = byte == UInt8(ascii: "#") && !hasFragment
            if beginsFragment { hasFragment = true }
            if allowed.contains(byte) || isEscape || isBracket || beginsFragment {
                result.append(byte)
            } else {
                result += String(format: "%%%02X", Int(byte)).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    @Test func addressesAreReadAsByBrowsers() throws {
        let rows = try rows()
        #expect(rows.count > 2000 && rows.allSatisfy { $0.count == 3 })
        for row in rows {
            let base = try row[1].map { try #require(URL(webAddress: $0)) }
            let url = URL(webAddress: row[0] ?? "", relativeTo: base)
            #expect(url?.absoluteString == row[2].map(escaped), "\(row)")
        }
    }

    @Test func resultIsStable() throws {
        for row in try rows() {
            guard let result = row[2], let url = URL(webAddress: result) else { continue }
            #expect(URL(webAddress: url.absoluteString) == url, "\(result)")
        }
    }

    @Test func zonesOfAddressesAreKept() {
        #expect(URL(webAddress: "http://[FE80::1%25eth0]:80/a")?.absoluteString == "http://[fe80::1%25eth0]/a")
        for zone in ["%25", "%", "%eth0", "%25a/b", "%25a%"] {
            #expect(URL(webAddress: "http://[fe80::1\(zone)]/") == nil)
        }
    }

    @Test func bytesThatAreNotTextBecomeEscapes() {
        #expect(String(addressBytes: Array("/caf".utf8) + [0xE9]) == "/caf%E9")
        #expect(String(addressBytes: Array("/café".utf8)) == "/café")
        #expect("caf%E9%201%25".removingAddressEscapes == "caf%E9 1%")
        #expect("caf%C3%A9%zz".removingAddressEscapes == "café%zz")
    }

    static let picture = "<svg xmlns='http://www.w3.org/2000/svg'><rect fill='#f00' width='100%'/></svg>"

    @Test(arguments: [
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><rect fill='%23f00' width='100%'/></svg>",
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E%3Crect fill='%23f00' width='100%'/%3E%3C/svg%3E",
        " data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'>\n<rect fill='%23f00' width='100%25'/></svg>\n",
    ])
    func picturesInDataAddressesKeepTheirBytes(_ text: String) throws {
        let url = try #require(URL(webAddress: text))
        let content = try DataURLContent(url, maxBytes: 1000)
        #expect(content.mimeType == "image/svg+xml" && String(decoding: content.data, as: UTF8.self) == Self.picture)
    }

    @Test(arguments: [
        ("http://host/a%20[1].png", "http://host/a%20%5B1%5D.png"),
        (" http:\\\\host\\a b%20c\n", "http://host/a%20b%20c"),
        ("http://host/фото%201.png", "http://host/%D1%84%D0%BE%D1%82%D0%BE%201.png"),
    ])
    func managerLoadsTheAddress(_ text: String, _ wanted: String) async throws {
        let loader = FakeDataLoader()
        let manager = WebImageManager(cache: FakeImageCache(), loader: loader)
        let url = try #require(URL(string: wanted))
        loader.answer(url, with: .success(FakeCoder.file()))
        let context: WebImageContext = [.imageCoder: FakeCoder(), .callbackQueue: CallbackQueue.invoking]
        #expect(try await manager.image(for: text, context: context).pixelSize == PixelSize(width: 4, height: 3))
        let delivered: URL? = await withCheckedContinuation { continuation in
            manager.loadImage(with: text, context: context) { _, _, _, _, finished, url in
                if finished { continuation.resume(returning: url) }
            }
        }
        #expect(delivered == url)
    }
}
