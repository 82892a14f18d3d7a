import CWebImageHEIF
package import WebImageCore

/// The functions of libheif. The library is loaded when one of them is needed for the first time.
enum HEIFLibrary {
    private static let loaded = Result { () throws(WebImageError) -> HEIFFunctions in
        try SharedLibrary.functions(of: HEIF_LIBRARY, package: ImageHEICCoder.libraryPackage) {
            HEIFFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> HEIFFunctions { try loaded.get() }
}

extension ImageHEICCoder {
    /// The package of Debian that has the library.
    package static let libraryPackage = "libheif1"

    /// Loads libheif. Returns its version, and a note if it has no HEVC decoder.
    ///
    /// - Throws: `.unsupportedFormat` if libheif is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let libheif = try HEIFLibrary.functions()
        let decodes = libheif.heif_have_decoder_for_format(heif_compression_HEVC) != 0
        let version = libheif.heif_get_version().map { String(cString: $0) } ?? "?"
        return "libheif \(version)" + (decodes ? "" : " (no HEVC decoder)")
    }
}
