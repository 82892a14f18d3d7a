import CWebImageTIFF
package import WebImageCore

extension ImageTIFFCoder {
    /// Loads libtiff and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if libtiff is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        // libtiff returns a text such as "LIBTIFF, Version 4.5.0", followed by the copyright.
        let words = try TIFFLibrary.functions().TIFFGetVersion().map { String(cString: $0) } ?? ""
        return "libtiff " + (words.split(separator: "\n").first?.split(separator: " ").last ?? "?")
    }
}
