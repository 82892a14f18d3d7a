import Foundation
import WebImageCore

/// The default directory of disk caches (XDG Base Directory Specification 0.8).
package enum CacheLocation {
    /// Returns `$XDG_CACHE_HOME/<application>/webimage`. If `$XDG_CACHE_HOME` is not an absolute path, returns
    /// `$HOME/.cache/<application>/webimage`.
    ///
    /// - Parameter home: The user's home directory according to the system; used when `$HOME` is not an absolute path.
    static func directory(environment: [String: String], home: String, application: String) -> String {
        // Read `$HOME` here, because Foundation ignores `$HOME` if the system has a home directory for the user.
        let chosen = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        var base = chosen + (chosen.hasSuffix("/") ? ".cache" : "/.cache")
        // The specification requires that a relative path is ignored.
        if let configured = environment["XDG_CACHE_HOME"], configured.hasPrefix("/") { base = configured }
        while base.hasSuffix("/"), base.utf8.count > 1 { base.removeLast() }
        return (base == "/" ? "" : base) + "/" + folderName(application) + "/webimage"
    }

    package static var standard: String {
        directory(
            environment: ProcessInfo.processInfo.environment,
            home: FileManager.default.homeDirectoryForCurrentUser.path, application: application)
    }

    /// The name of the application: the bundle's identifier, or the executable's name if there is no identifier.
    private static var application: String {
        if let identifier = Bundle.main.bundleIdentifier, !identifier.isEmpty { return identifier }
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let name = (executable as NSString).lastPathComponent
        return name.isEmpty ? "webimage" : name
    }

    /// Escapes a name, so that the result is one path component. Without the escapes, a name such as `..` or `a/b`
    /// would refer to another folder.
    static func folderName(_ name: String) -> String {
        if name.isEmpty { return "default" }
        if name.allSatisfy({ $0 == "." }) { return name.replacingOccurrences(of: ".", with: "%2E") }
        return name.replacingOccurrences(of: "/", with: "%2F").replacingOccurrences(of: "\0", with: "%00")
    }
}
