import Foundation
import WebImageCore

@testable import WebImageService

/// The entry point of the fuzzer. It parses a text as a target in every grammar. For each parsed target, it computes a
/// ``ResultGeometry`` and checks the invariants.
enum TargetFuzzing {
    private static let imgproxy: ImgproxyRouter = {
        var router = ImgproxyRouter()
        router.presets = (try? PresetTable(["default=q:80", "a=w:10/pr:b", "b=pr:a/h:10"])) ?? PresetTable()
        return router
    }()

    private static let sources: SourcePolicy = {
        var policy = SourcePolicy()
        policy.root = "/"
        policy.allowed = [SourcePattern(text: "http://*.example/*/a"), SourcePattern(text: "local:///")]
        policy.replacements = [SourceReplacement("x*:*/=http://${1}.example/${2}")].compactMap { $0 }
        return policy
    }()

    /// Processes one input of the fuzzer. Traps if an invariant does not hold.
    static func read(_ text: String) {
        let targets = [
            try? imgproxy.parse(text[...]), try? imgproxy.parse("/_/\(text)"[...]),
            try? imgproxy.parse("/_/\(text)/plain/http://a.example/b/a"[...]),
            try? ThumborRouter().parse("/unsafe/\(text)"[...]),
            try? ThumborRouter().parse("/unsafe/\(text)/a.example/a"[...]),
        ]
        for target in targets.compactMap({ $0 }) {
            precondition(!target.source.isEmpty && target.source.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
            for size in [PixelSize(width: 1, height: 1), PixelSize(width: 3000, height: 20)] {
                let geometry = ResultGeometry(source: size, options: target.options, maxSide: 8192)
                precondition(geometry.result.width > 0 && geometry.result.height > 0)
                precondition(
                    geometry.crop.width <= geometry.turned.width && geometry.cut.height <= geometry.scaled.height)
            }
            _ = target.options.keyText
            _ = try? sources.reference(of: target.source)
            let field = ContentDisposition.field(
                name: target.options.filename, source: target.source, fileExtension: "png", isAttachment: true)
            precondition(field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
        _ = ConditionalRequest.range(["Range": text], etag: "\"a\"", count: 100)
        _ = AcceptedFormats(accept: text, offered: [.avif, .webp])
    }
}

/// The entry point of the fuzzer for addresses. It reads the first line of a text as a base and the rest as an address.
enum AddressFuzzing {
    /// Processes one input of the fuzzer. Traps if an invariant does not hold.
    static func read(_ text: String) {
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        let base = URL(webAddress: lines[0])
        for url in [base, URL(webAddress: lines.last ?? "", relativeTo: base)].compactMap({ $0 }) {
            let text = url.absoluteString
            // The result contains only characters of RFC 3986, and another pass does not change it.
            precondition(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) })
            precondition(URL(webAddress: text)?.absoluteString == text)
            guard ["http", "https"].contains(url.scheme) else { continue }
            precondition(url.host()?.isEmpty == false && url.path(percentEncoded: true).hasPrefix("/"))
            let parts = url.path(percentEncoded: true).lowercased().replacing("%2e", with: ".").split(separator: "/")
            precondition(!parts.contains(".") && !parts.contains(".."))
        }
        // A byte becomes at most an escape of three bytes.
        precondition(text.removingAddressEscapes.utf8.count <= 3 * text.utf8.count)
    }
}

/// The entry point of the fuzzer for style sheets of SVG documents that reach browsers.
enum CSSFuzzing {
    /// Sanitises a text as a style sheet and as a style attribute. Traps if a second pass changes the result, or if the
    /// result contains a reference to another resource.
    static func read(_ text: String) {
        let sheet = CSSSanitizer.styleSheet(text)
        precondition(CSSSanitizer.styleSheet(sheet) == sheet)
        let attribute = CSSSanitizer.declarations(text)
        precondition(CSSSanitizer.declarations(attribute) == attribute)
        for token in CSSTokenizer.tokens(of: sheet) + CSSTokenizer.tokens(of: attribute) {
            switch token {
            case .url(let value): precondition(value.hasPrefix("#"))
            case .atKeyword(let name): precondition(!["import", "font-face", "namespace"].contains(name))
            case .badURL, .badString: preconditionFailure("a broken token was written")
            default: break
            }
        }
    }
}
