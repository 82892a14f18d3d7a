import Testing

@testable import WebImageCore

struct SchemeTests {
    @Test(
        arguments: [
            ("https://a.test/x", "https", true), ("HTTPS://a.test/x", "https", true), ("https://a.test", "http", false),
            ("http://a.test", "https", false), ("https", "https", false), ("https:", "https", true), ("", "", false),
            ("http[//a.test", "http", false), ("HTTP\u{1A}x", "http:", false),
        ] as [(String, String, Bool)])
    func urlSchemeIsReadCaseInsensitively(text: String, scheme: String, expected: Bool) {
        #expect(text.hasScheme(scheme) == expected)
    }
}
