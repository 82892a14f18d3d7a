import CWebImageRaw
import Foundation
package import WebImageCore

/// The functions of LibRaw. The library is loaded when they are needed for the first time.
enum RawLibrary {
    private static let loaded = Result { () throws(WebImageError) -> LibRawFunctions in
        // LibRaw divides some loops among threads of OpenMP. One picture uses one thread here, as with all coders. OpenMP
        // reads the variable once, when the library is loaded. A value that is there is kept.
        setenv("OMP_NUM_THREADS", "1", 0)
        let name = String(cString: LIBRAW_LIBRARY)
        return try SharedLibrary.functions(of: name, package: ImageRawCoder.libraryPackage) {
            LibRawFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> LibRawFunctions { try loaded.get() }
}

extension ImageRawCoder {
    /// The package of Debian that has the library: libraw20 in Debian 12, libraw23t64 in Debian 13.
    package static let libraryPackage: String = {
        let number = String(cString: LIBRAW_LIBRARY).split(separator: ".").last.map(String.init) ?? ""
        return "libraw\(number) or libraw\(number)t64"
    }()

    /// Loads LibRaw and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if LibRaw is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let words = try RawLibrary.functions().libraw_version().map { String(cString: $0) } ?? "?"
        return "libraw " + (words.split(separator: "-").first ?? "?")
    }
}
