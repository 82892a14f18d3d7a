import Foundation

/// Signs and checks targets in imgproxy's and thumbor's grammars, with the keys of a configuration.
package struct TargetSigner: Sendable {
    private let signers: [URLSigner]
    private let trusted: Set<String>
    private let thumborSigners: [ThumborSigner]
    private let prefix: String
    private let thumborPrefix: String
    private let imgproxy: ImgproxyRouter
    private let thumbor: ThumborRouter?

    /// Creates a signer from the keys of a configuration.
    ///
    /// - Throws: ``ConfigurationError`` if a key cannot be parsed.
    package init(_ configuration: ServiceConfiguration) throws(ConfigurationError) {
        let parsed = try configuration.parsed(only: ["key", "salt"])
        let policy = try ServiceSettings.signing(configuration, parsed)
        signers = policy.signers
        trusted = policy.trusted
        imgproxy = try ServiceSettings.imgproxy(configuration, parsed, PresetTable(configuration.presets))
        thumbor = try ServiceSettings.thumbor(configuration, imgproxy.presets)
        thumborSigners = configuration.thumborKeys.compactMap { ThumborSigner(key: $0) }
        prefix = configuration.pathPrefix
        thumborPrefix = configuration.pathPrefix + configuration.thumborPrefix
    }

    package var hasKeys: Bool { !signers.isEmpty }
    package var hasThumborKeys: Bool { !thumborSigners.isEmpty }

    /// Signs `/OPTIONS/SOURCE` or `/info/OPTIONS/SOURCE` with the first key and returns the complete target; nil if
    /// there is no key.
    package func target(for path: String) -> String? {
        guard let signer = signers.first else { return nil }
        let path = path.hasPrefix("/") ? path : "/" + path
        guard path.hasPrefix("/info/") else { return prefix + signer.target(for: path) }
        return prefix + "/info" + signer.target(for: String(path.dropFirst(5)))
    }

    /// Signs a path in thumbor's grammar, such as `300x200/smart/SOURCE`, with the first key and returns the complete
    /// target; nil if there is no key.
    package func thumborTarget(for path: String) -> String? {
        guard let signer = thumborSigners.first else { return nil }
        return thumborPrefix + signer.target(for: path.hasPrefix("/") ? String(path.dropFirst()) : path)
    }

    /// Whether the service accepts the signature of a target in imgproxy's grammar. The signature must be valid for at
    /// least one key or be a trusted signature.
    package func isValid(_ target: String) -> Bool {
        guard var rest = inside(target, prefix) else { return false }
        if let inner = inside(rest, "/info") { rest = inner }
        guard let (signature, path) = split(rest) else { return false }
        return trusted.contains(signature) || signers.contains { $0.isValid(signature, of: "/" + path) }
    }

    /// Whether the signature of a target in thumbor's grammar is valid for at least one key.
    package func isValidThumbor(_ target: String) -> Bool {
        guard let rest = inside(target, thumborPrefix), let (signature, path) = split(rest) else { return false }
        return thumborSigners.contains { $0.isValid(signature, of: path) }
    }

    /// Why the service refuses a signed target because of its text; nil if it does not.
    ///
    /// - Parameter isComplete: Whether the signer's configuration is that of the service. If it has only the keys, it does
    ///   not know the service's presets and whether limits are allowed, and these are not judged.
    package func problem(of target: String, isThumbor: Bool, isComplete: Bool) -> String? {
        do throws(ServiceRefusal) {
            if isThumbor {
                if let thumbor, let rest = inside(target, thumborPrefix) { _ = try thumbor.parse(rest[...]) }
            } else if let rest = inside(target, prefix) {
                _ = try imgproxy.parse((inside(rest, "/info") ?? rest)[...])
            }
            return nil
        } catch {
            let namesUnknownPreset =
                imgproxy.presets.isEmpty && error.option.map { PresetTable.names.contains($0[...]) } == true
            return isComplete || (error.status == 400 && !namesUnknownPreset) ? error.message : nil
        }
    }

    private func inside(_ target: String, _ prefix: String) -> String? {
        target.hasPrefix(prefix + "/") ? String(target.dropFirst(prefix.count)) : nil
    }

    private func split(_ target: String) -> (signature: String, path: String)? {
        let parts = target.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
}
