import Foundation
import Testing

/// A single trailing closure of a public function is the completion, never the progress block.
@Suite struct TrailingClosureTests {
    /// Functions that programs implement and the library calls, and a function of SDWebImage whose three blocks are all
    /// labelled.
    private static let exceptions = ["requestImage", "sd_internalSetImage"]

    /// A public function in the recorded interface.
    struct Function {
        let type: String
        let name: String
        let labels: [String]
        let hasDefault: [Bool]

        /// Reads a line of `Documentation/API`: `Type: attributes func name(label name: Type = default, …) -> Result`.
        init?(_ line: Substring) {
            guard let colon = line.range(of: ": "), let keyword = line.range(of: "func "), !line.contains("override ")
            else { return nil }
            type = String(line[..<colon.lowerBound])
            let text = line[keyword.upperBound...]
            guard let open = text.firstIndex(of: "(") else { return nil }
            name = String(text[..<open].prefix { $0 != "<" })
            var depth = 0
            var parameters = [""]
            for character in text[open...] {
                if "([<".contains(character) { depth += 1 }
                if ")]>".contains(character) { depth -= 1 }
                if depth == 0 { break }
                if character == ",", depth == 1 {
                    parameters.append("")
                } else {
                    parameters[parameters.count - 1].append(character)
                }
            }
            // An arrow is not the end of a generic argument.
            parameters = parameters.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "( ")) }
            labels = parameters.map { String($0.prefix { $0 != " " && $0 != ":" }) }
            hasDefault = parameters.map { $0.contains(" = ") }
        }
    }

    static let functions: [Function] = {
        let folder = Document.root.appendingPathComponent("Documentation/API").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let texts = names.sorted().compactMap { try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
        return texts.flatMap { text in
            text.replacing("->", with: "→").split(separator: "\n").compactMap { Function($0) }
        }
    }()

    /// Functions whose last two parameters are a progress block and a completion.
    static let withProgress = functions.filter {
        $0.labels.count > 1 && $0.labels[$0.labels.count - 2] == "progress" && $0.labels.last == "completed"
            && !exceptions.contains($0.name) && $0.type != "ViewImageLoading"
    }

    @Test func theInterfaceHasFunctionsWithProgress() {
        #expect(Self.withProgress.count >= 20)
        #expect(
            Set(Self.withProgress.map(\.name)).isSuperset(of: ["setImage", "sd_setImage", "loadImage", "prefetchURLs"]))
    }

    private static let blocks = ["progress", "setImageBlock"]

    /// Returns whether Swift binds a single trailing closure to the completion, because all other closures have defaults
    /// and the completion has none.
    private func bindsToCompletion(_ function: Function) -> Bool {
        let others = Self.blocks.compactMap { function.labels.firstIndex(of: $0) }
        return function.hasDefault.last == false && others.allSatisfy { function.hasDefault[$0] }
    }

    @Test func aSingleTrailingClosureIsTheCompletion() {
        for function in Self.withProgress {
            let alternatives = [function.labels, function.labels.filter { !Self.blocks.contains($0) }]
            let binds = Self.functions.contains { other in
                other.type == function.type && other.name == function.name
                    && (other.labels == alternatives[1] || other.labels == alternatives[0] && bindsToCompletion(other))
            }
            #expect(binds, "\(function.type).\(function.name)(\(function.labels.joined(separator: ":"))) { }")
        }
    }
}
