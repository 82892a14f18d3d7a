import Foundation
import Testing
import WebImage
import WebImageTestTraits

@testable import WebImageService

/// A log shows the options of a target and nothing that could be secret.
@Suite(.timeLimit(minutes: 1))
struct LoggedTargetTests {
    private static let secret = Base64URL.encode(Array("http://user:hush@a.example/b.jpg?token=hush".utf8))

    static let rows: [(target: String, text: String)] = [
        ("/", "/"), ("/healthz", "/healthz"), ("/metrics", "/metrics"), ("/purge?source=http%3A%2F%2Fhush", "/purge…"),
        ("/img", "/img"), ("/img/", "/img/"), ("/other/hush", "/…"), ("/imghush/_/w:1/plain/a", "/…"),
        ("/img/hush", "/img/…"),
        ("/img/_/w:20/f:png/plain/http://a/hush", "/img/_/w:20/f:png/plain/…"),
        ("/img/_/w%3A20/plain/http://a/hush", "/img/_/w:20/plain/…"),
        ("/img/Zm9vaHVzaA/rs:fit:1:2/plain/http://a?hush", "/img/…/rs:fit:1:2/plain/…"),
        ("/img/hush/w:8/\(secret).png", "/img/…/w:8/…"), ("/img/hush/\(secret)", "/img/…/…"),
        ("/img/info/hush/w:8/\(secret)", "/img/info/…/w:8/…"),
        // Short parts of a base64 source, and a source in the place of an option.
        ("/img/hush/aHR0/cDov/L2h1/c2g", "/img/…/…"), ("/img/_/http://user:hush@a/b", "/img/_/…"),
        ("/img/_/w:hush@a.example/plain/a", "/img/_/w:…/plain/…"), ("/img/_/hush:1/plain/a", "/img/_/…"),
        ("/img/w:1/plain/hush", "/img/…/plain/…"),
        (
            "/img/t/hush/meta/-300x200/left/smart/filters:blur(3):watermark(http://u:hush@a/b)/a.example/b",
            "/img/t/…/meta/-300x200/left/smart/filters:blur(…):watermark(…)/…"
        ),
        ("/img/t/hush=/10x10:20x20/fit-in/300x/a.example/hush.jpg", "/img/t/…/10x10:20x20/fit-in/300x/…"),
        ("/img/t/unsafe/hush.example/b", "/img/t/unsafe/…"),
    ]

    @Test(arguments: rows) func targetIsShownWithoutSecrets(row: (target: String, text: String)) {
        #expect(LoggedTarget(prefix: "/img", thumborPrefix: "/t").text(of: row.target) == row.text)
    }

    @Test func textOfAnyTargetIsShort() {
        let options = String(repeating: "w:1/", count: 10_000)
        #expect(LoggedTarget().text(of: "/_/" + options + "plain/a").count < 320)
        #expect(LoggedTarget().text(of: "/_/fn:" + String(repeating: "a", count: 10_000) + "/plain/a") == "/_/…")
    }

    @Test func everyAnswerHasTheTextAlsoFromMemory() async throws {
        let bench = try ServiceBench { ($0.keys, $0.salts) = (["736563726574"], ["68656C6C6F"]) }
        let path = "/w:40/f:png/plain/\(ServiceBench.url)"
        let target = try #require(URLSigner(hexKey: "736563726574", hexSalt: "68656C6C6F")).target(for: path)
        for _ in 0..<3 {
            #expect(await bench.get(target).logEntry.target == "/…/w:40/f:png/plain/…")
        }
        let request = ServiceRequest(target: target)
        #expect(bench.service.respondFromMemory(to: request)?.logEntry.target == "/…/w:40/f:png/plain/…")
        #expect(await bench.get("/hush" + path).logEntry.target == "/…/w:40/f:png/plain/…")
        #expect(await bench.get(target, method: "POST").logEntry.target == "/…/w:40/f:png/plain/…")
        let operators = await bench.service.respondToOperator(ServiceRequest(target: "/metrics"))
        #expect(operators.logEntry.target == "/metrics")
    }

    @Test func sourceIsShownWithoutItsQueryInAnySpelling() {
        for source in [
            "http://a/b?hush", "http://a/b#hush", "http://a/b%3Fhush", "http://a/b%3fhush", "http://a/b%23hush",
        ] {
            #expect(RequestIdentity.redacted(source) == "http://a/b")
        }
    }
}
