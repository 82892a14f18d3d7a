import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests which rules of a style sheet reach a browser.
@Suite(.timeLimit(minutes: 2))
struct CSSSanitizerTests {
    /// The tokens of texts with the rules of CSS Syntax Module Level 3, §4.3.
    static let tokens: [(text: String, tokens: [CSSToken])] = [
        (
            "a-b --x -\\31 _é",
            [
                .ident("a-b"), .whitespace, .ident("--x"), .whitespace, .ident("-1_é"),
            ]
        ),
        ("u\\72l(x)", [.url("x")]), ("URL( #a )", [.url("#a")]),
        ("url( 'x')", [.function("url"), .whitespace, .string("x"), .close(41)]),
        ("url(a b)c", [.badURL, .ident("c")]), ("url(a\\)b", [.url("a)b")]), ("url(a\"b)", [.badURL]),
        ("url(", [.url("")]),
        ("'a\\\nb\\'c'", [.string("ab'c")]), ("'a\nb", [.badString, .whitespace, .ident("b")]), ("'a", [.string("a")]),
        (
            "1.5e3px +.5% -2",
            [
                .dimension("1.5e3", unit: "px"), .whitespace, .percentage("+.5"), .whitespace, .number("-2"),
            ]
        ),
        (
            "1e3 1e-x 1\\65 3",
            [
                .number("1e3"), .whitespace, .dimension("1", unit: "e-x"), .whitespace, .dimension("1", unit: "e3"),
            ]
        ),
        ("#1a#b", [.hash("1a"), .hash("b")]),
        ("@media @1", [.atKeyword("media"), .whitespace, .delim("@"), .number("1")]),
        ("a/* ; */b/*", [.ident("a"), .comment, .ident("b"), .comment]),
        ("<!---->", [.htmlComment, .htmlComment]),
        ("a\r\nb\u{C}c", [.ident("a"), .whitespace, .ident("b"), .whitespace, .ident("c")]),
        ("\\", [.ident("\u{FFFD}")]), ("\\\n", [.delim("\\"), .whitespace]), ("\\110000 x", [.ident("\u{FFFD}x")]),
        ("f(a[b{c", [.function("f"), .ident("a"), .open(91), .ident("b"), .open(123), .ident("c")]),
    ]

    @Test(arguments: tokens) func tokensFollowTheStandard(row: (text: String, tokens: [CSSToken])) {
        #expect(CSSTokenizer.tokens(of: row.text) == row.tokens)
    }

    /// A harmful or unknown rule is removed, and the rules beside it stay.
    static let styleSheets: [(text: String, result: String)] = [
        ("@import url(\"https://fonts.example/css?family=Roboto\");.a{fill:red}", ".a{fill:red}"),
        ("@import 'x' screen;@charset \"utf-8\";@namespace x url(y);.a{fill:red}", ".a{fill:red}"),
        ("/* colours */ .a{fill:url(#g)}", ".a{fill:url(#g)}"),
        ("@font-face{font-family:F;src:url(https://e/f.woff2)}.a{font-family:F}", ".a{font-family:F}"),
        (".a{cursor:url(x.cur),auto;fill:red}", ".a{fill:red}"),
        (".a{scroll-behavior:smooth;behavior:url(#x);fill:red}", ".a{scroll-behavior:smooth;fill:red}"),
        (".a{content:\"\\201C\";fill:red}", ".a{content:\"“\";fill:red}"),
        (".\\31 a{fill:red}", ".\\31 a{fill:red}"),
        ("@media print{.a{fill:red;x:url(y)}.b{x:url(z)}}@media screen{.c{x:url(y)}}", "@media print{.a{fill:red}}"),
        ("@keyframes k{from{opacity:0}50%{mask:url(x)}to{opacity:1}}", "@keyframes k{from{opacity:0}to{opacity:1}}"),
        (
            ".a{fill:red;&:hover{fill:blue}@media print{fill:green}}",
            ".a{fill:red;&:hover{fill:blue}@media print{fill:green}}"
        ),
        (
            ".a>.b~c:not(.d)[e=\"f\"]{fill:rgb(1 2 3/50%)!important}",
            ".a>.b~c:not(.d)[e=\"f\"]{fill:rgb(1 2 3/50%)!important}"
        ),
        (".a{fill:var(--x,url(#b));--y:{a:b}}", ".a{fill:var(--x,url(#b));--y:{a:b}}"),
        (".a{mask:url( '#m' ) no-repeat}", ".a{mask:url( \"#m\" ) no-repeat}"),
        ("<!-- .a{fill:red} -->", ".a{fill:red}"), (".a{fill:red", ".a{fill:red}"),
        (".a{fill:rgb(1,2,3", ".a{fill:rgb(1,2,3)}"),
        ("}.a{fill:red}.b{fill:blue}", ".b{fill:blue}"), (".a{;;fill:red;;b}", ".a{fill:red}"),
        (".a{fill:red;b{c:d;fill:blue}", ".a{fill:red;b{c:d;fill:blue}}"),
        // Escapes that would become a comment of HTML when they are written.
        (".a{b:1(<!\\--x);fill:red}", ".a{fill:red}"), (".a{b:\\-->;fill:red}", ".a{fill:red}"),
        ("<!\\--x{fill:red}.b{fill:red}", ".b{fill:red}"),
        (".a{1:2;fill:red}", ".a{fill:red}"), ("@unknown x{.a{fill:red}}.b{fill:blue}", ".b{fill:blue}"), ("", ""),
    ]

