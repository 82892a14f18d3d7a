/// All settings. Each row defines one setting: its command-line flag, its key in the configuration file and its
/// environment variable.
enum ConfigurationTable {
    /// When a change of a setting takes effect.
    enum Effect: Sendable, Hashable {
        /// At once when the configuration is read again (SIGHUP).
        case live
        /// At the next start.
        case fixed
    }

    typealias Reader = @Sendable (inout ServiceConfiguration, String) throws(ConfigurationError) -> Void

    struct Row: Sendable {
        /// The name in the configuration file. The flag is `--name`. The variable is `WEBIMAGE_NAME`, with underscores
        /// instead of hyphens.
        let name: String
        /// The kind of value: `SECONDS`, `BYTES`, `yes|no` …
        let value: String
        let help: String
        /// The words that a list can have, for completions.
        var words: [String] = []
        let effect: Effect
        /// Whether the value is secret. Secrets are never printed. They are refused as flags, because every process
        /// of the machine can read flags.
        var isSecret = false
        /// The functions of a setting whose value is a list; nil for other settings.
        var list: ListFunctions?
        /// Copies the value of the first configuration to the second one. Returns whether the values differ.
        let copy: @Sendable (ServiceConfiguration, inout ServiceConfiguration) -> Bool
        let read: Reader
        /// Checks the stored value, and parses it if it is a text. Programs can set a value without reading it from a text.
        let parse: @Sendable (ServiceConfiguration, inout ParsedSettings) throws(ConfigurationError) -> Void
        let print: @Sendable (ServiceConfiguration) -> String

        var variable: String { "WEBIMAGE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }
    }

    struct ListFunctions: Sendable {
        /// The number of values.
        let count: @Sendable (ServiceConfiguration) -> Int
        /// Removes all values.
        let clear: @Sendable (inout ServiceConfiguration) -> Void
    }

    static let rows: [Row] = addresses + urls + sources + caches + limits + output

    static let byName: [String: Row] = Dictionary(rows.map { ($0.name, $0) }) { first, _ in first }

    // MARK: Kinds of values

    typealias Path<Value> = any WritableKeyPath<ServiceConfiguration, Value> & Sendable

    /// What a row does with a value that is a text: it checks it, or parses it and stores the result. The text of a problem
    /// does not contain the value of a secret.
    struct Use: Sendable {
        let store: @Sendable (String, inout ParsedSettings) throws(SettingProblem) -> Void

        /// Accepts every text.
        static let any = Use { _, _ in }

        /// - Parameter problem: Returns the problem of a value; nil if the value can be used.
        static func check(_ problem: @escaping @Sendable (String) -> String?) -> Use {
            Use { text, _ throws(SettingProblem) in
                if let problem = problem(text) { throw SettingProblem(problem) }
            }
        }

        static func parse<Value>(
            _ parse: @escaping @Sendable (String) throws(SettingProblem) -> Value,
            into target: any WritableKeyPath<ParsedSettings, Value> & Sendable
        ) -> Use {
            Use { text, parsed throws(SettingProblem) in parsed[keyPath: target] = try parse(text) }
        }

        /// Parses each value of a list.
        static func append<Value>(
            _ parse: @escaping @Sendable (String) throws(SettingProblem) -> Value,
            to target: any WritableKeyPath<ParsedSettings, [Value]> & Sendable
        ) -> Use {
            Use { text, parsed throws(SettingProblem) in parsed[keyPath: target].append(try parse(text)) }
        }
    }

    /// Checks each setting for itself.
    ///
    /// - Parameter names: The settings to check; nil for all.
    /// - Throws: `ConfigurationError` for the first setting whose value cannot be used.
    static func parsed(
        _ configuration: ServiceConfiguration, only names: Set<String>? = nil
    ) throws(ConfigurationError) -> ParsedSettings {
        var parsed = ParsedSettings()
        for row in rows where names?.contains(row.name) ?? true { try row.parse(configuration, &parsed) }
        return parsed
    }

    private static func store(
        _ text: String, by use: Use, in parsed: inout ParsedSettings, for name: String, index: Int? = nil
    ) throws(ConfigurationError) {
        do throws(SettingProblem) {
            try use.store(text, &parsed)
        } catch {
            throw ConfigurationError(name, error.text, index: index)
        }
    }

    private static func copier<Value: Hashable & SendableMetatype>(
        _ path: Path<Value>
    ) -> @Sendable (ServiceConfiguration, inout ServiceConfiguration) -> Bool {
        { source, target in
            defer { target[keyPath: path] = source[keyPath: path] }
            return target[keyPath: path] != source[keyPath: path]
        }
    }

    static func flag(_ name: String, _ path: Path<Bool>, _ effect: Effect, _ help: String) -> Row {
        Row(name: name, value: "yes|no", help: help, effect: effect, copy: copier(path)) {
            configuration, text throws(ConfigurationError) in
            switch text.lowercased() {
            case "yes", "true", "on", "1": configuration[keyPath: path] = true
            case "no", "false", "off", "0": configuration[keyPath: path] = false
            default: throw ConfigurationError(name, "'\(text)' is neither yes nor no")
            }
        } parse: { _, _ in
        } print: {
            $0[keyPath: path] ? "yes" : "no"
        }
    }

