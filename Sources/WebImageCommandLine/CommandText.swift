import Foundation

/// What a command says of itself. The help is printed from it, as are manual pages and completions.
package struct CommandText: Sendable {
    /// A part of the help. Parts are separated by empty lines.
    package enum Part: Sendable {
        /// Lines of text. An empty line ends a paragraph.
        case text(String)
        /// Options, one below the other.
        case options([CommandOption])
        /// Words that the command takes, and what they do.
        case words([(head: String, help: String)])
        /// Commands to try.
        case examples([String])
    }

    /// The name of the command, as it is typed after the program's name. Empty for a program.
    package let name: String
    /// The command and its operands in the list of the program's commands.
    package let head: String
    /// What the command does, in one line.
    package let summary: String
    /// What stands before the forms of the command line.
    package let lead: String?
    /// The forms of the command line.
    package let usage: [String]
    package let parts: [Part]
    /// The column in which texts of options begin.
    package let column: Int

    package init(
        name: String = "", head: String = "", summary: String, lead: String? = nil, usage: [String], column: Int = 25,
        parts: [Part]
    ) {
        (self.name, self.head, self.summary, self.lead) = (name, head, summary, lead)
        (self.usage, self.column, self.parts) = (usage, column, parts)
    }

    package var options: [CommandOption] {
        parts.flatMap { part -> [CommandOption] in
            guard case .options(let options) = part else { return [] }
            return options
        }
    }

    /// The words that the first operand can be: '(one|two)' in the first form.
    package var operands: [String] {
        guard let words = usage.first?.firstMatch(of: /\(([a-z|-]+)\)/) else { return [] }
        return words.1.split(separator: "|").map(String.init)
    }

    /// Whether an operand can be '@' and the path of a file with a list.
    var takesLists: Bool { options.contains { $0.name == "input" } }

    /// The help.
    package var help: String {
        let forms = usage.enumerated().map { ($0.offset == 0 ? "usage: " : "       ") + $0.element + "\n" }.joined()
        return ((lead.map { [$0 + "\n"] } ?? []) + [forms] + parts.map(printed)).joined(separator: "\n")
    }

    /// Returns a part as the help shows it.
    package func printed(_ part: Part) -> String {
        switch part {
        case .text(let text): text + "\n"
        case .options(let options): options.map { row($0.head, $0.help) }.joined()
        case .words(let words): words.map { row($0.head, $0.help) }.joined()
        case .examples(let lines): "examples:\n" + lines.map { "  \($0)\n" }.joined()
        }
    }

    /// A long head is on a line of its own, so that all texts begin in one column.
    private func row(_ head: String, _ help: String) -> String {
        let indent = String(repeating: " ", count: column)
        let first =
            head.count > column - 4
            ? "  \(head)\n\(indent)" : "  " + head + String(repeating: " ", count: column - 2 - head.count)
        return first + help.replacing("\n", with: "\n" + indent) + "\n"
    }
}

/// A program with its commands.
package struct ProgramText: Sendable {
    package let name: String
    package let version: String
    package let general: CommandText
    /// The commands in the order of the help.
    package let commands: [CommandText]

    package init(name: String, version: String, general: CommandText, commands: [CommandText] = []) {
        (self.name, self.version, self.general, self.commands) = (name, version, general, commands)
    }
}

extension ProgramText {
    /// An error in the words that ask for a description.
    package struct DescriptionError: Error {
        package let message: String
    }

    /// Writes the manual pages into a folder (`man FOLDER`), or returns the completions of a shell (`bash`, `zsh` or
    /// `fish`) or a page of all options (`markdown`).
    package func described(_ words: [String]) throws(DescriptionError) -> String {
        switch words.first {
        case "bash" where words.count == 1: return bashCompletions
        case "zsh" where words.count == 1: return zshCompletions
        case "fish" where words.count == 1: return fishCompletions
        case "markdown" where words.count == 1: return markdown
        case "man" where words.count == 2:
            do {
                let folder = URL(fileURLWithPath: words[1], isDirectory: true)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                for page in manualPages { try Data(page.text.utf8).write(to: folder.appendingPathComponent(page.file)) }
                return ""
            } catch {
                throw DescriptionError(message: "\(words[1]): \(error)")
            }
        default: throw DescriptionError(message: "--describe requires bash, zsh, fish, markdown, or man and a folder")
        }
    }
}
