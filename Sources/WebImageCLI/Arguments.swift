import Foundation
import WebImage
import WebImageCommandLine

/// A command line, parsed by the conventions of `getopt_long`. Options and operands can be in any order. A long option
/// can be abbreviated, and its value follows it as `--name=value` or as the next word. Letters without a value can share
/// one word, and a letter's value can follow it without a space. `--` ends the options.
struct Arguments {
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]
    /// All given options in the order of the command line. For some options, such as transform options, the order has a
    /// meaning.
    private(set) var given: [(name: String, value: String)] = []

    /// Parses a command line. The first element of `arguments` is the command's name.
    init(_ arguments: [String], accepting options: [CommandOption]) throws(UsageError) {
        let options = options + [.flag("help", letter: "h", "print the help")]
        let command = arguments.first ?? ""
        var words = arguments.dropFirst()
        while let word = words.popFirst() {
            // Compares code units: in a file name such as "-\u{301}", the first character is not a dash.
            let units = word.utf8
            if word == "--" {
                operands += words
                return
            } else if units.starts(with: "--".utf8) {
                try takeLong(word, &words, options, command: command)
            } else if units.first == UInt8(ascii: "-"), units.count > 1 {
                try takeLetters(of: word, &words, options, command: command)
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func take(_ option: CommandOption, value: String) {
        values[option.name] = value
        given.append((option.name, value))
    }

    /// Takes a word that begins with two dashes, and the next word if it is the option's value.
    private mutating func takeLong(
        _ word: String, _ words: inout ArraySlice<String>, _ options: [CommandOption], command: String
    ) throws(UsageError) {
        let parts = String(word.unicodeScalars.dropFirst(2)).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        let attached = parts.count > 1 ? String(parts[1]) : nil
        let similar = options.filter { $0.name.hasPrefix(name) }
        let exact = similar.first { $0.name == name } ?? (similar.count == 1 ? similar[0] : nil)
        guard let option = exact else {
            throw Self.unknownOption(word, name: name, similar: similar.map(\.name), options, command: command)
        }
        guard option.takesArgument else {
            guard attached == nil else { throw UsageError("--\(option.name) takes no value") }
            return take(option, value: "")
        }
        guard let value = attached ?? words.popFirst() else { throw UsageError("\(word) requires a value") }
        take(option, value: value)
    }

    /// Takes a word that begins with one dash, and the next word if it is the value of the last letter.
    private mutating func takeLetters(
        of word: String, _ words: inout ArraySlice<String>, _ options: [CommandOption], command: String
    ) throws(UsageError) {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter == Character(letter) }) else {
                throw Self.unknownLetter(letter, in: word, command: command)
            }
            guard option.takesArgument else {
                take(option, value: "")
                continue
            }
            guard let value = letters.isEmpty ? words.popFirst() : String(letters) else {
                throw UsageError("\(word) requires a value")
            }
            take(option, value: value)
            return
        }
    }

    private static let dashHint = "(use -- before a file name that begins with -)"
    private static let formatOfLoad = UsageError(
        "load has no option for the format; the extension in --out is it: --out 'small/%s.webp'")

    private static func unknownLetter(_ letter: Unicode.Scalar, in word: String, command: String) -> UsageError {
        if command == "load", letter == "f" { return formatOfLoad }
        let option = letter.isASCII ? "-\(letter)" : RawText.shown(word)
        return UsageError("unknown option \(option)\(word == option ? "" : " in \(RawText.shown(word))") \(dashHint)")
    }

    /// Returns the error for a long option that is none of `options`, or that abbreviates several of them.
    private static func unknownOption(
        _ word: String, name: String, similar: [String], _ options: [CommandOption], command: String
    ) -> UsageError {
        guard similar.isEmpty || name.isEmpty else {
            let names = similar.map { "--" + $0 }.joined(separator: ", ")
            return UsageError("--\(name) can be any of \(names); write the whole name")
        }
        if command == "load", name == "format" { return formatOfLoad }
        let nearest = options.map { ($0.name, changes(from: name[...], to: $0.name)) }.min { $0.1 < $1.1 }
        if let (option, count) = nearest, count <= min(2, name.count / 3) {
            return UsageError("unknown option \(RawText.shown(word)); did you mean --\(option)?")
        }
        return UsageError("unknown option \(RawText.shown(word)) \(dashHint)")
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

    /// Returns the value of `--time` in seconds. Nil if the option is missing.
    func time() throws(UsageError) -> Double? {
        guard let text = string("time") else { return nil }
        guard text.allSatisfy({ "0123456789.".contains($0) }), let seconds = Double(text), seconds <= 1e9 else {
            throw UsageError("--time requires seconds, such as 12.5, not '\(text)'")
        }
        guard !has("frame") else { throw UsageError("--time excludes --frame; give one of them") }
        return seconds
    }

    /// Returns the value of `--quality`, 0...100. Nil if the option is missing.
    func quality() throws(UsageError) -> Int? {
        let quality = try integer("quality", atLeast: 0)
        guard (quality ?? 0) <= 100 else { throw UsageError("--quality requires 0 to 100") }
        return quality
    }

    /// Returns the value of `--quality-target`, a score. Nil if the option is missing.
    func qualityAim() throws(UsageError) -> QualityAim? {
        guard let text = string("quality-target") else { return nil }
        let number = text.dropFirst("ssim2=".count)
        guard text.hasPrefix("ssim2="), number.allSatisfy({ "0123456789.".contains($0) }), let score = Double(number),
            (1...99).contains(score)
        else {
            throw UsageError(
                "--quality-target requires ssim2=SCORE with a score from 1 to 99, such as ssim2=80, not '\(text)'")
        }
        guard !has("quality") else { throw UsageError("--quality-target excludes --quality; give one of them") }
        return QualityAim(score: score)
    }

    /// Returns the value of `--effort`, 1...9. Nil if the option is missing.
    func effort() throws(UsageError) -> Int? {
        let effort = try integer("effort", atLeast: 1)
        guard (effort ?? 1) <= 9 else { throw UsageError("--effort requires 1 to 9") }
        return effort
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

    /// Returns the value of `--hdr`: `keep`, `apply` or `drop`. Nil if the option is missing.
    func range() throws(UsageError) -> Rendition.RangeUse? {
        guard let text = values["hdr"] else { return nil }
        guard let range = Rendition.RangeUse(rawValue: text) else {
            throw UsageError("--hdr requires keep, apply or drop, not '\(text)'")
        }
        return range
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
