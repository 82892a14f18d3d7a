import Foundation

/// A locale of the C library, compiled from its source into a test's folder. Debian's package `locales` has the
/// sources.
package enum CompiledLocale {
    /// Both use a decimal comma. In Turkish, `toupper(3)` and `tolower(3)` leave i and I unchanged.
    package static let names = ["tr_TR.UTF-8", "de_DE.UTF-8"]

    /// Whether this machine can compile locales.
    package static let isAvailable =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/localedef")
        && FileManager.default.fileExists(atPath: "/usr/share/i18n/locales/tr_TR")

    /// Compiles a locale for processes whose `LOCPATH` is the folder; takes about a second.
    ///
    /// - Throws: An error when `localedef` cannot be started or writes nothing.
    package static func compile(_ name: String, into folder: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/localedef")
        let source = String(name.prefix { $0 != "." })
        let target = folder + "/" + name
        process.arguments = ["-c", "-i", source, "-f", "UTF-8", target]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard FileManager.default.fileExists(atPath: target + "/LC_NUMERIC") else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// Makes it the locale of this process, as GTK does at its start; call it only in a test that runs in a separate process.
    ///
    /// - Returns: Whether numbers have a decimal comma from now on.
    package static func use(_ name: String, in folder: String) -> Bool {
        setenv("LOCPATH", folder, 1)
        setenv("LC_ALL", name, 1)
        return setlocale(LC_ALL, "") != nil && String(format: "%.1f", 1.5) == "1,5"
    }
}
