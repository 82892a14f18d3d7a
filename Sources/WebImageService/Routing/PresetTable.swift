/// Named lists of options (imgproxy's presets). They are parsed when the service is configured.
struct PresetTable: Sendable, Hashable {
    private var presets: [String: [OptionSegment]] = [:]

    init() {}

    /// Parses presets, each in the form `name=option/option`.
    ///
    /// - Throws: An error for the first preset that cannot be used.
    init(_ definitions: [String]) throws(ConfigurationError) {
        func checked<Value>(
            _ index: Int, _ body: () throws(ServiceRefusal) -> Value
        ) throws(ConfigurationError) -> Value {
            do throws(ServiceRefusal) {
                return try body()
            } catch {
                throw ConfigurationError("preset", error.message, index: index)
            }
        }
        var names: [Substring] = []
        for (index, definition) in definitions.enumerated() {
            let parts = definition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let segments = try checked(index) { () throws(ServiceRefusal) in
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw .target("the preset \(Printable(definition)) has no name")
                }
                guard presets[String(parts[0])] == nil else {
                    throw .target("the preset \(Printable(parts[0])) is defined twice; remove one of the definitions")
                }
                return try Self.segments(parts[1])
            }
            presets[String(parts[0])] = segments
            names.append(parts[0])
        }
        // Apply every preset once, so that the service reports an error in a preset when the service is configured, and
        // not at the first request.
        for (index, name) in names.enumerated() {
            var (options, count) = (ProcessingOptions(), 0)
            try checked(index) { () throws(ServiceRefusal) in try apply([name], to: &options, count: &count) }
        }
    }

    var isEmpty: Bool { presets.isEmpty }

    func has(_ name: String) -> Bool { presets[name] != nil }

    /// The name of the preset that is applied to every target before all other options.
    static let defaultName = "default"

    var hasDefault: Bool { presets[Self.defaultName] != nil }

    /// The limits in a preset; none if there is no such preset.
    func limits(of name: Substring) -> ProcessingOptions.Limits {
        var (options, count) = (ProcessingOptions(), 0)
        // Every preset was applied without an error when this table was made.
        if has(String(name)) { try? apply([name], to: &options, count: &count) }
        return options.limits
    }

    /// Applies the options of the named presets in order. A preset may refer to other presets. A reference is skipped
    /// if it leads to a preset that is already being applied.
    ///
    /// - Parameters:
    ///   - option: The name of the option that lists the presets, as written in the target. Error messages contain this
    ///     name.
    ///   - count: The number of options that presets have applied for the target.
    func apply(
        _ names: [Substring], to options: inout ProcessingOptions, option: Substring = "preset", count: inout Int
    ) throws(ServiceRefusal) {
        var used: Set<String> = []
        try apply(names, to: &options, option, used: &used, count: &count)
    }

    /// The most options that presets may apply for one target. A preset that names another one twice doubles its
    /// options, so that forty such presets would never end.
    private static let mostOptions = 2_000

    private func apply(
        _ names: [Substring], to options: inout ProcessingOptions, _ option: Substring, used: inout Set<String>,
        count: inout Int
    ) throws(ServiceRefusal) {
        for name in names {
            count += 1
            guard let segments = presets[String(name)] else {
                throw .option(option, "no preset has the name \(Printable(name))")
            }
            guard used.insert(String(name)).inserted else { continue }
            for segment in segments {
                count += 1
                guard count <= Self.mostOptions else {
                    throw .option(option, "the presets have more than \(Self.mostOptions) options together")
                }
                if Self.names.contains(segment.name) {
                    try apply(segment.arguments, to: &options, option, used: &used, count: &count)
                } else {
                    try OptionTable.apply(segment.name, segment.arguments, to: &options)
                }
            }
            used.remove(String(name))
        }
    }

    /// The two names of the option that lists presets.
    static let names: Set<Substring> = ["preset", "pr"]

    private static func segments(_ text: Substring) throws(ServiceRefusal) -> [OptionSegment] {
        var segments: [OptionSegment] = []
        for part in text.split(separator: "/") {
            guard let segment = OptionSegment(part) else { throw .option(part, "a preset may contain only options") }
            segments.append(segment)
        }
        return segments
    }
}
