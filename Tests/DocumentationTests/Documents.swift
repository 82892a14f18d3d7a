import Foundation
import Testing

/// A document of the package. Its properties and functions return the parts that tests check.
struct Document: CustomTestStringConvertible {
    let path: String
    let text: String

    var testDescription: String { path }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All Markdown files in the root folder, in `Documentation` and in the folder of the guides, and the README of
    /// `Benchmarks`.
    static let all: [Document] = {
        let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        let deep = ["Documentation", "Sources/WebImage/WebImage.docc"].flatMap { folder in
            let names = FileManager.default.enumerator(atPath: root.path + "/" + folder)?.compactMap { $0 as? String }
            return (names ?? []).map { folder + "/" + $0 }
        }
        let paths = top + deep + ["Benchmarks/README.md"]
        return paths.filter { $0.hasSuffix(".md") }.sorted().compactMap { path in
            (try? String(contentsOfFile: root.path + "/" + path, encoding: .utf8)).map {
                Document(path: path, text: $0)
            }
        }
    }()

    /// The text of all Swift files under `Tests`.
    static let testSources: String = {
        let paths = FileManager.default.enumerator(atPath: root.path + "/Tests")?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") }
            .compactMap { try? String(contentsOfFile: root.path + "/Tests/" + $0, encoding: .utf8) }.joined()
    }()

    /// Returns the fenced code blocks whose fence names the given language.
    func blocks(_ language: String) -> [String] {
        var blocks: [String] = []
        var current: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = current {
                guard line == "```" else {
                    current?.append(line)
                    continue
                }
                blocks.append(lines.joined(separator: "\n"))
                current = nil
            } else if line == "```" + language {
                current = []
            }
        }
        return blocks
    }

    /// The targets of links and images that are file paths. Links between guides are omitted, because DocC checks these
    /// links.
    var linkedPaths: [String] {
        text.matches(of: /\]\(([^)#\s]+)[^)]*\)/).map { String($0.1) }
            .filter { !$0.contains("://") && !$0.hasPrefix("doc:") }
    }
}

/// The parts of this folder's sources between `// snippet: NAME` and `// end`, by name. Each run of white space is
/// replaced with one space, because a document may indent the code differently.
enum Snippets {
    static let all: [String: String] = {
        let folder = Document.root.appendingPathComponent("Tests/DocumentationTests")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var snippets: [String: String] = [:]
        for name in names where name.hasSuffix("Snippet.swift") {
            let text = (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
            for part in text.split(separator: "// snippet: ").dropFirst(text.hasPrefix("// snippet: ") ? 0 : 1) {
                guard let line = part.firstIndex(of: "\n"), let end = part.range(of: "// end") else { continue }
                snippets[String(part[..<line])] = evened(String(part[line..<end.lowerBound]))
            }
        }
        return snippets
    }()

    static func evened(_ code: String) -> String {
        code.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
