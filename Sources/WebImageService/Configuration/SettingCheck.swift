import Foundation
import WebImageHTTP

/// Checks of single values. They run when a value is read, so that an error names the line of the value.
enum SettingCheck {
    @Sendable static func addresses(_ text: String) -> String? {
        AddressRange(text) == nil ? "'\(text)' is not an address or ADDRESS/BITS" : nil
    }

    @Sendable static func mode(_ text: String) -> String? {
        let isMode = UInt32(text, radix: 8).map { $0 <= 0o777 } ?? false
        return isMode ? nil : "'\(text)' is not an octal number up to 777"
    }

    @Sendable static func prefix(_ text: String) -> String? {
        if text.isEmpty { return nil }
        let isPath =
            text.hasPrefix("/") && !text.hasSuffix("/") && !text.contains { "?#%".contains($0) || $0.isWhitespace }
        return isPath ? nil : "'\(text)' is not a prefix; a prefix is /NAME without a slash at its end"
    }

    @Sendable static func hexadecimal(_ text: String) -> String? {
        URLSigner(hexKey: text, hexSalt: "00") == nil ? "the value is not hexadecimal" : nil
    }

    @Sendable static func replacement(_ text: String) -> String? {
        SourceReplacement(text) == nil ? "'\(text)' is not PATTERN=TEXT" : nil
    }

    @Sendable static func formatQuality(_ text: String) -> String? {
        let parts = text.split(separator: ":")
        let isPair =
            parts.count == 2 && OutputFormat(name: parts[0]) != nil
            && (Int(digits: parts[1]).map { (1...100).contains($0) } ?? false)
        return isPair ? nil : "'\(text)' is not FORMAT:N"
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
        if let root = settings.sources.root, LocalFolder(path: root) == nil {
            throw ConfigurationError("root", "the folder cannot be opened")
        }
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
