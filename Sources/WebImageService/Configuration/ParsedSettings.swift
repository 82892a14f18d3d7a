import WebImageCore
package import WebImageHTTP

/// The values of the settings that are written as texts. The row of each setting parses them, once for each configuration.
package struct ParsedSettings: Sendable {
    package var socketMode: UInt32 = 0
    package var trustedProxies: [AddressRange] = []
    package var accessLog = AccessLogFormat.text
    package var isolation = DecoderPlace.process
    var keys: [[UInt8]] = []
    var salts: [[UInt8]] = []
    var allowedSources: [SourcePattern] = []
    var allowedAddresses: [AddressRange] = []
    var replacements: [SourceReplacement] = []
    var storeRules: [StorageRules.Rule] = []
    var sourceFormats: [ImageFormat] = []
    var formatQualities: [(format: OutputFormat, quality: Int)] = []
}

/// The format of the access log.
package enum AccessLogFormat: String, CaseIterable, Sendable {
    case text, json, none
}

/// Where pictures are decoded: in restricted processes for many pictures each, in one for each picture, or in the process
/// of the service.
package enum DecoderPlace: String, CaseIterable, Sendable {
    case process, picture, none
}

extension ServiceConfiguration {
    /// The values of the settings that are texts.
    ///
    /// - Parameter names: The settings to parse; nil for all.
    /// - Throws: `ConfigurationError` for the first of them whose value cannot be used.
    package func parsed(only names: Set<String>? = nil) throws(ConfigurationError) -> ParsedSettings {
        try ConfigurationTable.parsed(self, only: names)
    }
}

/// The reason why a text is no value of a setting. It does not contain the value of a secret.
package struct SettingProblem: Error, Sendable {
    package let text: String

    init(_ text: String) { self.text = text }
}
