/// A parsed target: its source, its processing and the kind of answer that it requests.
struct ImageTarget: Sendable, Hashable {
    /// The kind of answer. The raw value is part of result keys.
    enum Kind: String, Sendable, Hashable {
        case picture
        /// A description of the source.
        case info
        /// thumbor's description of the source and the operations.
        case meta
    }

    var kind = Kind.picture
    /// The source that the target names, decoded from base64 or percent-encoding. Replacements and policy are not
    /// applied yet.
    var source: String
    var options: ProcessingOptions
    /// The presets that the target names, and `default` if there is one.
    var presets: [String] = []
}

/// An unparsed processing option with its arguments.
struct OptionSegment: Sendable, Hashable {
    let name: Substring
    let arguments: [Substring]

    /// Splits `name:argument:argument`; nil for text without a colon, which is not an option.
    init?(_ segment: Substring) {
        let parts = segment.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        name = parts[0]
        arguments = Array(parts.dropFirst())
    }
}
