import Foundation
import Testing

/// The document of the pipeline names code that exists.
struct ArchitectureTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    private static let declaring: Set<String> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func", "var", "let", "case",
    ]

    /// Every word that the sources declare: types, functions, members, files.
    private static func declared() throws -> Set<String> {
        var words: Set<String> = []
        for target in ["WebImageCore", "WebImageHTTP", "WebImageGTK"] {
            let folder = root.appendingPathComponent("Sources/\(target)")
            words.insert(target)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files {
                words.insert(file.deletingPathExtension().lastPathComponent)
                guard file.pathExtension == "swift" else { continue }
                var isDeclaration = false
                for word in try Data(contentsOf: file).split(whereSeparator: { !isWordByte($0) }) {
                    let text = String(decoding: word, as: UTF8.self)
                    if isDeclaration { words.insert(text) }
                    isDeclaration = declaring.contains(text)
                }
            }
        }
        return words
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    @Test func thePipelinePartNamesOnlySymbolsThatExist() throws {
        let file = Self.root.appendingPathComponent("Documentation/Architecture.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "The folders of `WebImageCore` are layers"))
        let end = try #require(text.range(of: "## Threads"))
        let part = text[start.lowerBound..<end.lowerBound]
        let declared = try Self.declared()
        var count = 0
        for match in part.matches(of: /`([^`\n]+)`/) {
            let name = String(match.output.1)
            // Schemes, scripts and folders of other targets are no symbols.
            if name.hasSuffix(":") || name.hasPrefix("Scripts/") { continue }
            for word in name.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
                count += 1
                let isDeclared = declared.contains(String(word))
                #expect(isDeclared, "\(name) is not declared")
            }
        }
        #expect(count > 60)
    }
}
