/// Named lists of options (imgproxy's presets), read when the service is configured.
struct PresetTable: Sendable, Hashable {
    private var presets: [String: [OptionSegment]] = [:]

    init() {}

    /// Parses `name=option/option`, one text per preset.
    ///
    /// - Throws: the problem, for the configuration's error.
    init(_ definitions: [String]) throws(ServiceRefusal) {
        for definition in definitions {
            let parts = definition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .target("the preset \(Printable(definition)) has no name")
            }
            presets[String(parts[0])] = try Self.segments(parts[1])
        }
        // Every preset is read once here, so that a mistake is an error of the configuration and not of a request.
        for name in presets.keys {
            var options = ProcessingOptions()
            try apply([Substring(name)], to: &options)
        }
    }

    /// The preset that is applied first to every target.
    static let defaultName = "default"

    var hasDefault: Bool { presets[Self.defaultName] != nil }

    /// Reads the options of presets in order; skips a preset that refers to itself.
    ///
    /// - Parameter option: The name of the option that lists them, as written in the target; used in the refusal.
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

    /// The option that names presets, and its alias.
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
