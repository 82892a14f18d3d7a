/// A parsed target for a picture: its source and its processing.
struct ImageTarget: Sendable, Hashable {
    /// The decoded source as the target names it, before replacements and policy are applied.
    var source: String
    var options: ProcessingOptions
}

/// An unparsed processing option with its arguments.
struct OptionSegment: Sendable, Hashable {
    let name: Substring
    let arguments: [Substring]

    /// Splits `name:argument:argument`. Nil for text without a colon, which is not an option.
    init?(_ segment: Substring) {
        let parts = segment.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        name = parts[0]
        arguments = Array(parts.dropFirst())
    }
}
