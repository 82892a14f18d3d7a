import Foundation
import Testing
import WebImageCore
import WebImageTestTraits

@testable import WebImageService

/// Compares signatures with published test vectors.
@Suite(.timeLimit(minutes: 1))
struct SigningTests {
    struct Vector: Sendable {
        let key: String
        let salt: String
        var size = 32
        let path: String
        let signature: String
    }

    private static let long = (
        key: "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
        salt: "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"
    )

    private static func own(_ path: String, _ signature: String, size: Int = 32) -> Vector {
        Vector(key: long.key, salt: long.salt, size: size, path: path, signature: signature)
    }

    static let vectors: [Vector] = [
        Vector(
            key: "736563726574", salt: "68656C6C6F",
            path: "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
            signature: "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"),
        Vector(
            key: "746573742d6b6579", salt: "746573742d73616c74", path: "/asd",
            signature: "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20"),
        Vector(
            key: "746573742d6b6579", salt: "746573742d73616c74", size: 8, path: "/asd", signature: "oWaL7QoW5Ts"),
        Vector(
            key: "746573742d6b657932", salt: "746573742d73616c7432", path: "/asd",
            signature: "jYz1UZ7j1BCdSzH3pZhaYf0iuz0vusoOTdqJsUT6WXI"),
        own(
            "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg",
            "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc"),
        own(
            "/rs:fill:300:400:0/g:sm/plain/http://example.com/images/curiosity.jpg@png",
            "TLell5iz_DCxfoccCS2iXgZGElDq2fVTm3zPKeChaaA"),
        own("/rs:fill:300:400:0/g:sm/plain/http://example.com/images/curiosity.jpg@png", "TLell5iz_DA", size: 8),
        own(
            "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
            "90UxdwGRAI2bpLSHKkZculJau5ahfxfS0h3fMuQAf40"),
        own(
            "/w:320/q:80/plain/local:///a%20b/%D1%84%D0%BE%D1%82%D0%BE.jpg@webp",
            "2Fi3AhjtQrZ_URpRiXohM2OCrDVhZYE9_agkhrcz51M"),
        own("/plain/https://example.com/i%3Fid=1%40x", "wbd_w8QhTpYahCTz_QbM37QgvZhXpCxKwUuRrJlQZHI"),
    ]

    @Test(arguments: vectors) func signaturesEqualTheVectors(vector: Vector) throws {
        let signer = try #require(URLSigner(hexKey: vector.key, hexSalt: vector.salt, byteCount: vector.size))
        #expect(signer.signature(of: vector.path) == vector.signature)
        #expect(signer.isValid(vector.signature, of: vector.path))
        #expect(!signer.isValid(vector.signature, of: vector.path + "x"))
        #expect(!signer.isValid(String(vector.signature.dropLast(4)), of: vector.path))
        #expect(!signer.isValid("", of: vector.path))
    }

    static let thumbor: [(key: String, path: String, signature: String)] = [
        ("my-security-key", "300x200/my.server.com/some/path/to/image.jpg", "8ammJH8D-7tXy6kU3lTvoXlhu4o="),
        ("my-security-key", "meta/my.server.com/some/path/to/image.jpg", "Ps3ORJDqxlSQ8y00T29GdNAh2CY="),
        ("my-security-key", "smart/my.server.com/some/path/to/image.jpg", "-2NHpejRK2CyPAm61FigfQgJBxw="),
        ("my-security-key", "fit-in/my.server.com/some/path/to/image.jpg", "uvLnA6TJlF-Cc-L8z9pEtfasO3s="),
        (
            "my-security-key", "filters:brightness(10):contrast(20)/my.server.com/some/path/to/image.jpg",
            "ZZtPCw-BLYN1g42Kh8xTcRs0Qls="
        ),
        (
            "my-security-key", "fit-in/300x200/filters:format(webp):quality(80)/https%3A//example.com/a.jpg",
            "6tlEMFFDnkH6jAwPxlULAp4bmzw="
        ),
        (
            "my-security-key",
            "trim:bottom-right:40/10x20:110x220/full-fit-in/-300x0/right/top/smart/filters:quality(60)/example.com/a.jpg",
            "dS4sXcrcvLEGFG_1QvkZmkAIqNU="
        ),
        (
            "mysecret", "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png",
            "cST4Ko5_FqwT3BDn-Wf4gO3RFSk="
        ),
    ]

    @Test(arguments: thumbor) func thumborSignaturesEqualTheVectors(
        vector: (key: String, path: String, signature: String)
    ) throws {
        let signer = try #require(ThumborSigner(key: vector.key))
        #expect(signer.signature(of: vector.path) == vector.signature)
        #expect(signer.isValid(vector.signature, of: vector.path))
        #expect(!signer.isValid(vector.signature, of: "0" + vector.path))
    }

    @Test func signersPrintNoKey() throws {
        let signer = try #require(URLSigner(hexKey: "736563726574", hexSalt: "68656C6C6F"))
        let other = try #require(ThumborSigner(key: "secret"))
        var text = ""
        dump(signer, to: &text)
        dump(other, to: &text)
        print(signer, other, to: &text)
        #expect(!text.contains("115") && !text.contains("secret"))
        #expect(URLSigner(hexKey: "", hexSalt: "00") == nil)
        #expect(URLSigner(hexKey: "0", hexSalt: "00") == nil)
        #expect(URLSigner(hexKey: "zz", hexSalt: "00") == nil)
    }

    @Test func sha1IsThatOfTheStandard() {
        func hex(_ text: String) -> String {
            SHA1.digest(of: Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
        }
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    }
}
