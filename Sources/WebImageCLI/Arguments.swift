import CWebImageGetoptShim
import Foundation
import WebImage

/// One long option, with or without an argument.
struct Option: Sendable {
    let name: String
    let takesArgument: Bool

    static func flag(_ name: String) -> Option { Option(name: name, takesArgument: false) }
    static func value(_ name: String) -> Option { Option(name: name, takesArgument: true) }

    /// What every command that reads pictures takes.
    static let limits: [Option] = [.value("max-pixels"), .value("max-bytes"), .flag("no-limits")]
}

/// A command line read by `getopt_long`: options and operands in any order, `--` ends the options.
struct Arguments {
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]
    /// Every option in the order given, for those whose order counts.
    private(set) var given: [(name: String, value: String)] = []

    /// Reads `arguments`, whose first element is the command's name.
    init(_ arguments: [String], accepting options: [Option]) throws(UsageError) {
        let options = options + [.flag("help")]
        let names = options.map { strdup($0.name) }
        var words = arguments.map { strdup($0) }
        defer { (names + words).forEach { free($0) } }
        var table = zip(options, names).map { option, name in
            CWebImageGetoptShim.option(
                name: UnsafePointer(name), has_arg: option.takesArgument ? required_argument : no_argument, flag: nil,
                val: 0)
        }
        table.append(CWebImageGetoptShim.option(name: nil, has_arg: 0, flag: nil, val: 0))
        wi_getopt_reset()
        while true {
            var index: Int32 = -1
            let found = getopt_long(Int32(words.count), &words, ":h", table, &index)
            if found == -1 { break }
            let last = words[Int(max(wi_getopt_index() - 1, 0))].map { String(cString: $0) } ?? ""
            switch found {
            case 0:
                let (name, value) = (options[Int(index)].name, wi_getopt_argument().map { String(cString: $0) } ?? "")
                values[name] = value
                given.append((name, value))
            case Int32(UInt8(ascii: "h")): values["help"] = ""
            case Int32(UInt8(ascii: ":")): throw UsageError("\(last) wants a value")
            default: throw UsageError("unknown option \(last)")
            }
        }
        operands = words[Int(wi_getopt_index())...].compactMap { $0.map { String(cString: $0) } }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func string(_ name: String) -> String? { values[name] }

    /// A whole number of at least `minimum`.
    func integer(_ name: String, atLeast minimum: Int) throws(UsageError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= minimum else {
            throw UsageError("--\(name) wants a whole number of at least \(minimum), not '\(text)'")
        }
        return number
    }

    /// `WxH` in pixels.
    func size(_ name: String) throws(UsageError) -> PixelSize? {
        guard let text = values[name] else { return nil }
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (1...1_000_000).contains(width),
            (1...1_000_000).contains(height)
        else { throw UsageError("--\(name) wants WIDTHxHEIGHT in pixels, not '\(text)'") }
        return PixelSize(width: width, height: height)
    }

    /// `srgb` or `as-is`.
    func color() throws(UsageError) -> DecodingOptions.ColorConversion? {
        guard let text = values["color"] else { return nil }
        guard let conversion = DecodingOptions.ColorConversion(rawValue: text) else {
            throw UsageError("--color wants srgb or as-is, not '\(text)'")
        }
        return conversion
    }

    /// The limits of `--max-pixels`, `--max-bytes` and `--no-limits`.
    func limits() throws(UsageError) -> DecodingLimits {
        var limits = has("no-limits") ? DecodingLimits.unlimited : .default
        if let pixels = try integer("max-pixels", atLeast: 1) {
            limits.maxPixels = pixels
            limits.maxAnimationPixels = max(limits.maxAnimationPixels, pixels)
        }
        if let bytes = try integer("max-bytes", atLeast: 1) { limits.maxEncodedBytes = bytes }
        return limits
    }
}
