extension ProgramText {
    /// All options and words of the program and its commands, as a page in Markdown. Options that several commands have
    /// are described once, behind the commands.
    var markdown: String {
        let note = "`\(name) --describe markdown` prints this page from the rows that the command reads."
        var counts: [Row: Int] = [:]
        for text in commands { for row in Set(text.options.map(Row.init)) { counts[row, default: 0] += 1 } }
        let shared = Set(counts.filter { $0.value > 1 }.keys)
        var seen: Set<Row> = []
        let order = commands.flatMap { $0.options.map(Row.init) }
            .filter { shared.contains($0) && seen.insert($0).inserted }
        let sections = ([general] + commands).flatMap { section(of: $0, shared) }
        let last = order.isEmpty ? [] : ["## Options of several commands", Self.list(order)]
        return (["# \(name), option by option", note] + sections + last).joined(separator: "\n\n") + "\n"
    }

    /// An option or a word, with what it does in one line.
    private struct Row: Hashable {
        let head: String
        let help: String

        init(_ option: CommandOption) { self.init(head: option.head, help: option.summary) }

        init(head: String, help: String) {
            self.head = head
            self.help = help.replacing("\n", with: " ").replacing("<", with: "\\<")
        }
    }

    private func section(of text: CommandText, _ shared: Set<Row>) -> [String] {
        let title = "## " + (text.name.isEmpty ? name : "\(name) \(text.name)")
        let lists = text.parts.compactMap { part -> String? in
            let rows =
                switch part {
                case .options(let options): options.map(Row.init).filter { !shared.contains($0) }
                case .words(let words): words.map { Row(head: $0.head, help: $0.help) }
                case .text, .examples: [Row]()
                }
            return rows.isEmpty ? nil : Self.list(rows)
        }
        let others = text.options.filter { shared.contains(Row($0)) }.map { "`--\($0.name)`" }
        let link = others.isEmpty ? [] : ["[Also](#options-of-several-commands): " + others.joined(separator: ", ")]
        return [title, text.usage.map { "`\($0)`" }.joined(separator: "  \n")] + lists + link
    }

    private static func list(_ rows: [Row]) -> String {
        rows.map { "- `\($0.head)`: \($0.help)" }.joined(separator: "\n")
    }
}
