import Foundation
import Testing
import WebImageTesting

@testable import WebImageService

struct StartPageTests {
    private static let local: ServiceHeaders = ["Host": "127.0.0.1:8080"]
    private static let keys: @Sendable (inout ServiceConfiguration) -> Void = {
        ($0.keys, $0.salts) = (["736563726574"], ["68656C6C6F"])
    }

    /// The unescaped text between two marks of a page.
    private static func text(_ page: String, after mark: String, until end: Character = "\"") -> String? {
        guard let start = page.range(of: mark)?.upperBound else { return nil }
        return unescaped(String(page[start...].prefix { $0 != end }))
    }

    private static func unescaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&#39;", with: "'").replacingOccurrences(of: "&amp;", with: "&")
    }

    @Test func targetsAreEscapedAndOnlyTheScriptOfThePageMayRun() async throws {
        let bench = try ServiceBench()
        let plain = await bench.get("/")
        #expect(plain.headers["Content-Type"] == "text/html; charset=utf-8" && plain.text.contains("<form"))
        #expect(!plain.text.contains("<figure"))
        let page = await bench.get("/?source=http%3A%2F%2Fa%2F%22%3E%3Cscript%3E%40x&options=w%3A1")
        #expect(Self.text(page.text, after: "data-target=\"")?.hasPrefix("/_/w:1/plain/http://a/") == true)
        #expect(page.text.components(separatedBy: "<script>").count == 2 && !page.text.contains("http://a/\">"))
        #expect(!page.text.contains("src=\"http"))
        let policy = page.headers["Content-Security-Policy"] ?? ""
        #expect(
            policy.contains("script-src 'sha256-\(StartPageScript.hash)'") && !policy.contains("script-src 'unsafe"))
        let script = try #require(Self.text(page.text, after: "<script>", until: "<"))
        #expect(script == StartPageScript.text)
    }

    @Test func aTargetOfThePageIsAnswered() async throws {
        let bench = try ServiceBench()
        let odd = "http://example.com/a b@2x%20?q=1.png"
        let page = StartPage(
            settings: bench.service.settings, query: ["source": odd, "options": "w:8/f:png"], token: nil, names: []
        ).html
        let target = try #require(Self.text(page, after: "data-target=\""))
        #expect(try ImgproxyRouter().parse(target[...]).source == odd)
    }

    @Test func onlyAClientOfTheMachineWithTheSecretGetsSignatures() async throws {
        let bench = try ServiceBench(Self.keys)
        let query = "source=\(ServiceBench.url)&options=w:40", token = bench.service.startPageToken
        let page = await bench.get("/?\(query)&token=\(token)", Self.local, client: "127.0.0.1")
        let target = try #require(Self.text(page.text, after: "data-target=\""))
        #expect(await bench.get(target).status == 200)
        let refused: [(String, ServiceHeaders, String?)] = [
            ("/?\(query)", Self.local, "127.0.0.1"), ("/?\(query)&token=", Self.local, "127.0.0.1"),
            ("/?\(query)&token=\(token)x", Self.local, "127.0.0.1"), ("/?\(query)&token=\(token)", Self.local, nil),
            ("/?\(query)&token=\(token)", Self.local, "203.0.113.9"),
            ("/?\(query)&token=\(token)", ["Host": "images.example"], "127.0.0.1"),
            ("/?\(query)&token=\(token)", [:], "127.0.0.1"),
            ("/?\(query)&token=\(token)", ["Host": "localhost", "X-Forwarded-For": "203.0.113.9"], "127.0.0.1"),
        ]
        for (target, headers, client) in refused {
            let page = await bench.get(target, headers, client: client)
            #expect(page.status == 200 && !page.text.contains("<form") && !page.text.contains("<figure"), "\(target)")
        }
    }

    @Test func localPicturesAreListedForClientsOfTheMachine() async throws {
        let root = try ScratchFolder()
        for name in ["b & c.png", "a+b%.JPG", "notes.txt", ".secret.png", "d'\"<i>.webp"] {
            try PictureFixtures.quadrants().write(to: root.url.appendingPathComponent(name))
        }
        let bench = try ServiceBench {
            $0.root = root.url.path
            $0.allowedSources = ["local://"]
        }
        let page = await bench.get("/", Self.local, client: "::1").text
        let links = page.components(separatedBy: "<a href=\"").dropFirst().compactMap {
            $0.split(separator: "\"").first
        }
        #expect(links.count == 3 && !page.contains("notes") && !page.contains("secret") && !page.contains("<i>"))
        for link in links {
            let next = await bench.get(Self.unescaped(String(link)), Self.local, client: "::1")
            let target = try #require(Self.text(next.text, after: "data-target=\""))
            #expect(await bench.get(target).status == 200, "\(target)")
        }
        #expect(await bench.get("/", Self.local, client: "203.0.113.9").text.contains("local:///") == false)
        let other = try ServiceBench {
            $0.root = root.url.path
            $0.allowedSources = ["http://example.com/"]
        }
        #expect(await other.get("/", Self.local, client: "::1").text.contains("b &amp; c") == false)
    }

    @Test func onlyOptionsThatWorkAreShown() async throws {
        let all = try ServiceBench { $0.presets = ["thumb=rs:fill:96:96/q:70"] }
        let page = await all.get("/").text
        #expect(
            page.contains("value=\"rs:\"") && page.contains("value=\"pr:thumb\"") && page.contains("rs:fill:96:96/q:70")
        )
        #expect(page.contains("preserve_hdr") && !page.contains("enforce_thumbnail"))
        // Each shown option is one that the grammar knows.
        for name in page.components(separatedBy: "class=\"option\" value=\"").dropFirst().compactMap({
            $0.split(separator: ":").first
        }) {
            #expect(OptionTable.isOption(name), "\(name)")
        }
        let few = try ServiceBench { $0.allowedOptions = ["width", "h"] }
        let fewPage = await few.get("/").text
        #expect(fewPage.components(separatedBy: "class=\"option\"").count == 3 && fewPage.contains("value=\"width:\""))
        let named = try ServiceBench { ($0.presets, $0.onlyPresets) = (["thumb=w:96", "default=q:50"], true) }
        let namedPage = await named.get("/?source=\(ServiceBench.url)&options=thumb").text
        #expect(namedPage.contains("value=\"thumb\"") && !namedPage.contains("value=\"rs:\""))
        let target = try #require(Self.text(namedPage, after: "data-target=\""))
        #expect(await named.get(target).status == 200)
        let limited = try ServiceBench { $0.allowsSecurityOptions = false }
        #expect(await limited.get("/").text.contains("max_src_resolution") == false)
    }
}
