import CWebImageTIFF
package import WebImageCore

/// The functions of libtiff. The library is loaded when they are needed for the first time.
enum TIFFLibrary {
    private static let loaded = Result { () throws(WebImageError) -> TIFFFunctions in
        try SharedLibrary.functions(of: TIFF_LIBRARY, package: ImageTIFFCoder.libraryPackage) {
            TIFFFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> TIFFFunctions { try loaded.get() }
}

extension ImageTIFFCoder {
    /// The package of Debian that has the library.
    package static let libraryPackage = "libtiff6"

    /// Loads libtiff and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if libtiff is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        // libtiff returns a text such as "LIBTIFF, Version 4.5.0", followed by the copyright.
        let words = try TIFFLibrary.functions().TIFFGetVersion().map { String(cString: $0) } ?? ""
        return "libtiff " + (words.split(separator: "\n").first?.split(separator: " ").last ?? "?")
    }
}
