import Testing
import WebImageCommandLine

@testable import WebImageCLI

/// One row of an option is all that help, manual page and completions need.
@Suite struct CommandTextTests {
    private static func program(_ options: CommandOption...) -> ProgramText {
        let text = CommandText(
            name: "scan", head: "scan FILE", summary: "scan a sheet", usage: ["tool scan (grey|color) FILE"],
            parts: [.text("Scans a sheet.\nSlowly."), .options(options), .examples(["tool scan grey a.png"])])
        let general = CommandText(
            summary: "scans", lead: "tool scans.", usage: ["tool COMMAND"],
            parts: [.words([(text.head, text.summary)]), .options([.flag("help", "print this")])])
        return ProgramText(name: "tool", version: "1.2.3", general: general, commands: [text])
    }

    @Test func oneRowIsEverywhere() throws {
        let program = Self.program(
            .value("paper", letter: "p", "NAME", "the size of the sheet, one of {a4, letter (US)\nor a5}"),
            .flag("very-long-name-of-a-flag", "do not\nstop"))
        let help = program.commands[0].help
        #expect(help.contains("  -p, --paper NAME       the size of the sheet, one of a4, letter (US)\n"))
        #expect(help.contains("\n" + String(repeating: " ", count: 25) + "or a5\n"))
        // A long head is on a line of its own.
        #expect(help.contains("\n  --very-long-name-of-a-flag\n" + String(repeating: " ", count: 25) + "do not\n"))
        let pages = program.manualPages
        #expect(pages.map(\.file) == ["tool.1", "tool-scan.1"])
        let row = ".B \\-p, \\-\\-paper NAME\nthe size of the sheet, one of a4, letter (US) or a5\n"
        #expect(pages[1].text.contains(row))
        #expect(pages[1].text.contains(".SH DESCRIPTION\nScans a sheet. Slowly.\n.SH OPTIONS\n"))
        #expect(pages[0].text.contains("tool \\- scans\n") && pages[0].text.contains(".BR tool\\-scan (1)"))
        #expect(try program.described(["bash"]).contains("--paper|-p) _tool_words a4 letter a5; return ;;"))
        #expect(try program.described(["zsh"]).contains("(US) or a5]:value:(a4 letter a5)'"))
        #expect(try program.described(["fish"]).contains("-l paper -s p -x -a 'a4 letter a5' -d 'the size"))
        let page = try program.described(["markdown"])
        let line = "- `-p, --paper NAME`: the size of the sheet, one of a4, letter (US) or a5\n"
        #expect(page.contains("## tool scan\n\n`tool scan (grey|color) FILE`\n\n" + line))
        #expect(!page.contains("several commands"))
        for shell in ["bash", "zsh", "fish"] {
            let script = try program.described([shell])
            #expect(script.contains("very-long-name-of-a-flag") && script.contains("grey"), "\(shell)")
        }
    }

    /// An option of several commands is described once in the page, behind them.
    @Test func sharedOptionsAreDescribedOnce() throws {
        let quiet = CommandOption.flag("quiet", "print only errors")
        func command(_ name: String, _ own: CommandOption) -> CommandText {
            CommandText(
                name: name, head: name, summary: name, usage: ["tool \(name)"], parts: [.options([own, quiet])])
        }
        let general = CommandText(summary: "scans", lead: "tool scans.", usage: ["tool COMMAND"], parts: [])
        let program = ProgramText(
            name: "tool", version: "1", general: general,
            commands: [
                command("scan", .flag("grey", "without colours")), command("copy", .flag("grey", "in shades of grey")),
            ])
        let page = try program.described(["markdown"])
        // The same name with another meaning is another option.
        for text in ["without colours", "in shades of grey"] {
            let section = "- `--grey`: \(text)\n\n[Also](#options-of-several-commands): `--quiet`\n"
            #expect(page.contains(section))
        }
        #expect(page.hasSuffix("## Options of several commands\n\n- `--quiet`: print only errors\n"))
        #expect(page.ranges(of: "print only errors").count == 1)
    }

    @Test(arguments: [
        (CommandOption.value("a", "keep|drop", ""), ["keep", "drop"], CommandOption.Commas.none),
        (.value("a", "DIR|none", ""), ["none"], .none),
        (.value("a", "DEGREES[,cut]", ""), ["cut"], .before),
        (.value("a", "WxH[,MODE]", "MODE is {fill (all) or fit} here"), ["fill", "fit"], .before),
        (.value("a", "NAME,…", "one of {a, b or c}"), ["a", "b", "c"], .between),
        (.value("a", "NAME", "{a or b=N}", isList: true), ["a", "b="], .between),
        (.value("a", "A:B|PATH", "x"), [], .none),
        (.value("a", "TEXT", "y", words: ["one", "two"]), ["one", "two"], .none),
    ]) func wordsOfAValue(option: CommandOption, words: [String], commas: CommandOption.Commas) {
        #expect(option.words == words && option.commas == commas)
        #expect(!option.help.contains("{") && !option.help.contains("}"))
    }

    @Test(arguments: [[], ["tcsh"], ["man"], ["bash", "x"], ["man", "/proc/none/x"]])
    func otherDescriptionsAreErrors(words: [String]) {
        #expect(throws: ProgramText.DescriptionError.self) { try Self.program().described(words) }
    }

    @Test func everyCommandOfTheHelpIsDescribed() throws {
        let outcome = try Tool.run("--describe", "bash")
        #expect(outcome.code == 0)
        for name in WebImageCommand.commands.keys { #expect(outcome.output.contains("  \(name))"), "\(name)") }
        #expect(try Tool.run("--describe", "powershell").code == 1)
    }
}
