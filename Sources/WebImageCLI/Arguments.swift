import CWebImageGetoptShim
import Foundation
import WebImage

/// A command-line option. It has a long name, an optional short letter, and optionally an argument.
struct Option: Sendable {
    let name: String
    let takesArgument: Bool
    var letter: Character?

    static func flag(_ name: String, letter: Character? = nil) -> Option {
        Option(name: name, takesArgument: false, letter: letter)
    }

    static func value(_ name: String, letter: Character? = nil) -> Option {
        Option(name: name, takesArgument: true, letter: letter)
    }

    /// The options that set limits for each file. All commands that read pictures accept them.
    static let limits: [Option] = [.value("max-pixels"), .value("max-bytes"), .flag("no-limits")]
    /// Options of commands that decode pictures in this process.
    static let decoding: [Option] = limits + [.flag("sandbox")]

    /// The options that add fields to HTTP requests. Commands that read pictures accept them.
    static let requests: [Option] = [
        .value("header", letter: "H"), .value("cookie"), .value("user"), .value("referer"),
    ]

    /// The options that select input files. Commands that accept any number of pictures accept them.
    static let lists: [Option] = [.flag("recursive", letter: "r"), .value("input", letter: "i")]

    /// The options for output files. Commands that write one file per picture accept them.
    static let outputs: [Option] = [.value("out", letter: "o")] + existing

    /// The options for output files that already exist.
    static let existing: [Option] = [.flag("overwrite"), .flag("skip-existing")]

    /// The option that suppresses reports and progress. Errors are printed nevertheless.
    static let quiet = Option.flag("quiet")
}

