import Foundation
import Testing
import WebImageCore
import WebImagePages

@testable import WebImageLinkPreview

/// Which pictures and texts a preview takes from a page.
struct LinkPreviewRulesTests {
    private static let page = URL(string: "https://example.org/a/page?q=1")

    private func preview(_ html: String) throws -> LinkPreview {
        LinkPreview(try PageReader.readHere(Data(html.utf8), charset: nil), url: try #require(Self.page))
    }

    private func og(_ pairs: (String, String)...) -> String {
        pairs.map { "<meta property='og:image\($0.0)' content='\($0.1)'>" }.joined()
    }

    @Test(arguments: [
        ("<meta property=og:image content=b.png>", ["https://example.org/a/b.png"]),
        (
            "<base href='/img/'><base href='/other/'><meta property=og:image content=b.png>",
            ["https://example.org/img/b.png"]
        ),
        ("<base href='data:text/html,x'><meta property=og:image content=b.png>", ["https://example.org/a/b.png"]),
        ("<meta name=og:image content='//cdn.example/x y.jpg'>", ["https://cdn.example/x%20y.jpg"]),
        ("<meta property=og:image content='HTTPS://Example.ORG/\tA.png\n'>", ["https://example.org/A.png"]),
        ("<meta property=og:image content='https://例え.jp/é.png'>", ["https://xn--r8jz45g.jp/%C3%A9.png"]),
        (
            "<meta property=og:image content='javascript:alert(1)'><meta property=og:image content='data:image/png,x'>",
            []
        ),
        ("<meta property=og:image content='file:///etc/passwd'><meta property=og:image content='http://'>", []),
        ("<meta property=og:image content='ftp://example.org/a.png'>", []),
        (
            "<link rel='image_src' href=l.png><meta name=twitter:image:src content=t.png>",
            ["https://example.org/a/t.png", "https://example.org/a/l.png"]
        ),
        (
            "<meta name=twitter:image content=t.png><meta property=og:image content=o.png>",
            ["https://example.org/a/o.png", "https://example.org/a/t.png"]
        ),
        (
            "<script type=application/ld+json>{\"image\":\"j.png\"}</script><img itemprop=image src=i.png>",
            ["https://example.org/a/j.png", "https://example.org/a/i.png"]
        ),
    ])
    func picturesAreOrderedAndResolved(html: String, pictures: [String]) throws {
        #expect(try preview(html).pictureURLs.map(\.absoluteString) == pictures)
    }

    /// A page that is cut anywhere names addresses and texts of the whole page, or fewer.
    @Test func previewsOfCutPagesHaveNothingElse() throws {
        let html = """
            <!doctype html><head><base href="/img/"><title>Window title</title><meta http-equiv=refresh content="9; url=/next">
            <meta property=og:site_name content="A &amp; B"><meta name=description content='Words — "of" many'>
            <meta property=og:image content=one.png?a=1&amp;b=2><meta property=og:image:secure_url content=https://cdn.example/1.png>
            <meta property=og:image content=two.png><link rel=icon href=i.png sizes=32x32><link rel=apple-touch-icon href=/t.png>
            <script type=application/ld+json>{"image": "three.png", "headline": "Headline"}</script></head>
            """
        let (bytes, url) = (Data(html.utf8), try #require(Self.page))
        let whole = try preview(html)
        #expect(whole.pictureURLs.count == 3 && whole.iconURLs.count == 3 && whole.siteName == "A & B")
        // Before the page names its secure address, the picture has its other one.
        let pictures = whole.pictureURLs.map(\.absoluteString) + ["https://example.org/img/one.png?a=1&b=2"]
        var counts: Set<Int> = []
        for count in 0...bytes.count {
            let content = try PageReader.readHere(bytes.prefix(count), charset: nil)
            let cut = LinkPreview(content, url: url)
            #expect(cut.pictureURLs.allSatisfy { pictures.contains($0.absoluteString) }, "\(count): \(cut)")
            #expect(cut.iconURLs.allSatisfy(whole.iconURLs.contains) && !cut.iconURLs.isEmpty, "\(count): \(cut)")
            #expect([nil, whole.title].contains(cut.title) && [nil, whole.summary].contains(cut.summary), "\(count)")
            #expect([nil, whole.siteName].contains(cut.siteName), "\(count)")
            let next = LinkPreview.refresh(content, url: url)?.target
            #expect(next == nil || next?.path == "/next", "\(count)")
            counts.insert(cut.pictureURLs.count)
        }
        #expect(counts == [0, 1, 2, 3])
    }

    @Test func atMostEightPicturesAreKept() throws {
        let html = (0..<20).map { "<meta property=og:image content=/\($0)><link rel=icon href=/i\($0)>" }.joined()
        let preview = try preview(html)
        #expect(preview.pictureURLs.map(\.path) == (0..<8).map { "/\($0)" })
        // The last icon is the usual one of the site.
        #expect(preview.iconURLs.map(\.path) == (0..<7).map { "/i\($0)" } + ["/favicon.ico"])
    }

    @Test func structuredPropertiesBelongToThePictureBeforeThem() throws {
        let secure = og(("", "http://a.example/1"), (":secure_url", "https://a.example/1s"), ("", "http://a.example/2"))
        #expect(try preview(secure).pictureURLs.map(\.path) == ["/1s", "/2"])
        let tracker = og(("", "/t"), (":width", "1"), (":height", "1"), ("", "/b"), (":width", "1200"))
        #expect(try preview(tracker).pictureURLs.map(\.path) == ["/b"])
        #expect(
            try preview(og(("", "/a"), (":url", "/a"), (":secure_url", "/no-https"))).pictureURLs.map(\.path) == ["/a"])
        #expect(try preview(og((":secure_url", "https://a.example/s"))).pictureURLs.map(\.path) == ["/s"])
        #expect(try preview(og((":width", "5"), ("", "/a"))).pictureURLs.map(\.path) == ["/a"])
    }

    @Test func iconsAreOrderedBySize() throws {
        let html = """
            <link rel="shortcut icon" href=/s.ico><link rel=apple-touch-icon href=/apple.png>
            <link rel=icon sizes="32x32 192x192" href=/192.png><link rel="mask-icon" href=/mask.svg>
            <link rel=icon type=image/svg+xml href=/v><link rel=icon href=/second16.png sizes=junk>
            """
        let expected = ["/v", "/192.png", "/apple.png", "/s.ico", "/second16.png", "/favicon.ico"]
        #expect(try preview(html).iconURLs.map(\.path) == expected)
        #expect(
            try preview("<base href=https://other.example/>").iconURLs.map(\.absoluteString)
                == ["https://example.org/favicon.ico"])
    }

