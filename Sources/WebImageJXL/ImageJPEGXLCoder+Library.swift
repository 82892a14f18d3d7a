import CWebImageJXL
package import WebImageCore

extension ImageJPEGXLCoder {
    /// Loads libjxl and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if libjxl is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let version = try JXLLibrary.functions().JxlDecoderVersion()
        return "libjxl \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}