    @Test(arguments: styleSheets) func aRuleIsRemovedAndTheOthersStay(row: (text: String, result: String)) {
        #expect(CSSSanitizer.styleSheet(row.text) == row.result)
        #expect(CSSSanitizer.styleSheet(row.result) == row.result)
    }

    /// Ways to make a browser load something. Each is tried in every place of a style sheet.
    static let requests = [
        "url(http://e/)", "url('http://e/')", "url(\"//e\")", "URL(e.png)", "u\\72 l(e)", "\\75rl(e)",
        "\\000075 rl( e )", "url(\\68ttp://e)",
        "url(data:image/svg+xml,x)", "url(javascript:x)", "url(/**/e)", "url('#a' )url(e)", "url(e", "url('e",
        "url(\"#a\"url(e))",
        "image-set('e' 1x)", "-webkit-image-set(url(e) 1x)", "IMAGE-SET(\"e\" 1x)", "image('e')", "src('e')",
        "s\\72 c('e')",
        "cross-fade(url(e),red)", "attr(href url)", "attr(x type(<url>))", "expression(x)", "element(#a,url(e))",
        "paint(x,url(e))",
        "var(--x,url(e))", "calc(url(e))", "linear-gradient(url(e))", "rgb(url(e))", "red url(e)", "[url(e)]",
        "{url(e)}", "(url(e))",
        "url(#a),url(e)", "url( e)", "url(\ne)", "url(?e)", "url(.e)", "url(\\#a)e,url(e)", "format('x') url(e)",
        "progid:DXImageTransform.Microsoft.AlphaImageLoader(src='e')", "local(x),url(e)", "url/**/(e)", "u\\72l/**/(e)",
    ]

    static let places: [@Sendable (String) -> String] = [
        { ".a{fill:\($0)}" }, { ".a{fill:red;--x:\($0);stroke:red}" }, { "@media print{.a{b:\($0)}}" },
        { "@supports (a:\($0)){.a{fill:red}}" }, { "@media \($0){.a{fill:red}}" }, { "@keyframes k{to{b:\($0)}}" },
        { "@import \($0);" }, { "@import \($0) screen;.a{fill:red}" }, { "@font-face{src:\($0)}" },
        { "@namespace \($0);" },
        { "@\\69mport \($0);" }, { "@IMPORT/**/\($0);" }, { ".a[b=\($0)]{fill:red}" }, { ".a{.b{c:\($0)}}" },
        { ".a{@import \($0);fill:red}" }, { ".a{@media print{b:\($0)}}" }, { "@layer x{@import \($0);}" },
        { "@page{background:\($0)}" }, { "@counter-style x{symbols:\($0)}" }, { "@property --x{initial-value:\($0)}" },
        { "\($0){fill:red}" }, { "@document \($0){.a{fill:red}}" }, { ".a{b:{c:\($0)}}" }, { "<!--@import \($0);-->" },
        { "/*\u{0}*/.a{b:\($0)}" }, { ".a{b:'\n;c:\($0)}" }, { ".a{b:\($0)!important}" }, { ".a{\\62:\($0)}" },
        { ".a{behavior:\($0)}" }, { ".a{-moz-binding:\($0)}" }, { ".a{b:(;c:\($0))}" }, { ".a{b:[};c:\($0)}" },
    ]

