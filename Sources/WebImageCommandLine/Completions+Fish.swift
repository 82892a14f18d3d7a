extension ProgramText {
    /// The completions of fish.
    var fishCompletions: String {
        let function = "__" + name.replacing("-", with: "_")
        var lines = [
            """
            # Completions of \(name) for fish.
            function \(function)_commas # WHERE WORDS...: words as a list with commas between, or only after a comma
                set -l token (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
                string match -q -- '*,*' $token; or test $argv[1] = between; or return
                printf '%s\\n' (string replace -r -- '[^,]*$' '' $token)$argv[2..]
            end
            function \(function)_lists # the names of files after the sign @
                set -l token (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
                string match -q -- '@*' $token; and printf '@%s\\n' (__fish_complete_path (string sub -s 2 -- $token))
            end
            """
        ]
        let start = "complete -c \(name)"
        func command(_ name: String, _ summary: String) -> String {
            "\(start) -f -n __fish_use_subcommand -a \(name) -d \(fishQuoted(summary))"
        }
        for text in commands {
            let condition = fishQuoted("__fish_seen_subcommand_from \(text.name)")
            lines.append(command(text.name, text.summary))
            lines += text.operands.map { "\(start) -f -n \(condition) -a \($0)" }
            if text.takesLists { lines.append("\(start) -n \(condition) -a '(\(function)_lists)'") }
            lines += text.options.map { fishOption($0, after: "\(start) -n \(condition)", function: function) }
        }
        if !commands.isEmpty {
            lines.append(command("help", Self.helpSummary))
            let names = fishQuoted((commands.map(\.name) + ["help"]).joined(separator: " "))
            lines.append("\(start) -f -n '__fish_seen_subcommand_from help' -a \(names)")
        }
        let top = commands.isEmpty ? start : "\(start) -n '__fish_use_subcommand'"
        lines += general.options.map { fishOption($0, after: top, function: function) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func fishOption(_ option: CommandOption, after start: String, function: String) -> String {
        var parts = [start, "-l \(option.name)"]
        if let letter = option.letter { parts.append("-s \(letter)") }
        let words = option.words.joined(separator: " ")
        if !words.isEmpty, option.commas != .none {
            parts.append("-x -a " + fishQuoted("(\(function)_commas \(option.commas) \(words))"))
        } else if !words.isEmpty {
            parts.append("\(option.takesPath ? "-r" : "-x") -a \(fishQuoted(words))")
        } else if option.takesFile, !option.takesPath {
            parts.append("-x -a '(\(function)_lists)'")
        } else if option.takesArgument {
            parts.append(option.takesPath ? "-r" : "-x")
        }
        return (parts + ["-d \(fishQuoted(option.summary))"]).joined(separator: " ")
    }

    private func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
