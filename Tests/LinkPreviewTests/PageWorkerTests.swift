import Foundation
import Testing
import WebImagePages
import WebImageTestTraits
import WebImageTesting

@testable import WebImageSandbox

/// Reads pages in decoder processes, which are locked, and compares with this process.
@Suite(.serialized, .timeLimit(minutes: 2))
struct PageWorkerTests {
    private static let pool = SandboxPool()

    @Test(
        .needsRealDecoderProcesses,
        arguments: [
            nil, "utf-8", "utf-16le", "shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "big5", "euc-kr", "windows-1252",
            "windows-1250", "windows-1257", "windows-874", "iso-8859-15", "koi8-u", "macintosh", "no-such-set",
        ] as [String?])
    func lockedReadsAreThoseOfThisProcess(charset: String?) throws {
        var random = SeededRandom.printingSeed()
        let noise = (0..<2000).map { _ in UInt8.random(in: 0x21...0xFF, using: &random) }
        let page =
            Data(
                """
                <!doctype html><title>t</title><meta property=og:image content='a&amp;b&eacute;.png'>
                <script type="application/ld+json">{"@graph":[{"image":[{"url":"x.png"}],"headline":"h","n":1.5e3}]}</script>
                <meta name=description content='
                """.utf8) + noise.filter { $0 != 0x27 } + Data("'><link rel=icon href=/i.png><base href=/b/>".utf8)
        let here = try PageReader.readHere(page, charset: charset)
        #expect(charset == "utf-16le" || here.entries.count >= 3)
        #expect(try SandboxPage(page, charset: charset).content(Self.pool) == here)
    }

    /// Cut off at every byte: a character, a name, an address or a script may be incomplete.
    @Test(.needsRealDecoderProcesses, arguments: [nil, "shift_jis", "iso-2022-jp", "utf-16le"] as [String?])
    func pagesCutAtEveryLengthAreThoseOfThisProcess(charset: String?) throws {
        let text = """
            <!doctype html><html><head><meta charset=utf-8><base href=/b/><title>日本 &eacute; 語</title><!-- a > b -->
            <script type="application/ld+json"><![CDATA[{"image":["x.png"],"headline":"見出し"}]]></script>
            <meta property='og:image' content='https://example.org/a>b.png'><link rel=icon href=/i.png sizes=16x16></head>
            """
        let page =
            switch charset {
            case "shift_jis": text.data(using: .shiftJIS)
            case "iso-2022-jp": text.data(using: .iso2022JP)
            case "utf-16le": text.data(using: .utf16LittleEndian)
            default: Data(text.utf8)
            }
        let bytes = try #require(page)
        let pool = SandboxPool()
        defer { pool.shutDown() }
        for count in 0...bytes.count {
            let cut = bytes.prefix(count)
            let here = try PageReader.readHere(cut, charset: charset)
            #expect(try SandboxPage(cut, charset: charset).content(pool) == here, "\(count) bytes")
        }
        #expect(try SandboxPage(bytes, charset: charset).content(pool).entries.count == 6)
        // No page has ended a process.
        #expect(pool.statistics.died == 0)
    }

    @Test(.needsRealDecoderProcesses) func aPageOfTheMostBytesIsRead() throws {
        let metas = (0..<600).map { "<meta property=og:image content='\($0)\(String(repeating: "x", count: 800))'>" }
        let page = Data(metas.joined().utf8)
        let content = try SandboxPage(page, charset: nil).content(Self.pool)
        #expect(
            try content == PageReader.readHere(page, charset: nil) && content.entries.count == PageContent.mostEntries)
    }

    @Test func requestsAndAnswersAreChecked() throws {
        #expect(SandboxPage(Data()) == nil && SandboxPage(Data([200, 1])) == nil && SandboxPage(Data([1])) == nil)
        let content = try #require(PageContent([.init(.link, name: "icon", value: "v", detail: "16x16")]))
        let payload = content.sandboxPayload
        #expect(PageContent(sandboxPayload: payload) == content)
        for count in 0..<payload.count { #expect(PageContent(sandboxPayload: payload.prefix(count)) == nil) }
        let long = PageContent.Entry(.title, value: String(repeating: "a", count: PageContent.mostValueBytes + 1))
        #expect(PageContent([long]) == nil)
    }
}
