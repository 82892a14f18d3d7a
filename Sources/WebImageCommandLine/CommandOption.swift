/// An option of a command. The parser, the help, the manual page and the completions of shells read this row, so that an
/// option is declared in one place.
package struct CommandOption: Sendable {
    /// Where commas stand in a value that has words.
    package enum Commas: String, Sendable {
        case none
        /// The value is a list of words.
        case between
        /// The words follow a comma: 'A[,word]'.
        case before
    }

    package let name: String
    package let letter: Character?
    /// The value as the help shows it. Nil for an option without a value.
    ///
    /// `one|two` is one of these words, `A,…` a list with commas between, and `A[,word]` and `A[,MODE]` have words after a comma.
    /// FILE, DIR, FOLDER, PATH and WHERE are paths.
    package let value: String?
    /// What the option does, as it was declared, and the words that were declared beside it. What follows from them is computed
    /// where it is printed: the command makes all its rows at each start.
    private let declared: (help: String, words: [String], isList: Bool)
    /// Whether '@' and the path of a file stand for the value.
    package let takesFile: Bool

    package var takesArgument: Bool { value != nil }

    /// An option without a value.
    package static func flag(_ name: String, letter: Character? = nil, _ help: String) -> CommandOption {
        CommandOption(name: name, letter: letter, value: nil, help: help)
    }

    /// An option with a value.
    ///
    /// - Parameters:
    ///   - value: The value as the help shows it. See ``value``.
    ///   - help: What the option does, with line breaks. Braces around a list 'a, b or c' say that these are the words of the
    ///     value; they are not shown. What is in parentheses after a word explains it.
    ///   - words: The words of the value, if the help does not list them.
    ///   - isList: Whether the value can have several of its words, with commas between.
    ///   - takesFile: Whether '@' and the path of a file stand for the value.
    package static func value(
        _ name: String, letter: Character? = nil, _ value: String, _ help: String, words: [String] = [],
        isList: Bool = false, takesFile: Bool = false
    ) -> CommandOption {
        CommandOption(
            name: name, letter: letter, value: value, help: help, words: words, isList: isList, takesFile: takesFile)
    }

    private init(
        name: String, letter: Character?, value: String?, help: String, words: [String] = [], isList: Bool = false,
        takesFile: Bool = false
    ) {
        (self.name, self.letter, self.value, self.takesFile) = (name, letter, value, takesFile)
        declared = (help, words, isList)
    }

    /// What the option does, with the line breaks of the help.
    package var help: String { Self.withoutBraces(declared.help).text }

    /// The words that the value can be. A word that ends with '=' is followed by a value of its own.
    package var words: [String] {
        if !declared.words.isEmpty { return declared.words }
        if let listed = Self.withoutBraces(declared.help).words { return listed }
        if let following { return [following] }
        let parts = (value ?? "").split(separator: "|").map(String.init)
        return parts.count > 1 ? parts.filter { $0.wholeMatch(of: /[a-z0-9-]+/) != nil } : []
    }

    /// Where commas stand in the value.
    package var commas: Commas {
        if following != nil || value?.contains("[,MODE]") == true { return .before }
        return declared.isList || value?.hasSuffix(",…") == true ? .between : .none
    }

    /// The word in 'A[,word]'.
    private var following: String? { value?.wholeMatch(of: /.*\[,([a-z]+)\]/).map { String($0.output.1) } }

    /// Returns a text without its braces, and the words between them.
    static func withoutBraces(_ text: String) -> (text: String, words: [String]?) {
        guard let list = text.firstMatch(of: /\{([^}]*)\}/) else { return (text, nil) }
        let words = list.1.replacing(/\s*\([^)]*\)/, with: "").replacing(/\s+or\s+/, with: ", ").split(separator: ",")
        let names = words.map { word in
            let word = word.filter { !$0.isWhitespace }
            return word.firstIndex(of: "=").map { String(word[...$0]) } ?? word
        }
        return (text.replacing(list.0, with: list.1), names)
    }

    /// The option as the first column of the help shows it.
    package var head: String {
        (letter.map { "-\($0), " } ?? "") + "--" + name + (value.map { ($0.hasPrefix("[") ? "" : " ") + $0 } ?? "")
    }

    /// Whether the value is the path of a file or a folder.
    var takesPath: Bool {
        (value ?? "").split(separator: "|").contains { $0.prefixMatch(of: /(FILE|DIR|FOLDER|PATH|WHERE)\b/) != nil }
    }

    /// The help on one line.
    package var summary: String { help.split(whereSeparator: \.isNewline).joined(separator: " ") }
}
