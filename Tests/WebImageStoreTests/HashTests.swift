import Foundation
import Testing
import WebImageCore

@testable import WebImageStore

struct HashTests {
    /// Compares hashes with the examples of FIPS 180-4 and with results of OpenSSL. The OpenSSL results are for lengths
    /// at which the padding changes.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func sha256MatchesKnownAnswers(text: String, expected: String) {
        let digest = Data(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
        #expect(digest.map { String(format: "%08x", $0) }.joined() == expected)
        #expect(KeyHash(text).hex == String(expected.prefix(32)))
    }

    @Test func keyHashSurvivesItsBytes() {
        let key = KeyHash("https://example.com/a.png")
        #expect(key.withBytes { KeyHash(bytes: $0) } == key)
    }

    @Test func checksumIsCRC32() {
        #expect(Checksum.of(Data("123456789".utf8)) == 0xCBF4_3926)
        #expect(Checksum.of(Data()) == 0)
    }
}
