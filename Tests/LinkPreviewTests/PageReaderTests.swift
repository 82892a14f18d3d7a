import CWebImageXMLCheck
import Foundation
import Testing
import WebImageCore
import WebImagePages
import WebImageTestSupport
import WebImageTesting

/// Reads pages in this process: what is kept of them, their character sets, and damaged and hostile pages.
struct PageReaderTests {
    private static func read(_ page: String, charset: String? = nil) throws -> PageContent {
        try PageReader.readHere(Data(page.utf8), charset: charset)
    }

    private static func title(_ page: Data, charset: String? = nil) throws -> String? {
        try PageReader.readHere(page, charset: charset).first(.title, "")
    }

    @Test func declarationsOfLibxml2AreTheirs() { #expect(webimage_xml_declarations_are_theirs() == 1) }

    @Test func metaElementsAreReadByAllTheirNames() throws {
        let content = try Self.read(
            """
            <!doctype html><html><head><base href="/b/"><meta property="og:image" content=" a.png "/>
            <META NAME='Twitter:Image' CONTENT='t.png?a=1&amp;b=2'><meta itemprop=image content=m.png>
            <meta property="article:tag other" name="description" content="d&eacute;j&agrave; &#x4E2D;">
            <meta http-equiv="Refresh" content="0; url=/next"><link rel="Shortcut Icon" sizes="32x32" href=i.ico>
            <title> Two\n words </title><title>second</title></head><body><meta property="og:title" content="in body">
            """)
        #expect(content.first(.base, "") == "/b/")
        #expect(content.first(.meta, "og:image") == "a.png")
        #expect(content.first(.meta, "twitter:image") == "t.png?a=1&b=2")
        #expect(content.first(.meta, "itemprop:image") == "m.png")
        #expect(content.first(.meta, "description") == "déjà 中")
        #expect(content.first(.meta, "http-equiv:refresh") == "0; url=/next")
        #expect(content.entries.contains { $0.has(.link, "shortcut icon") && $0.detail.contains("32x32") })
        #expect(content.entries.filter { $0.kind == .title }.map(\.value) == ["Two words"])
        #expect(content.first(.meta, "og:title") == "in body")
    }

    @Test(arguments: [
        "<!-- <meta property='og:image' content='x'> -->",
        "<script>var a = \"<meta property='og:image' content='x'>\";</script>",
        "<style>/* <meta property='og:image' content='x'> */</style>",
        "<textarea><meta property='og:image' content='x'></textarea>",
        "<p>&lt;meta property='og:image' content='x'&gt;</p>", "<meta property='og:image' content=''>",
        "<meta property='og:image'>",
    ])
    func textIsNoElement(page: String) throws {
        #expect(try Self.read(page).first(.meta, "og:image") == nil)
        // What follows is read.
        #expect(try Self.read(page + "<meta property='og:image' content='y'>").first(.meta, "og:image") == "y")
    }

    @Test func titlesOfDrawingsAreNotThatOfThePage() throws {
        let page = "<body><svg><title>icon</title><path d='M0 0'/></svg><title>page</title></body>"
        #expect(try Self.read(page).first(.title, "") == "page")
    }

    // MARK: JSON-LD

    @Test(arguments: [
        (#"{"@type":"Article","image":"a.png","headline":"T"}"#, ["a.png"]),
        (#"[{"@type":"X"},{"image":["a.png","b.png"]}]"#, ["a.png", "b.png"]),
        (
            #"{"@graph":[{"@type":"WebPage"},{"@type":"Article","image":[{"url":"a.png"},{"contentUrl":"b.png"}]}]}"#,
            ["a.png", "b.png"]
        ),
        (#"{"image":{"@type":"ImageObject","url":"a.png"},"thumbnailUrl":"b.png"}"#, ["a.png", "b.png"]),
        (#"{"primaryImageOfPage":{"@type":"ImageObject","contentUrl":"a.png"}}"#, ["a.png"]),
        ("\n//<![CDATA[\n{\"image\":\"a.png\",\"headline\":\"two\nlines\"}\n//]]>\n", ["a.png"]),
        (#"<!-- {"image":"a.png"} -->"#, ["a.png"]),
        (#"{"image":5,"headline":{"a":[]}}"#, []), (#"{"image":"a.png""#, []), ("[[[[", []), ("", []), ("null", []),
    ])
    func linkedDataNamesPictures(json: String, pictures: [String]) throws {
        let content = try Self.read("<script type='application/ld+json; charset=utf-8'>\(json)</script>")
        #expect(content.entries.filter { $0.has(.linkedData, "image") }.map(\.value) == pictures)
    }

    @Test func nestedLinkedDataEnds() throws {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try Self.read("<script type=application/ld+json>\(deep)</script><title>a</title>").entries.count == 1)
        let wide = "{\"@graph\":[" + String(repeating: "{},", count: 50_000) + "{\"image\":\"a\"}]}"
        #expect(try Self.read("<script type=application/ld+json>\(wide)</script>").entries.isEmpty)
    }

    // MARK: Character sets

    /// The text of a title in bytes of a set, and the declaration of this set.
    private static func page(_ meta: String, _ title: [UInt8]) -> Data {
        Data("<html><head>\(meta)<title>".utf8) + title + Data("</title></head>".utf8)
    }

    private static let naive: [UInt8] = Array("na".utf8) + [0xEF] + Array("ve".utf8)

    @Test func headerDecidesBeforeThePage() throws {
        let utf8 = Self.page("<meta charset=windows-1252>", Array("naïve".utf8))
        #expect(try Self.title(utf8, charset: "UTF-8") == "naïve")
        #expect(try Self.title(utf8) == "naÃ¯ve")
        #expect(try Self.title(Data([0xEF, 0xBB, 0xBF]) + utf8, charset: "windows-1252") == "naïve")
        // An unknown name in the header counts as none.
        #expect(try Self.title(utf8, charset: "no-such-set") == "naÃ¯ve")
    }

    @Test(arguments: [
        "<meta charset=windows-1252>", "<meta charset=\"ISO-8859-1\">", "<META CHARSET='latin1' />",
        "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=us-ascii\">",
        "<meta content='text/html;charset = \"cp1252\"' http-equiv=content-type>",
        "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>", "<!-- <meta charset=utf-8> --><meta charset=cp1252>",
        "<a title='<meta charset=utf-8>'><meta charset=cp1252>", "",
    ])
    func pageNamesItsSet(meta: String) throws {
        let page =
            meta.hasPrefix("<?xml")
            ? Data(meta.utf8) + Self.page("", Self.naive) : Self.page(meta, Self.naive)
        #expect(try Self.title(page) == "naïve")
    }

    @Test func wrongPlacesNameNoSet() throws {
        let utf8 = Array("naïve".utf8)
        // A content type without its http-equiv, a comment, and a place behind the first 1,024 bytes.
        for meta in [
            "<meta content='text/html; charset=cp1252'>", "<!-- <meta charset=cp1252> -->",
            String(repeating: " ", count: 1100) + "<meta charset=cp1252>", "<meta charset=utf-16>",
        ] {
            #expect(try Self.title(Self.page(meta, utf8)) == "naïve", "\(meta.prefix(40))")
        }
    }

    @Test(
        arguments: [
            ("shift_jis", [0x93, 0xFA, 0x96, 0x7B, 0x87, 0x40], "日本①"),
            ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"), ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"), ("euc-kr", [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
            ("windows-1251", [0xCF, 0xF0, 0xE8], "При"), ("koi8-r", [0xF0, 0xD2, 0xC9], "При"),
            ("iso-8859-2", [0xB1, 0xE6, 0xEA], "ąćę"), ("iso-8859-1", [0x93, 0x61, 0x94], "“a”"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
        ] as [(String, [UInt8], String)])
    func oldSetsAreRead(set: String, bytes: [UInt8], title: String) throws {
        #expect(try Self.title(Self.page("<meta charset=\(set)>", bytes)) == title)
        #expect(try Self.title(Self.page("", bytes), charset: set.uppercased()) == title)
    }

    @Test(arguments: [true, false], [true, false]) func utf16IsRead(isBigEndian: Bool, hasMark: Bool) throws {
        let text = (hasMark ? "\u{FEFF}" : "") + "<meta charset=utf-8><title>日本 naïve</title>"
        let page = Data(
            text.utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] })
        let declared = hasMark ? nil : isBigEndian ? "utf-16be" : "utf-16"
        #expect(try Self.title(page, charset: declared) == "日本 naïve")
        // Half a character at the end.
        #expect(try Self.title(page + [0x41], charset: declared) == "日本 naïve")
    }

    /// A text that ends within another alphabet leaves the converter in it.
    @Test func aCutPageDoesNotChangeTheNext() throws {
        let escape: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C]
        for _ in 0..<3 {
            _ = try PageReader.readHere(Data("<title>a".utf8) + escape, charset: "iso-2022-jp")
            #expect(try Self.title(Data("<title>abc</title>".utf8), charset: "iso-2022-jp") == "abc")
        }
    }

    @Test func badBytesAreReplaced() throws {
        #expect(try Self.title(Self.page("<meta charset=utf-8>", [0x61, 0xFF, 0x62])) == "a\u{FFFD}b")
        #expect(try Self.title(Self.page("<meta charset=shift_jis>", [0x61, 0xFF, 0x62])) == "a\u{FFFD}b")
        #expect(try Self.title(Self.page("", [0x61, 0, 0x62])) == "a b")
    }

    // MARK: Damaged and hostile pages

    /// A page that is cut anywhere has each of its addresses whole or not at all.
    @Test func pagesAreTruncatedAtEveryLength() throws {
        let page = Data(
            """
            <!doctype html><html><head><meta charset=utf-8><title>A title — long</title>
            <meta property="og:image" content="https://example.org/pictures/a>b.png"><!-- note -->
            <script type="application/ld+json">{"image":"https://example.org/ld.png"}</script>
            <link rel=icon href=/icon.png></head><body>text
            """.utf8)
        let whole = try PageReader.readHere(page, charset: nil)
        #expect(whole.entries.count == 4)
        for count in 0...page.count {
            let entries = try PageReader.readHere(page.prefix(count), charset: nil).entries
            #expect(entries == Array(whole.entries.prefix(entries.count)), "\(count) bytes")
        }
    }

    /// libxml2 2.9.14 holds the rest of a page back if a quoted value or a comment is cut between two pieces of its input.
    @Test func longPagesAreReadWhole() throws {
        let description = String(repeating: "a > b <i> ' ", count: 600)
        let note = "<!-- \(String(repeating: "-", count: 5000)) -->"
        for filler in 0..<64 {
            let page =
                (0..<200).map { "<meta property='og:x' content='\($0)'>" }.joined()
                + String(repeating: " ", count: filler)
                + "<meta name=description content=\"\(description)\">\(note)<title>end</title>"
            let content = try Self.read(page)
            #expect(content.entries.count == 202 && content.first(.title, "") == "end")
            #expect(content.first(.meta, "description") == description.trimmingCharacters(in: .whitespaces))
        }
    }

    @Test func onlyTheFirstHalfMegabyteIsRead() throws {
        let meta = "<meta property='og:image' content='a'>"
        let blanks = String(repeating: " ", count: PageReader.mostBytes)
        #expect(try Self.read(blanks.dropLast(meta.utf8.count) + meta).first(.meta, "og:image") == "a")
        #expect(try Self.read(blanks.dropLast(meta.utf8.count - 1) + meta).entries.isEmpty)
    }

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func attributes(_ end: String, separator: String) -> String {
        (0..<2_000).map { "a" + String($0) + end }.joined(separator: separator)
    }

    private static let hostile: [String] = {
        var pages = [many("<b>", 80_000) + many("</i>", 60_000), many("<b>", 500) + many("</i>", 120_000)]
        pages += [many("<div>", 100_000), many("<", 500_000), many("<p", 250_000), many("<!--", 125_000)]
        pages += [many("<?", 2_000), many("&", 500_000), many("&amp", 120_000), many("<!-- >", 80_000)]
        pages += ["<a href='" + many("x", 510_000), "<title>" + many("a&b", 160_000)]
        pages.append("<a " + attributes("=b", separator: " ") + ">")
        pages.append("<a " + attributes("='b'", separator: "") + ">")
        pages.append("<!-- <a x=' --><a " + attributes("", separator: " ") + ">")
        pages.append("<script>a<b x='</script><a " + attributes("", separator: "/") + ">")
        pages.append(many("<meta name=og:image content=a>", 16_000))
        pages.append("<meta name=og:image content='" + many("a", 300_000) + "'>")
        pages.append("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'><!ENTITY c '&b;'>]><title>&b;&c;</title>")
        pages.append(many("<script type=application/ld+json>{}</script>", 11_000))
        return pages
    }()

    /// All of these pages take libxml2 alone less than two seconds of a processor.
    @Test(arguments: hostile.indices) func hostilePagesEnd(index: Int) throws {
        let page = Self.hostile[index]
        let start = ProcessorTime.seconds
        let content = try PageReader.readHere(
            Data((page + "<title>end</title>").utf8), charset: nil, within: .seconds(600))
        #expect(ProcessorTime.seconds - start < 8, "\(page.prefix(20))")
        #expect(content.entries.count <= PageContent.mostEntries)
        #expect(content.entries.allSatisfy { $0.value.utf8.count <= PageContent.mostValueBytes })
        #expect(!content.entries.contains { $0.value.contains("root:") })
    }

    @Test func pageThatTakesTooLongIsRefused() throws {
        let error = #expect(throws: WebImageError.self) {
            try PageReader.readHere(Data(Self.many("<p>a</p>", 1000).utf8), charset: nil, within: .zero)
        }
        #expect(error?.code == .limitExceeded)
    }

    /// What is overwritten hides nothing that follows, and nothing else is overwritten.
    @Test func tooManyAttributesHideNothing() throws {
        let many = (0..<1000).map { "a\($0)" }.joined(separator: " ")
        let page =
            "<?php a > ?><p \(many) content='a > b'><!-- <a x=' --><meta property=og:image content='a b.png' \(many)>"
            + "<script>if (a<b && '<?') c = \"</p\";</script><title>end</title>"
        let content = try Self.read(page)
        #expect(content.first(.meta, "og:image") == "a b.png" && content.first(.title, "") == "end")
    }

    @Test func randomPagesAreRead() throws {
        let words = [
            "<meta ", "property=", "og:image", "content=", "'", "\"", ">", "</", "<title>", "<!--", "-->", "<script>",
            "&",
            "\u{0}", "é", "<![CDATA[", "]]>", "<svg>", "=", "/", " ", "http://a/b",
        ]
        var random = SeededRandom.printingSeed()
        for _ in 0..<2000 {
            let page = (0..<Int.random(in: 0...60, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            _ = try Self.read(page.joined())
        }
    }
}
