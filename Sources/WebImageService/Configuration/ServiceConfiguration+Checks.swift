import Foundation

/// Checks of several settings that contradict each other.
extension ServiceConfiguration {
    /// Checks each setting, contradictions, and the names in settings that other settings define. Blocks while files of
    /// credentials are read.
    func checkSettings() throws(ConfigurationError) {
        let parsed = try ConfigurationTable.parsed(self)
        try checkContradictions()
        try SettingReferences(self, parsed).check()
    }

    func checkContradictions() throws(ConfigurationError) {
        guard minTTL <= maxTTL else {
            throw ConfigurationError(
                "min-ttl", "\(minTTL) is more than max-ttl (\(maxTTL)); lower min-ttl or raise max-ttl")
        }
        // Without keys, every text is accepted as a signature.
        guard trustedSignatures.isEmpty || !keys.isEmpty else {
            throw ConfigurationError(
                "trusted-signatures",
                "without key and salt, every signature is accepted; set them, or remove this setting")
        }
        let first = thumborPrefix.split(separator: "/").first.map(String.init)
        if let first, trustedSignatures.contains(first) {
            throw ConfigurationError(
                "thumbor", "the prefix begins with one of trusted-signatures; write another prefix, such as /thumbor")
        }
        if onlyPresets, presets.isEmpty {
            throw ConfigurationError("only-presets", "no target could be answered; define a preset")
        }
        if thumborPrefix.isEmpty, let name = allowedOptions.first(where: { !OptionTable.isOption($0[...]) }) {
            throw ConfigurationError(
                "allowed-options", "'\(name)' is a filter of thumbor's grammar; set thumbor, or remove the name")
        }
        // The default is longer than a short head, and then means as long as the head allows.
        if maxTargetBytes >= maxHeadBytes, maxTargetBytes != ServiceConfiguration().maxTargetBytes {
            throw ConfigurationError(
                "max-target-bytes",
                "\(maxTargetBytes) is not less than max-head-bytes (\(maxHeadBytes)), the size of a head with its target;"
                    + " lower max-target-bytes or raise max-head-bytes")
        }
        // A password with a comma is read as two.
        guard tiers.isEmpty || tierPasswords.count <= tiers.count else {
            throw ConfigurationError(
                "tier-password",
                "there are more passwords than tiers; commas separate passwords, so none may contain one")
        }
    }
}

extension ServiceConfiguration {
    /// Applies a configuration that was read again.
    ///
    /// - Returns: The configuration with the live settings of `other`, and the names of the fixed settings that differ.
    ///   Their new values take effect at the next start.
    public func reloaded(_ other: ServiceConfiguration) -> (configuration: ServiceConfiguration, waiting: [String]) {
        var merged = other
        var waiting: [String] = []
        for row in ConfigurationTable.rows where row.effect == .fixed {
            if row.copy(self, &merged) { waiting.append(row.name) }
        }
        return (merged, waiting)
    }

    /// The names of the settings that a reload (SIGHUP) applies at once. All other settings need a restart.
    public static var liveSettings: [String] {
        ConfigurationTable.rows.filter { $0.effect == .live }.map(\.name)
    }
}

extension ServiceConfiguration {
    /// The names of the settings that differ.
    package func differences(from other: ServiceConfiguration) -> [String] {
        var copy = other
        return ConfigurationTable.rows.filter { $0.copy(self, &copy) }.map(\.name)
    }
}

extension ServiceConfiguration {
    /// Checks whether a service can use the settings. Blocks while it reads the files of the watermark and the fallback.
    ///
    /// - Throws: `ConfigurationError` for the first setting that cannot be used.
    public func check() throws(ConfigurationError) {
        let settings = try ServiceSettings(self)
        try checkCacheFolder()
        if let root = settings.sources.root { _ = try LocalFolder(path: root) }
    }

    /// Checks whether files can be made in the folder of the caches, or whether the folder can be made. Leaves no file
    /// and no folder behind. Blocks.
    package func checkCacheFolder() throws(ConfigurationError) {
        guard !cacheFolder.isEmpty else { return }
        var folder = URL(fileURLWithPath: cacheFolder).standardizedFileURL.path
        var status = stat()
        while stat(folder, &status) != 0, errno == ENOENT, folder.count > 1 {
            folder = (folder as NSString).deletingLastPathComponent
        }
        // The permissions do not tell whether a folder can be made: some file systems are read-only. Therefore make one.
        var probe = Array("\(folder)/.webimage-check-XXXXXX".utf8CString)
        guard mkdtemp(&probe) != nil else {
            throw ConfigurationError(
                "cache-dir", "no file can be made in \(folder): \(String(cString: strerror(errno)))")
        }
        rmdir(probe)
    }
}
