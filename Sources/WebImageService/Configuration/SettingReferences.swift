import WebImageS3

/// Finds names in settings that refer to nothing: presets, buckets, folders and sources that other settings define.
///
/// Without this check, such a name would have no effect, and its author would learn nothing.
struct SettingReferences {
    private let configuration: ServiceConfiguration
    private let parsed: ParsedSettings
    let presets: PresetTable
    let buckets: [S3Configuration]

    init(_ configuration: ServiceConfiguration, _ parsed: ParsedSettings) throws(ConfigurationError) {
        self.configuration = configuration
        self.parsed = parsed
        presets = try PresetTable(configuration.presets)
        buckets = try ServiceSettings.buckets(configuration)
    }

    func check() throws(ConfigurationError) {
        for (index, text) in configuration.allowedSources.enumerated() {
            if let problem = placeProblem(text) { throw ConfigurationError("allowed-source", problem, index: index) }
        }
        for (index, subject) in StorageRules(parsed.storeRules).subjects.enumerated() {
            if let problem = problem(of: subject) { throw ConfigurationError("store-rule", problem, index: index) }
        }
        if !configuration.baseURL.isEmpty, let problem = sourceProblem(configuration.baseURL) {
            throw ConfigurationError("base-url", problem)
        }
        for (index, text) in configuration.urlReplacements.enumerated() {
            if let problem = problem(ofReplacement: index, text) {
                throw ConfigurationError("url-replacement", problem, index: index)
            }
        }
    }

    private func problem(of subject: StorageRules.Subject) -> String? {
        switch subject {
        case .all, .anyPreset: nil
        case .preset(let name):
            presets.has(name) ? nil : "no preset has the name \(Printable(name)); define it by preset, or correct it"
        case .source(let pattern): sourceProblem(pattern.text)
        }
    }

    private func problem(ofReplacement index: Int, _ text: String) -> String? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        // The text up to the first part that depends on the source.
        let beginning = parts[1].prefix { $0 != "$" }
        // A result without the prefix of sources receives it, and a later replacement can replace it.
        guard beginning.contains("://"), configuration.baseURL.isEmpty || beginning.hasPrefix(configuration.baseURL),
            index == configuration.urlReplacements.count - 1
        else { return nil }
        return sourceProblem(String(beginning))
    }

    /// Returns the reason why no source begins with a text; nil if one can.
    private func sourceProblem(_ text: String) -> String? {
        if let problem = placeProblem(text) { return problem }
        let beginning = String(SourcePattern(text: text).text.prefix { $0 != "*" })
        let allowed = parsed.allowedSources
        guard allowed.isEmpty || allowed.contains(where: { $0.mayMatch(beginning: beginning) }) else {
            return "allowed-source allows no source that begins with \(Printable(beginning)); add it there"
        }
        return nil
    }

    /// Returns the reason why the folder or the bucket in which such sources are does not exist.
    private func placeProblem(_ text: String) -> String? {
        if text.hasPrefix("local:") {
            return configuration.root.isEmpty ? "local sources need root; set it to their folder" : nil
        }
        guard text.prefix(5).lowercased() == "s3://" else { return nil }
        let rest = text.dropFirst(5)
        let name = rest.prefix { $0 != "/" && $0 != "$" }
        guard !buckets.isEmpty else { return "sources in buckets need s3-source; name the bucket there" }
        // A text that ends within the name of the bucket can be the beginning of several names.
        let isWhole = name.endIndex < rest.endIndex && !name.contains("*")
        return !isWhole || buckets.contains(where: { $0.bucket == name })
            ? nil : "the bucket \(name) is not in s3-source; add it there"
    }
}
