import Foundation

/// Compiles locales of the C library into a folder of a test. The sources of the locales are in Debian's package
/// `locales`.
package enum CompiledLocale {
    /// The names of the locales. Both have a decimal comma. In the Turkish locale, `toupper(3)` and `tolower(3)` do
    /// not change i and I.
    package static let names = ["tr_TR.UTF-8", "de_DE.UTF-8"]

    /// Whether this machine can compile locales.
    package static let isAvailable =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/localedef")
        && FileManager.default.fileExists(atPath: "/usr/share/i18n/locales/tr_TR")

    /// Compiles a locale into a folder. Processes can use the folder as `LOCPATH`. Takes about one second.
    ///
    /// - Throws: An error if `localedef` cannot be started or writes no locale.
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

    /// Sets the locale of this process, as GTK does when it starts. Call it only in a test that runs in its own
    /// process, because the locale applies to the whole process.
    ///
    /// - Returns: Whether numbers now have a decimal comma.
    package static func use(_ name: String, in folder: String) -> Bool {
        setenv("LOCPATH", folder, 1)
        setenv("LC_ALL", name, 1)
        return setlocale(LC_ALL, "") != nil && String(format: "%.1f", 1.5) == "1,5"
    }
}
