import Testing
import WebImageCommandLine

@testable import WebImageCLI

/// The conventions of `getopt_long`, which people expect of every command.
@Suite struct ArgumentsTests {
    private static let options: [CommandOption] = [
        .value("out", letter: "o", "WHERE", ""), .flag("recursive", letter: "r", ""), .value("max-pixels", "N", ""),
        .value("max-bytes", "N", ""), .flag("quiet", ""),
    ]

    private func parse(_ words: String...) throws -> Arguments {
        try Arguments(["load"] + words, accepting: Self.options)
    }

    @Test func valueIsAttachedOrTheNextWord() throws {
        for words in [["--out=a"], ["--out", "a"], ["-oa"], ["-o", "a"], ["-roa"], ["-ro", "a"], ["--ou", "a"]] {
            let parsed = try Arguments(["load"] + words, accepting: Self.options)
            #expect(parsed.string("out") == "a" && parsed.operands.isEmpty, "\(words)")
            #expect(parsed.has("recursive") == words[0].hasPrefix("-r"), "\(words)")
        }
        #expect(try parse("--out=").string("out") == "")
        #expect(try parse("--out=a=b").string("out") == "a=b")
        #expect(try parse("-o", "--quiet").string("out") == "--quiet")
        #expect(try parse("-o-").string("out") == "-")
    }

    @Test func optionsAndOperandsCanBeInAnyOrder() throws {
        let parsed = try parse("a", "--quiet", "-", "b", "-r", "", "--", "--out", "-o", "--")
        #expect(parsed.operands == ["a", "-", "b", "", "--out", "-o", "--"])
        #expect(parsed.given.map(\.name) == ["quiet", "recursive"])
    }

    @Test func lastValueCountsAndAllAreKept() throws {
        let parsed = try parse("-o", "a", "--out=b")
        #expect(parsed.string("out") == "b" && parsed.strings("out") == ["a", "b"])
    }

    @Test(
        arguments: [
            (["--out"], "--out requires a value"), (["-o"], "-o requires a value"), (["-ro"], "-ro requires a value"),
            (["--quiet=yes"], "--quiet takes no value"), (["--qui=yes"], "--quiet takes no value"),
            (["--max", "1"], "--max can be any of --max-pixels, --max-bytes; write the whole name"),
            (["-x"], "unknown option -x (use -- before a file name that begins with -)"),
            (["-rx"], "unknown option -x in -rx (use -- before a file name that begins with -)"),
            (["-r\u{E9}"], "unknown option -r\u{E9} (use -- before a file name that begins with -)"),
            (["-\u{301}"], "unknown option"), (["--\u{301}"], "unknown option"), (["--=x"], "unknown option"),
        ] as [([String], String)])
    func refusedWordIsNamed(_ words: [String], _ text: String) {
        let error = #expect(throws: UsageError.self) {
            try Arguments(["info"] + words, accepting: Self.options)
        }
        #expect(error.map { "\($0)".contains(text) } == true, "\(String(describing: error))")
    }
}
