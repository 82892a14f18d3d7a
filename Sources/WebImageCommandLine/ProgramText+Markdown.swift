extension ProgramText {
    /// All options and words of the program and its commands, as a page in Markdown.
    var markdown: String {
        let note = "`\(name) --describe markdown` prints this page from the rows that the command reads."
        return (["# \(name), option by option", note] + ([general] + commands).flatMap(section(of:)))
            .joined(separator: "\n\n") + "\n"
    }

    private func section(of text: CommandText) -> [String] {
        let title = "## " + (text.name.isEmpty ? name : "\(name) \(text.name)")
        let tables = text.parts.compactMap { part -> String? in
            switch part {
            case .options(let options): Self.table("Option", options.map { ($0.head, $0.summary) })
            case .words(let words): Self.table("Word", words.map { ($0.head, $0.help) })
            case .text, .examples: nil
            }
        }
        return [title, text.usage.map { "`\($0)`" }.joined(separator: "  \n")] + tables
    }

    private static func table(_ title: String, _ rows: [(head: String, help: String)]) -> String {
        func cell(_ text: String) -> String { text.replacing("\n", with: " ").replacing("|", with: "\\|") }
        let lines = rows.map { "| `\(cell($0.head))` | \(cell($0.help).replacing("<", with: "\\<")) |" }
        return (["| \(title) | What it does |", "|---|---|"] + lines).joined(separator: "\n")
    }
}
