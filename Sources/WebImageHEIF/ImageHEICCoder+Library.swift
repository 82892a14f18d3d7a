import CWebImageHEIF
package import WebImageCore

extension ImageHEICCoder {
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