    static func number(
        _ name: String, _ path: Path<Int>, _ effect: Effect, in range: ClosedRange<Int>, _ unit: String, _ help: String
    ) -> Row {
        let isSize = unit == "BYTES"
        @Sendable func problem(_ text: String) -> ConfigurationError {
            let range = isSize ? range.map(sizeText) : range.map(String.init)
            let hint = isSize ? "; K, M and G stand for powers of 1024" : ""
            return ConfigurationError(name, "'\(text)' is not a number from \(range.0) to \(range.1)\(hint)")
        }
        return Row(name: name, value: unit, help: help, effect: effect, copy: copier(path)) {
            configuration, text throws(ConfigurationError) in
            guard let value = integer(text), range.contains(value) else { throw problem(text) }
            configuration[keyPath: path] = value
        } parse: { configuration, _ throws(ConfigurationError) in
            let value = configuration[keyPath: path]
            guard range.contains(value) else { throw problem(String(value)) }
        } print: {
            isSize ? sizeText($0[keyPath: path]) : String($0[keyPath: path])
        }
    }

    /// Writes a size as ``integer(_:)`` reads it, with the largest suffix that loses nothing.
    private static func sizeText(_ bytes: Int) -> String {
        for (suffix, factor) in [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)]
        where bytes >= factor && bytes % factor == 0 {
            return "\(bytes / factor)\(suffix)"
        }
        return String(bytes)
    }

    static func text(
        _ name: String, _ path: Path<String>, _ effect: Effect, _ value: String, _ help: String, by use: Use = .any
    ) -> Row {
        Row(name: name, value: value, help: help, effect: effect, copy: copier(path)) {
            configuration, text throws(ConfigurationError) in
            // An error here has the line of the value.
            var unused = ParsedSettings()
            try store(text, by: use, in: &unused, for: name)
            configuration[keyPath: path] = text
        } parse: { configuration, parsed throws(ConfigurationError) in
            try store(configuration[keyPath: path], by: use, in: &parsed, for: name)
        } print: {
            $0[keyPath: path]
        }
    }

    /// Creates the row of a setting whose value is one of the words of an enumeration.
    static func choice<Choice: CaseIterable & RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ path: Path<String>, _ effect: Effect,
        into target: any WritableKeyPath<ParsedSettings, Choice> & Sendable, _ help: String
    ) -> Row {
        let words = Choice.allCases.map(\.rawValue)
        let use = Use.parse(
            { text throws(SettingProblem) in
                guard let choice = Choice(rawValue: text) else {
                    throw SettingProblem("'\(text)' is none of \(words.joined(separator: ", "))")
                }
                return choice
            }, into: target)
        return text(name, path, effect, words.joined(separator: "|"), help, by: use)
    }

    /// Creates the row of a setting whose value is a list. `separator` separates the values in a text. If the setting
    /// occurs several times in the file or in the flags, the values of all occurrences are in the list.
    static func list(
        _ name: String, _ path: Path<[String]>, _ effect: Effect, _ value: String, _ help: String,
        isSecret: Bool = false, separator: Character = ",", words: [String] = [], by use: Use = .any
    ) -> Row {
        Row(
            name: name, value: value, help: help, words: words, effect: effect, isSecret: isSecret,
            list: ListFunctions(count: { $0[keyPath: path].count }, clear: { $0[keyPath: path] = [] }),
            copy: copier(path)
        ) { configuration, text throws(ConfigurationError) in
            let values = text.split(separator: separator).map { $0.trimmed }.filter { !$0.isEmpty }
            // An error here has the line of the value.
            var unused = ParsedSettings()
            for value in values { try store(value, by: use, in: &unused, for: name) }
            configuration[keyPath: path] += values
        } parse: { configuration, parsed throws(ConfigurationError) in
            for (index, value) in configuration[keyPath: path].enumerated() {
                try store(value, by: use, in: &parsed, for: name, index: index)
            }
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
    /// The file and the line of the setting, such as `/etc/webimage/serve.conf:12`; empty if they are not known.
    public var place = ""
    /// The position of the value in a list, from 0; nil if the setting is no list or if the value is not known.
    package let index: Int?

    package init(_ name: String, _ problem: String, index: Int? = nil) {
        self.name = name
        self.problem = problem
        self.index = index
    }

    /// The place, the name and the problem in one line.
    public var description: String { (place.isEmpty ? "" : place + ": ") + "\(name): \(problem)" }

    /// Returns the error with a place, unless its place is already known.
    package func at(_ place: String?) -> ConfigurationError {
        var error = self
        if error.place.isEmpty, let place { error.place = place }
        return error
    }
}

extension ClosedRange {
    fileprivate func map<Value>(_ transform: (Bound) -> Value) -> (Value, Value) {
        (transform(lowerBound), transform(upperBound))
    }
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
