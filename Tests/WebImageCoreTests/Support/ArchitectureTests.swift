import Foundation
import Testing

/// `Documentation/Architecture.md` names code and files that exist.
struct ArchitectureTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    private static let declaring: Set<String> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func", "var", "let", "case",
    ]

    /// All names in the sources. The document must use only these names.
    private struct Names: Sendable {
        /// The names of types, functions, members, targets, folders and files.
        var words: Set<String> = []
        /// The string literals, because the document names queue labels and files on disk.
        var literals: Set<String> = []

        mutating func addDeclarations(_ bytes: [UInt8]) {
            var isDeclaration = false
            for word in bytes.split(whereSeparator: { !isWordByte($0) }) {
                let text = String(decoding: word, as: UTF8.self)
                if isDeclaration { words.insert(text) }
                isDeclaration = declaring.contains(text)
            }
        }

        mutating func addLiterals(_ bytes: [UInt8]) {
            for line in bytes.split(separator: UInt8(ascii: "\n")) where line.contains(UInt8(ascii: "\"")) {
                let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
                for index in stride(from: 1, to: parts.count, by: 2) where parts[index].count < 40 {
                    literals.insert(String(decoding: parts[index], as: UTF8.self))
                }
            }
        }
    }

    private static let names = Result { try readNames() }

    private static func readNames() throws -> Names {
        var names = Names()
        let sources = root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files {
            names.words.insert(file.deletingPathExtension().lastPathComponent)
            guard file.pathExtension == "swift" else { continue }
            // Use an array, because a debug build reads an array ten times faster than `Data`.
            let bytes = [UInt8](try Data(contentsOf: file))
            names.addDeclarations(bytes)
            names.addLiterals(bytes)
        }
        return names
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns whether `path` exists, relative to the root folder or to the folder of a target that the document
    /// describes.
    private static func exists(_ path: String) -> Bool {
        ["", "Sources/WebImageCore", "Sources/WebImageLoading", "Sources/WebImageGraphics"].contains { folder in
            FileManager.default.fileExists(
                atPath: root.appendingPathComponent(folder).appendingPathComponent(path).path)
        }
    }

    /// Returns the reason why a code span of the document is wrong, or nil when all its names exist.
    private static func fault(of span: String, _ names: Names) -> String? {
        // URL schemes and keywords are not symbols.
        if span.hasSuffix(":") || ["async", "struct"].contains(span) { return nil }
        if span.contains("/") || span.hasSuffix(".md") || span.hasSuffix(".swift") {
            return exists(span) ? nil : "there is no file \(span)"
        }
        if names.literals.contains(span) { return nil }
        let words = span.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        // Look up the whole span first, because some names of products and folders contain hyphens.
        if names.words.contains(span) { return nil }
        return words.first { !names.words.contains($0) }.map { "\($0) of \(span) is not declared" }
    }

    @Test func documentNamesOnlyExistingSymbols() throws {
        let names = try Self.names.get()
        let file = Self.root.appendingPathComponent("Documentation/Architecture.md")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```")
        var count = 0
        for (index, part) in parts.enumerated() {
            let spans =
                index.isMultiple(of: 2)
                ? part.matches(of: /`([^`\n]+)`/).map { String($0.output.1) }
                // In a diagram, check only words that look like the names of types.
                : part.matches(of: /[A-Z][a-z]+[A-Z][A-Za-z.]*/).map { String($0.output) }
            for span in spans {
                count += 1
                #expect(Self.fault(of: span, names) == nil)
            }
        }
        #expect(count > 150)
    }

    @Test(arguments: [
        "MemoryStage.noSuchFunction", "NoSuchStage", "Sources/WebImageCore/Nothing", "NOTHING.md", "nosuch.queue",
    ])
    func missingSymbolIsReported(span: String) throws {
        #expect(try Self.fault(of: span, Self.names.get()) != nil)
    }
}
