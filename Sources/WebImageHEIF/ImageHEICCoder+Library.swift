import CHEIF

extension ImageHEICCoder {
    /// libheif's version and what it can do with HEVC.
    package static var libraryVersion: String {
        let decodes = heif_have_decoder_for_format(heif_compression_HEVC) != 0
        return "libheif \(String(cString: heif_get_version()))" + (decodes ? "" : " (no HEVC decoder)")
    }
}
