import Foundation

/// Loads a system library when it is first wanted; nothing is linked against it, and it stays loaded.
///
/// So a program carries the code of rare formats only after it met one, and starts without a library that is missing.
package enum SharedLibrary {
    /// The functions of a library, found by their names.
    ///
    /// Blocks the thread while the system maps the library, some milliseconds.
    ///
    /// - Parameters:
    ///   - name: The file that belongs to the headers this was compiled with.
    ///   - package: What to install when it is missing, as Debian calls it.
    ///   - bind: Fills the table and returns nil, or the name of a function the library lacks.
    /// - Throws: `.unsupportedFormat`, with the loader's words.
    package static func functions<Table>(
        of name: String, package: String,
        bind: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(WebImageError) -> Table {
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        defer { table.deallocate() }
        try load(name, package: package) { bind($0, table) }
        return table.move()
    }

    /// As ``functions(of:package:bind:)``, for a table that is kept elsewhere.
    package static func load(
        _ name: String, package: String, bind: (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?
    ) throws(WebImageError) {
        guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
            throw failure(
                name, dlerror().map { String(cString: $0) } ?? "cannot be loaded",
                hint: "Install it: apt install \(package). Where the system has another version of the library, "
                    + "rebuild this program on it.")
        }
        if let missing = bind(library) { throw mismatch(name, "has no \(String(cString: missing))") }
    }

    /// A library that is not the version this program was built for: its structures could be read wrongly.
    package static func mismatch(_ name: String, _ words: String) -> WebImageError {
        failure(name, words, hint: "Rebuild this program: it was built for another version of the library.")
    }

    private static func failure(_ name: String, _ words: String, hint: String) -> WebImageError {
        WebImageError(
            .unsupportedFormat, stage: .decode, underlying: .codec(library: name, message: words), hint: hint)
    }
}