    @Test func noTextInAnyPlaceLoadsSomething() {
        var count = 0
        for request in Self.requests {
            for place in Self.places {
                let text = place(request)
                for result in [CSSSanitizer.styleSheet(text), CSSSanitizer.declarations(text)] {
                    #expect(!Self.loads(result), "\(text) became \(result)")
                    count += 1
                }
            }
            #expect(!CSSSanitizer.isSafeValue(request), "\(request)")
        }
        #expect(count > 2500)
    }

    /// Whether a browser could load something for a style sheet. Does not use the tokenizer.
    private static func loads(_ text: String) -> Bool {
        // Decoding escapes first finds more than there is, and never less.
        let plain = text.lowercased().replacingOccurrences(
            of: "url\\(\\s*[\"']?#[a-z0-9_.-]*[\"']?\\s*\\)", with: "", options: .regularExpression)
        return ["url", "@import", "image", "src(", "attr(", "expression", "cross-fade", "progid", "element("]
            .contains { plain.contains($0) } || plain.contains("\\75") || plain.contains("\\72")
    }

    /// A second pass changes nothing, and nothing is loaded, for style sheets with random mutations.
    @Test func sanitisingIsStableForMutatedStyleSheets() {
        var random = SeededRandom(seed: 49)
        let pieces = Self.styleSheets.map(\.text) + Self.requests + Self.places.map { $0(";") }
        let marks = Array("(){}[]\\\"'/*;:,@#!-+. \n1e<>&".unicodeScalars)
        for _ in 0..<5_000 {
            var text = (0..<3).map { _ in pieces.randomElement(using: &random)! }.joined().unicodeScalars.map { $0 }
            for _ in 0..<Int.random(in: 0..<5, using: &random) where !text.isEmpty {
                let place = text.indices.randomElement(using: &random)!
                if Bool.random(using: &random) {
                    text[place] = marks.randomElement(using: &random)!
                } else {
                    text.remove(at: place)
                }
            }
            let string = String(String.UnicodeScalarView(text))
            let once = CSSSanitizer.styleSheet(string)
            #expect(CSSSanitizer.styleSheet(once) == once, "\(string)")
            for token in CSSTokenizer.tokens(of: once) {
                if case .url(let value) = token { #expect(value.hasPrefix("#"), "\(string)") }
                if case .atKeyword(let name) = token { #expect(name != "import" && name != "font-face", "\(string)") }
            }
        }
    }

    /// A URL is written as a function with a string, which is one level more.
    @Test(arguments: 60...66) func sanitisingIsStableAtTheLimitOfLevels(_ levels: Int) {
        for value in ["url(#d)", "url(#d\u{fffd})", "url('#d')", "rgb(1 2 3)", "a"] {
            let text = "--c:" + String(repeating: "{", count: levels) + value
            for sanitise in [CSSSanitizer.styleSheet, CSSSanitizer.declarations] {
                for text in [text, "a{" + text] {
                    let result = sanitise(text)
                    #expect(sanitise(result) == result, "\(value) in \(levels) levels")
                }
            }
        }
    }

    @Test func nestingIsLimitedAndTheTimeIsLinear() {
        for piece in ["{", "(", "[", "a{", "@media x{", "f(", "/*", "\\", "\"", "url(", "a:b{", ".a{b:c;"] {
            _ = CSSSanitizer.styleSheet(String(repeating: piece, count: 30_000))
            _ = CSSSanitizer.declarations(String(repeating: piece, count: 30_000))
        }
        let many = String(repeating: ".a{fill:red}", count: 10_000)
        #expect(CSSSanitizer.styleSheet(many) == many)
    }
}
