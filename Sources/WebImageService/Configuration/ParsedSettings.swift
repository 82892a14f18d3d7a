import WebImageCore
import WebImageHTTP

/// The values of the settings that are written as texts. The row of each setting parses them, once for each configuration.
struct ParsedSettings: Sendable {
    var allowedSources: [SourcePattern] = []
    var allowedAddresses: [AddressRange] = []
    var replacements: [SourceReplacement] = []
    var storeRules: [StorageRules.Rule] = []
    var sourceFormats: [ImageFormat] = []
    var formatQualities: [(format: OutputFormat, quality: Int)] = []
}

/// The reason why a text is no value of a setting. It does not contain the value of a secret.
package struct SettingProblem: Error, Sendable {
    package let text: String

    init(_ text: String) { self.text = text }
}
