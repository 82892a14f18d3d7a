import Foundation
import Testing
import WebImageTesting

@testable import WebImageLoading

struct PlainCacheKeyTests {
    /// For random URLs, simple or not, the fast path returns the same key as the path that parses the URL.
    @Test func fastPathReturnsTheSameCacheKeyAsParsing() {
        let pieces = [
            "http://", "https://", "ftp://", "h.test", "HOST", "127.0.0.1", "[::1]", ":", ":80", ":x", "/", "//", "a",
            "B7",
            ".", "..", ".png", ".", "-", "_", "~", "?", "?w=1", "&x=2.5", "=", ",", "#mark", "%2F", "%", " ", "ä",
            "@2x",
            "user@", "(1)", "+", ";", "{}",
        ]
        var random = SeededRandom.printingSeed()
        var short = 0
        for _ in 0..<20_000 {
            var key = Int.random(in: 0..<4, using: &random) == 0 ? "" : "https://h.test/"
            for _ in 0..<Int.random(in: 0..<7, using: &random) { key += pieces.randomElement(using: &random) ?? "" }
            let suffix = "S({1.0},2)"
            let escaped = CacheKey.escapedForPath(suffix)
            guard let plain = CacheKey.plainTransformed(key, suffix: suffix, escaped: escaped) else { continue }
            short += 1
            #expect(plain == CacheKey.parsedTransformed(key, suffix: suffix, escaped: escaped), "\(key)")
        }
        #expect(short > 400)
    }

    @Test func usualAddressesTakeTheShortWay() {
        for key in ["http://h/1.jpg", "https://cdn.test:8443/a/b-c_d~e/f.PNG?w=20&h=3", "http://127.0.0.1/a"] {
            #expect(CacheKey.plainTransformed(key, suffix: "S", escaped: "S") != nil, "\(key)")
        }
    }

    @Test func escapesEqualFoundations() {
        for scalar in (0..<256).compactMap(UnicodeScalar.init) {
            let text = "a\(scalar)b"
            #expect(CacheKey.escapedForPath(text) == text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
        }
    }

    @Test func cachedSuffixIsCorrect() {
        let key = "https://h/a.png"
        for side in [10.0, 20, 10, 0.5] {
            for preserves in [true, false] {
                let box = CGSize(width: side, height: side + 1)
                let size = String(format: "%%7B%f,%f%%7D", side, side + 1)
                #expect(
                    CacheKey.thumbnail(key, box: box, preserveAspectRatio: preserves)
                        == "https://h/a-Thumbnail(\(size),\(preserves ? 1 : 0)).png")
            }
        }
    }
}
