extension ProgramText {
    /// The completions of zsh.
    var zshCompletions: String {
        guard !commands.isEmpty else { return "#compdef \(name)\n\(zshArguments(general))\n" }
        let listed = (commands.map { ($0.name, $0.summary) } + [("help", Self.helpSummary)]).map {
            "    '\($0.0):\(zshQuoted($0.1))'"
        }
        let cases = commands.map { "  \($0.name)) \(zshArguments($0)) ;;" }
        return """
            #compdef \(name)
            # Completions of \(name) for zsh.
            local -a commands
            commands=(
            \(listed.joined(separator: "\n"))
            )
            if (( CURRENT == 2 )); then
              _describe command commands
              _arguments \(zshOptions(general.options).joined(separator: " "))
              return
            fi
            shift words
            (( CURRENT-- ))
            case "$words[1]" in
              help) _describe command commands ;;
            \(cases.joined(separator: "\n"))
              *) _files ;;
            esac

            """
    }

    /// What the command `help` does.
    package static let helpSummary = "print the help of a command, like 'webimage COMMAND --help'"

    private func zshArguments(_ text: CommandText) -> String {
        let words = text.operands.joined(separator: " ")
        let first = words.isEmpty ? [] : ["'1:word:(\(words))'"]
        let files = text.takesLists ? "{compset -P @; _files}" : "_files"
        return "_arguments -s -S " + (zshOptions(text.options) + first + ["'*:file:\(files)'"]).joined(separator: " ")
    }

    private func zshOptions(_ options: [CommandOption]) -> [String] {
        options.flatMap { option -> [String] in
            let action = option.takesArgument ? ":value:\(zshValues(option))" : ""
            let sign = option.takesArgument ? "=" : ""
            let help = zshQuoted(option.summary)
            return ["'*--\(option.name)\(sign)[\(help)]\(action)'"]
                + (option.letter.map { ["'*-\($0)[\(help)]\(action)'"] } ?? [])
        }
    }

    private func zshValues(_ option: CommandOption) -> String {
        let words = option.words.joined(separator: " ")
        if !words.isEmpty, option.takesPath {
            return "_alternative \"words\\:word\\:(\(words))\" \"files\\:file\\:_files\""
        }
        if !words.isEmpty, option.commas != .none {
            return "{compset -P \"*,\"\(option.commas == .before ? " &&" : ";") compadd - \(words)}"
        }
        if words.contains("=") {
            // What follows 'sepia=' belongs to the word.
            let plain = option.words.filter { !$0.hasSuffix("=") }, open = option.words.filter { $0.hasSuffix("=") }
            return "{compadd - \(plain.joined(separator: " ")); compadd -S \"\" - \(open.joined(separator: " "))}"
        }
        if option.takesFile, !option.takesPath { return "{compset -P @ && _files}" }
        return !words.isEmpty ? "(\(words))" : option.takesPath ? "_files" : " "
    }

    private func zshQuoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "'\\''").replacing(":", with: "\\:")
            .replacing("[", with: "\\[").replacing("]", with: "\\]")
    }
}