    @Test func textsAreOneLineWithoutControlCharacters() throws {
        let found = try preview(
            "<meta property=og:title content='a\u{202E}b \u{7}\n c'><meta property=og:site_name content=' S '>"
                + "<meta name=description content='\(String(repeating: "x", count: 3000))'><title>other</title>")
        #expect(found.title == "ab c" && found.siteName == "S" && found.summary?.count == 1000)
        #expect(try preview("<title>t</title>").title == "t")
        #expect(try preview("").title == nil)
    }

    @Test(
        arguments: [
            ("0;url=/n", "https://example.org/n"), ("3; URL='n'", "https://example.org/a/n"),
            ("0, url = \"https://b.example/?a=;b\"", "https://b.example/?a=;b"), ("0; /n", "https://example.org/n"),
            ("5", nil), ("x;url=/n", nil), ("0;url=javascript:a", nil), ("0;url=/a/page?q=1", nil), ("0;url=", nil),
        ] as [(String, String?)])
    func refreshLeadsOn(value: String, target: String?) throws {
        let content = try #require(PageContent([.init(.meta, name: "http-equiv:refresh", value: value)]))
        #expect(LinkPreview.refresh(content, url: try #require(Self.page))?.target.absoluteString == target)
    }

    @Test func previewsAreStoredAndOtherDataIsNone() throws {
        var found = try preview("<title>日本</title><meta property=og:image content=b.png>")
        found.chosenURL = found.pictureURLs.first
        let stored = try #require(found.stored)
        #expect(LinkPreview(stored: stored) == found)
        for count in 0..<stored.count { #expect(LinkPreview(stored: stored.prefix(count)) == nil) }
        #expect(LinkPreview(stored: Data("{}".utf8)) == nil)
    }

    @Test(
        arguments: [
            ("text/html", "anything", true), ("application/xhtml+xml", "", true), ("text/html", "\u{89}PNG", true),
            ("", "\u{FEFF}\n<html>", true), ("text/html", "<!-- <svg> --><p>", true),
            ("text/html", "GIF89a", false), ("text/html", "<svg></svg>", false),
            ("image/png", "<!doctype html>", false),
            ("", " \n<!DOCTYPE HTML>", true), ("text/plain", "<html lang=en>", true), ("text/plain", "hello", false),
            ("application/octet-stream", "<?xml version='1.0'?><html>", true), ("", "<svg></svg>", false),
            ("application/json", "<html>", false), ("image/svg+xml", "<svg></svg>", false),
        ] as [(String, String, Bool)])
    func pagesAreToldFromPictures(type: String, start: String, isPage: Bool) {
        let response = WebImageResponse(url: nil, statusCode: 200, mimeType: type.isEmpty ? nil : type)
        #expect(PageType.isPage(response, Data(start.utf8)) == isPage)
    }
}
