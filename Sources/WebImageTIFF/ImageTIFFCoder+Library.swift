import CWebImageTIFF
package import WebImageCore

extension ImageTIFFCoder {
    /// The version of libtiff; loads the library.
    ///
    /// - Throws: `.unsupportedFormat` when it is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        // The text is "LIBTIFF, Version 4.5.0", followed by the copyright.
        let words = try TIFFLibrary.functions().TIFFGetVersion().map { String(cString: $0) } ?? ""
        return "libtiff " + (words.split(separator: "\n").first?.split(separator: " ").last ?? "?")
    }
}
