/// Named lists of options (imgproxy's presets). They are parsed when the service is configured.
struct PresetTable: Sendable, Hashable {
    private var presets: [String: [OptionSegment]] = [:]

    init() {}

    /// Parses presets, each in the form `name=option/option`.
    ///
    /// - Throws: A refusal whose message describes the problem. The caller converts it to a configuration error.
    init(_ definitions: [String]) throws(ServiceRefusal) {
        for definition in definitions {
            let parts = definition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .target("the preset \(Printable(definition)) has no name")
            }
            guard presets[String(parts[0])] == nil else {
                throw .target("the preset \(Printable(parts[0])) is defined twice; remove one of the definitions")
            }
            presets[String(parts[0])] = try Self.segments(parts[1])
        }
        // Apply every preset once, so that the service reports an error in a preset when the service is configured, and
        // not at the first request.
        for name in presets.keys {
            var options = ProcessingOptions()
            try apply([Substring(name)], to: &options)
        }
    }

    /// The name of the preset that is applied to every target before all other options.
    static let defaultName = "default"

    var hasDefault: Bool { presets[Self.defaultName] != nil }

    /// The limits in the preset that is applied to every target.
    var defaultLimits: ProcessingOptions.Limits {
        var options = ProcessingOptions()
        // Every preset was applied without an error when this table was made.
        if hasDefault { try? apply([Substring(Self.defaultName)], to: &options) }
        return options.limits
    }

    /// Applies the options of the named presets in order. A preset may refer to other presets. A reference is skipped
    /// if it leads to a preset that is already being applied.
    ///
    /// - Parameter option: The name of the option that lists the presets, as written in the target. Error messages
    ///   contain this name.
    func apply(
        _ names: [Substring], to options: inout ProcessingOptions, option: Substring = "preset"
    ) throws(ServiceRefusal) {
        var used: Set<String> = []
        try apply(names, to: &options, option, used: &used)
    }

    private func apply(
        _ names: [Substring], to options: inout ProcessingOptions, _ option: Substring, used: inout Set<String>
    ) throws(ServiceRefusal) {
        for name in names {
            guard let segments = presets[String(name)] else {
                throw .option(option, "no preset has the name \(Printable(name))")
            }
            guard used.insert(String(name)).inserted else { continue }
            for segment in segments {
                if Self.names.contains(segment.name) {
                    try apply(segment.arguments, to: &options, option, used: &used)
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
