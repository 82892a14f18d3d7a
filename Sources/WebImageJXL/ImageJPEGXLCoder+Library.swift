import CWebImageJXL
package import WebImageCore

extension ImageJPEGXLCoder {
    /// The version of libjxl; loads the library.
    ///
    /// - Throws: `.unsupportedFormat` when it is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let version = try JXLLibrary.functions().JxlDecoderVersion()
        return "libjxl \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}
