import CWebImageTIFF
package import WebImageCore

extension ImageTIFFCoder {
    /// libtiff's version; loads the library.
    ///
    /// - Throws: `.unsupportedFormat` when it is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        // "LIBTIFF, Version 4.5.0" and then the copyright.
        let words = try TIFFLibrary.functions().TIFFGetVersion().map { String(cString: $0) } ?? ""
        return "libtiff " + (words.split(separator: "\n").first?.split(separator: " ").last ?? "?")
    }
}
