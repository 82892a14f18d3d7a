extension ProgramText {
    /// The manual pages of the program and of its commands, in the language of `man`, by the names of their files.
    package var manualPages: [(file: String, text: String)] {
        let titles = commands.map { "\(name)-\($0.name)" }
        let pages = zip(titles, commands).map { title, command in page(title, command, see: [name]) }
        return zip([name] + titles, [page(name, general, see: titles)] + pages).map { ("\($0.0).1", $0.1) }
    }

    private func page(_ title: String, _ text: CommandText, see: [String]) -> String {
        var page = Page()
        page.add(".TH \(roff(title.uppercased())) 1 \"\" \"\(roff(name)) \(roff(version))\" \"User Commands\"")
        page.add(".SH NAME", roff("\(title) - \(text.summary)"), ".SH SYNOPSIS")
        for (index, form) in text.usage.enumerated() {
            let words = form.split(separator: " ", maxSplits: 1)
            if index > 0 { page.add(".br") }
            page.add(".B \(roff(String(words[0])))", roff(words.count > 1 ? String(words[1]) : ""))
        }
        page.add(".SH DESCRIPTION")
        if let lead = text.lead { page.add(lead) }
        for part in text.parts { page.add(part) }
        if !see.isEmpty { page.add(".SH SEE ALSO", see.map { ".BR \(roff($0)) (1)" }.joined(separator: " ,\n")) }
        return page.lines.joined(separator: "\n") + "\n"
    }
}

private struct Page {
    private(set) var lines: [String] = []
    private var hasOptions = false

    mutating func add(_ lines: String...) { self.lines += lines }

    mutating func add(_ part: CommandText.Part) {
        switch part {
        case .text(let text): addParagraphs(of: text)
        case .options(let options):
            if !hasOptions { add(".SH OPTIONS") }
            hasOptions = true
            for option in options { addRow(option.head, option.summary) }
        case .words(let words):
            for word in words { addRow(word.head, word.help.split(whereSeparator: \.isNewline).joined(separator: " ")) }
        case .examples(let examples):
            add(".SH EXAMPLES", ".nf")
            lines += examples.map(roff)
            add(".fi")
        }
    }

    mutating func addRow(_ head: String, _ help: String) {
        add(".TP", ".B " + roff(head), help.isEmpty ? "\\&" : roff(help))
    }

    /// Lines that belong together are one paragraph. "exit codes:" and "environment:" have sections of their own.
    private mutating func addParagraphs(of text: String) {
        let sections = [("exit codes: ", "EXIT STATUS"), ("environment: ", "ENVIRONMENT")]
        var paragraph: [String] = []
        func end(_ page: inout Page) {
            guard !paragraph.isEmpty else { return }
            if page.lines.last != ".SH DESCRIPTION" { page.add(".PP") }
            page.add(roff(paragraph.joined(separator: " ")))
            paragraph = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if let section = sections.first(where: { line.lowercased().hasPrefix($0.0) }) {
                end(&self)
                add(".SH \(section.1)", roff(String(line.dropFirst(section.0.count))))
            } else if line.isEmpty {
                end(&self)
            } else {
                paragraph.append(line)
            }
        }
        end(&self)
    }
}

/// The text in the language of manual pages: characters with a meaning there stand for themselves.
private func roff(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
        .replacing("`", with: "\\(ga")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
}
