import Foundation

/// Loads a system library on first use. The program is not linked against it, and it stays loaded.
///
/// A program therefore loads the code of rare formats only when it needs them, and starts even if a library is missing.
package enum SharedLibrary {
    /// Returns the functions of a library, found by name.
    ///
    /// Blocks the thread for some milliseconds, while the system maps the library.
    ///
    /// - Parameters:
    ///   - name: the file name of the version whose headers this was compiled with.
    ///   - package: the Debian package to install when the library is missing.
    ///   - bind: fills the table and returns nil, or returns the name of a function that the library lacks.
    /// - Throws: `.unsupportedFormat`, with the message of the dynamic loader.
    package static func functions<Table>(
        of name: String, package: String,
        bind: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(WebImageError) -> Table {
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        defer { table.deallocate() }
        try load(name, package: package) { bind($0, table) }
        return table.move()
    }

    /// As ``functions(of:package:bind:)``, for a table that is stored elsewhere.
    package static func load(
        _ name: String, package: String, bind: (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?
    ) throws(WebImageError) {
        guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
            throw failure(
                name, dlerror().map { String(cString: $0) } ?? "cannot be loaded",
                hint: "Install it: apt install \(package). If the system has another version of the library, "
                    + "rebuild this program on that system.")
        }
        if let missing = bind(library) { throw mismatch(name, "has no \(String(cString: missing))") }
    }

    /// Makes the error for a library whose version differs from the one this program was built for: its structures
    /// could be read wrongly.
    package static func mismatch(_ name: String, _ words: String) -> WebImageError {
        failure(name, words, hint: "Rebuild this program: it was built for another version of the library.")
    }

    private static func failure(_ name: String, _ words: String, hint: String) -> WebImageError {
        WebImageError(
            .unsupportedFormat, stage: .decode, underlying: .codec(library: name, message: words), hint: hint)
    }
}
