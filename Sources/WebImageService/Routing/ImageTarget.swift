/// A target that asks for a picture, read: which source, and what to do with it.
struct ImageTarget: Sendable, Hashable {
    /// The source as the target names it, decoded; its replacements and its policy are still to be applied.
    var source: String
    var options: ProcessingOptions
}

/// A processing option with its arguments, before it is read.
struct OptionSegment: Sendable, Hashable {
    let name: Substring
    let arguments: [Substring]

    /// Splits `name:argument:argument`; nil without a colon, which is no option.
    init?(_ segment: Substring) {
        let parts = segment.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        name = parts[0]
        arguments = Array(parts.dropFirst())
    }
}
