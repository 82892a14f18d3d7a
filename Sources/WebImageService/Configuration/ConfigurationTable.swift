/// All settings. Each row defines one setting: its command-line flag, its key in the configuration file and its
/// environment variable.
enum ConfigurationTable {
    typealias Reader = @Sendable (inout ServiceConfiguration, String) throws(ConfigurationError) -> Void

    struct Row: Sendable {
        /// The name in the configuration file. The flag is `--name`. The variable is `WEBIMAGE_NAME`, with underscores
        /// instead of hyphens.
        let name: String
        /// The kind of value: `SECONDS`, `BYTES`, `yes|no` …
        let value: String
        let help: String
        /// Whether the value is secret. Secrets are never printed. They are refused as flags, because every process
        /// of the machine can read flags.
        var isSecret = false
        /// Removes all values of a list setting; nil for other settings.
        var clear: (@Sendable (inout ServiceConfiguration) -> Void)?
        let read: Reader
        let print: @Sendable (ServiceConfiguration) -> String

        var variable: String { "WEBIMAGE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }
    }

    static let rows: [Row] = addresses + urls + sources + caches + limits + output

    static let byName: [String: Row] = Dictionary(rows.map { ($0.name, $0) }) { first, _ in first }

    // MARK: Kinds of values

    typealias Path<Value> = any WritableKeyPath<ServiceConfiguration, Value> & Sendable

    static func flag(_ name: String, _ path: Path<Bool>, _ help: String) -> Row {
        Row(name: name, value: "yes|no", help: help) { configuration, text throws(ConfigurationError) in
            switch text.lowercased() {
            case "yes", "true", "on", "1", "": configuration[keyPath: path] = true
            case "no", "false", "off", "0": configuration[keyPath: path] = false
            default: throw ConfigurationError(name, "'\(text)' is neither yes nor no")
            }
        } print: {
            $0[keyPath: path] ? "yes" : "no"
        }
    }

    static func number(
        _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, _ unit: String, _ help: String
    ) -> Row {
        Row(name: name, value: unit, help: help) { configuration, text throws(ConfigurationError) in
            guard let value = integer(text), range.contains(value) else {
                throw ConfigurationError(
                    name, "'\(text)' is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            configuration[keyPath: path] = value
        } print: {
            String($0[keyPath: path])
        }
    }

    static func text(_ name: String, _ path: Path<String>, _ value: String, _ help: String) -> Row {
        Row(name: name, value: value, help: help) { configuration, text throws(ConfigurationError) in
            configuration[keyPath: path] = text
        } print: {
            $0[keyPath: path]
        }
    }

    static func choice(_ name: String, _ path: Path<String>, _ values: [String], _ help: String) -> Row {
        Row(name: name, value: values.joined(separator: "|"), help: help) {
            configuration, text throws(ConfigurationError) in
            guard values.contains(text) else {
                throw ConfigurationError(name, "'\(text)' is none of \(values.joined(separator: ", "))")
            }
            configuration[keyPath: path] = text
        } print: {
            $0[keyPath: path]
        }
    }

    /// Creates the row of a setting whose value is a list. `separator` separates the values in a text. If the setting
    /// occurs several times in the file or in the flags, the values of all occurrences are in the list.
    static func list(
        _ name: String, _ path: Path<[String]>, _ value: String, _ help: String, isSecret: Bool = false,
        separator: Character = ","
    ) -> Row {
        Row(name: name, value: value, help: help, isSecret: isSecret, clear: { $0[keyPath: path] = [] }) {
            configuration, text throws(ConfigurationError) in
            let values = text.split(separator: separator).map { $0.trimmed }
            configuration[keyPath: path] += values.filter { !$0.isEmpty }
        } print: {
            isSecret
                ? ($0[keyPath: path].isEmpty ? "" : "(\($0[keyPath: path].count) set)")
                : $0[keyPath: path].joined(separator: String(separator))
        }
    }

    /// Parses digits with an optional suffix K, M or G (powers of 1024).
    private static func integer(_ text: String) -> Int? {
        let factors: [Character: Int] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        guard let last = text.lowercased().last else { return nil }
        let factor = factors[last] ?? 1
        let digits = factor == 1 ? text[...] : text.dropLast()
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(digits)
        else { return nil }
        let (product, isTooLarge) = value.multipliedReportingOverflow(by: factor)
        return isTooLarge ? nil : product
    }
}

/// The error for a setting that cannot be read or used.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the setting, as written in the file, the variable or the flag.
    public let name: String
    /// The problem. The text contains no secret.
    public let problem: String

    package init(_ name: String, _ problem: String) {
        self.name = name
        self.problem = problem
    }

    /// The name and the problem in one line.
    public var description: String { "\(name): \(problem)" }
}

extension StringProtocol {
    /// The text without the spaces, tabs and carriage returns at its beginning and its end.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" || first == "\r" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return String(text)
    }
}