/// A command line, parsed by `getopt_long`. Options and operands can be in any order. `--` ends the options.
struct Arguments {
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]
    /// All given options in the order of the command line. For some options, such as transform options, the order has a
    /// meaning.
    private(set) var given: [(name: String, value: String)] = []

    /// The value that `getopt_long` returns for the first long option. Every long option has a value of its own.
    /// Otherwise an abbreviation of several options would select the first of them.
    private static let firstLong: Int32 = 0x1000

    /// Parses a command line. The first element of `arguments` is the command's name.
    init(_ arguments: [String], accepting options: [Option]) throws(UsageError) {
        let options = options + [.flag("help", letter: "h")]
        let names = options.map { strdup($0.name) }
        var words = arguments.map { strdup($0) }
        defer { (names + words).forEach { free($0) } }
        var table = zip(options, names).enumerated().map { index, entry in
            let (option, name) = entry
            return
                CWebImageGetoptShim.option(
                    name: UnsafePointer(name), has_arg: option.takesArgument ? required_argument : no_argument,
                    flag: nil,
                    val: Self.firstLong + Int32(index))
        }
        table.append(CWebImageGetoptShim.option(name: nil, has_arg: 0, flag: nil, val: 0))
        let letters = options.compactMap { option in option.letter.map { "\($0)" + (option.takesArgument ? ":" : "") } }
        wi_getopt_reset()
        while true {
            var index: Int32 = -1
            let found = getopt_long(Int32(words.count), &words, ":" + letters.joined(), table, &index)
            if found == -1 { break }
            let last = words[Int(max(wi_getopt_index() - 1, 0))].map { String(cString: $0) } ?? ""
            let option: Option
            switch found {
            case Self.firstLong...: option = options[Int(found - Self.firstLong)]
            case Int32(UInt8(ascii: ":")): throw UsageError("\(last) requires a value")
            default:
                let letter = UInt8(exactly: found).map { Character(UnicodeScalar($0)) }
                guard let known = options.first(where: { $0.letter != nil && $0.letter == letter }) else {
                    let rest = words.dropFirst(Int(wi_getopt_index()))
                    let next = rest.first?.map { String(cString: $0) } ?? ""
                    throw Self.unknownOption(in: last, or: next, options, command: arguments.first ?? "")
                }
                option = known
            }
            let value = option.takesArgument ? wi_getopt_argument().map { String(cString: $0) } ?? "" : ""
            values[option.name] = value
            given.append((option.name, value))
        }
        operands = words[Int(wi_getopt_index())...].compactMap { $0.map { String(cString: $0) } }
    }

    /// Returns the error for an option that `getopt_long` refuses.
    ///
    /// - Parameters:
    ///   - last: The word before the next word to parse. It is the refused word, unless letters of the refused word are
    ///     not parsed yet.
    ///   - next: The next word to parse.
    private static func unknownOption(
        in last: String, or next: String, _ options: [Option], command: String
    ) -> UsageError {
        let hint = "(use -- before a file name that begins with -)"
        let format = UsageError(
            "load has no option for the format; the extension in --out is it: --out 'small/%s.webp'")
        let letter = wi_getopt_unknown()
        if letter != 0, letter < Self.firstLong {
            let byte = UInt8(truncatingIfNeeded: letter)
            if command == "load", byte == UInt8(ascii: "f") { return format }
            let word = last.hasPrefix("-") && !last.hasPrefix("--") && last.utf8.last == byte ? last : next
            // The byte can be a part of a character that is not ASCII.
            let option = byte < 0x80 ? "-\(UnicodeScalar(byte))" : RawText.shown(word)
            return UsageError("unknown option \(option)\(word == option ? "" : " in \(RawText.shown(word))") \(hint)")
        }
        let name = last.dropFirst(2).prefix { $0 != "=" }
        let similar = options.map(\.name).filter { $0.hasPrefix(name) }
        if similar.contains(String(name)) || similar.count == 1 { return UsageError("--\(similar[0]) takes no value") }
        guard similar.isEmpty || name.isEmpty else {
            let names = similar.map { "--" + $0 }.joined(separator: ", ")
            return UsageError("--\(name) can be any of \(names); write the whole name")
        }
        if command == "load", name == "format" { return format }
        let nearest = options.map { ($0.name, changes(from: name, to: $0.name)) }.min { $0.1 < $1.1 }
        if let (option, count) = nearest, count <= min(2, name.count / 3) {
            return UsageError("unknown option \(RawText.shown(last)); did you mean --\(option)?")
        }
        return UsageError("unknown option \(RawText.shown(last)) \(hint)")
    }

    /// Returns how many letters of a word must be inserted, removed or replaced to make the other word.
    private static func changes(from word: Substring, to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (index, letter) in word.utf8.prefix(50).enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count] + max(0, word.utf8.count - 50)
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Returns the value of an option. Returns the last value if the option is repeated, and nil if it is missing.
    func string(_ name: String) -> String? { values[name] }

    /// Returns all values of an option in the order of the command line.
    func strings(_ name: String) -> [String] { given.filter { $0.name == name }.map(\.value) }

    /// Returns the value of an option as a whole number. Nil if the option is missing.
    ///
    /// - Throws: `UsageError` if the value is not a whole number of at least `minimum`.
    func integer(_ name: String, atLeast minimum: Int) throws(UsageError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= minimum else {
            throw UsageError("--\(name) requires a whole number of at least \(minimum), not '\(text)'")
        }
        return number
    }

    /// Returns the value of `--quality`, 0...100. Nil if the option is missing.
    func quality() throws(UsageError) -> Int? {
        let quality = try integer("quality", atLeast: 0)
        guard (quality ?? 0) <= 100 else { throw UsageError("--quality requires 0 to 100") }
        return quality
    }

    /// Returns the value of `--size`. Nil if the option is missing.
    func size() throws(UsageError) -> SizeLimit? {
        try values["size"].map { text throws(UsageError) in
            guard let size = SizeLimit(text) else {
                throw UsageError(
                    "--size requires WIDTHxHEIGHT, SIDE, WIDTHx or xHEIGHT in pixels, or 1% to 100%, not '\(text)'")
            }
            return size
        }
    }

    /// Returns the value of `--format`. Nil if the option is missing.
    ///
    /// - Throws: `UsageError` if the format cannot be written.
    func format() throws(UsageError) -> ImageFormat? {
        try values["format"].map { text throws(UsageError) in
            let format = ImageFormat(fileExtension: text).container
            guard ImageCodersManager.shared.canEncode(to: format) else {
                throw UsageError("--format does not support '\(text)' for writing; see 'webimage formats'")
            }
            return format
        }
    }

    /// Returns the value of `--color`, which is `srgb` or `as-is`. Nil if the option is missing.
    func color() throws(UsageError) -> DecodingOptions.ColorConversion? {
        guard let text = values["color"] else { return nil }
        guard let conversion = DecodingOptions.ColorConversion(rawValue: text) else {
            throw UsageError("--color requires srgb or as-is, not '\(text)'")
        }
        return conversion
    }

    /// Returns the decoding limits that `--max-pixels`, `--max-bytes` and `--no-limits` set.
    func limits() throws(UsageError) -> DecodingLimits {
        var limits = has("no-limits") ? DecodingLimits.unlimited : .default
        if let pixels = try integer("max-pixels", atLeast: 1) {
            limits.maxPixels = pixels
            limits.maxAnimationPixels = max(limits.maxAnimationPixels, pixels)
        }
        if let text = string("max-bytes") {
            guard let bytes = Self.byteCount(text) else {
                throw UsageError(
                    "--max-bytes requires a whole number of at least 1, which may end in K, M or G, not '\(text)'")
            }
            limits.maxEncodedBytes = bytes
        }
        return limits
    }

    /// Parses a number of bytes of at least 1. K, M and G at its end stand for powers of 1024.
    private static func byteCount(_ text: String) -> Int? {
        let shifts: [Character: Int] = ["k": 10, "m": 20, "g": 30]
        let shift = text.lowercased().last.flatMap { shifts[$0] }
        guard let number = Int(shift == nil ? text[...] : text.dropLast()), number >= 1 else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        return isTooLarge ? nil : product
    }
}
