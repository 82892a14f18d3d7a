import Foundation

/// Loads a system library on first use. The library stays loaded.
///
/// The program is not linked against the library. It therefore loads the code of a rare format only when the
/// format is needed. The program starts even if the library is missing.
package enum SharedLibrary {
    /// Loads a library and returns a table of its functions. The functions are looked up by name.
    ///
    /// The first call blocks the thread for a few milliseconds while the system loads the library.
    ///
    /// - Parameters:
    ///   - name: the file name of the library, including its version. This program must be compiled with the
    ///     headers of the same version.
    ///   - package: the Debian package to install when the library is missing.
    ///   - usesOwnSymbols: whether the library contains other libraries and exports their functions. Without this, its calls
    ///     of them would reach the libraries of the same names that the program has already loaded.
    ///   - bind: fills the table and returns nil. If the library lacks a function, returns the name of this function.
    /// - Throws: `.unsupportedFormat` when the library cannot be loaded or lacks a function.
    package static func functions<Table>(
        of name: String, package: String, usesOwnSymbols: Bool = false,
        bind: (UnsafeMutableRawPointer, UnsafeMutablePointer<Table>) -> UnsafePointer<CChar>?
    ) throws(WebImageError) -> Table {
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        defer { table.deallocate() }
        try load(name, package: package, usesOwnSymbols: usesOwnSymbols) { bind($0, table) }
        return table.move()
    }

    /// Does the same as ``functions(of:package:bind:)``, but `bind` stores the functions in a table of the caller.
    package static func load(
        _ name: String, package: String, usesOwnSymbols: Bool = false,
        bind: (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?
    ) throws(WebImageError) {
        var mode = RTLD_LAZY | RTLD_LOCAL
        // The address sanitizer ends a program that uses this mode.
        if usesOwnSymbols, dlsym(nil, "__asan_init") == nil { mode |= RTLD_DEEPBIND }
        guard let library = dlopen(name, mode) else {
            throw failure(
                name, dlerror().map { String(cString: $0) } ?? "cannot be loaded",
                hint: "Install it: apt install \(package). If the system has another version of the library, "
                    + "rebuild this program on that system.")
        }
        if let missing = bind(library) { throw mismatch(name, "has no \(String(cString: missing))") }
    }

    /// Makes the error for a library whose version differs from the version for which this program was built.
    /// Such a library must not be used, because its structures can have another layout.
    package static func mismatch(_ name: String, _ words: String) -> WebImageError {
        failure(name, words, hint: "Rebuild this program: it was built for another version of the library.")
    }

    private static func failure(_ name: String, _ words: String, hint: String) -> WebImageError {
        WebImageError(
            .unsupportedFormat, stage: .decode, underlying: .codec(library: name, message: words), hint: hint)
    }
}
