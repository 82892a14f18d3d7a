import Foundation
public import WebImageService

/// A variable of the environment that cannot be used.
public struct SettingError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

public enum Settings {
    /// The settings from the environment: `PICTURES`, a folder whose pictures are served as
    /// `local:///NAME`; `SOURCES`, prefixes of other servers' URLs with spaces between; `KEY` and `SALT`
    /// (hexadecimal), with which URLs must be signed; `CACHE_DIRECTORY`, set by systemd. With neither
    /// `PICTURES` nor `SOURCES` the folder `pictures` of the working directory is served.
    ///
    /// - Parameter isOpen: Whether other machines can connect. Then `KEY` and `SALT` are required, because
    ///   without signatures every client can make the service fetch and decode any picture.
    public static func configuration(
        _ environment: [String: String], isOpen: Bool = false
    ) throws(SettingError) -> ServiceConfiguration {
        let set = environment.filter { !$0.value.isEmpty }
        let advice = "make each with 'openssl rand -hex 32'"
        guard (set["KEY"] == nil) == (set["SALT"] == nil) else {
            throw SettingError(
                "\(set["KEY"] == nil ? "KEY" : "SALT") is not set; set both KEY and SALT, or neither (\(advice))")
        }
        guard !isOpen || set["KEY"] != nil else {
            throw SettingError(
                "other machines could use this service without a signature; "
                    + "set KEY and SALT (\(advice)), or listen on 127.0.0.1")
        }
        let others = set["SOURCES"]?.split(separator: " ").map(String.init) ?? []
        let root = set["PICTURES"] ?? (others.isEmpty ? "pictures" : nil)
        var isFolder: ObjCBool = false
        if let root, !FileManager.default.fileExists(atPath: root, isDirectory: &isFolder) || !isFolder.boolValue {
            throw SettingError(
                "there is no folder \(root); set PICTURES to a folder of pictures, "
                    + "or SOURCES to the beginnings of URLs, such as https://example.org/")
        }
        var configuration = ServiceConfiguration()
        configuration.root = root ?? ""
        configuration.allowedSources = (root == nil ? [] : ["local://"]) + others
        configuration.keys = set["KEY"].map { [$0] } ?? []
        configuration.salts = set["SALT"].map { [$0] } ?? []
        configuration.cacheFolder = set["CACHE_DIRECTORY"] ?? ""
        // AVIF is a separate product: add WebImageAVIF, and its coder to ImageCodersManager.shared.
        configuration.offersAVIF = false
        return configuration
    }
}
