import CWebImageJXL
package import WebImageCore

/// The functions of libjxl. The library is loaded when one of them is needed for the first time.
enum JXLLibrary {
    private static let loaded = Result { () throws(WebImageError) -> JXLFunctions in
        let name = String(cString: JXL_LIBRARY)
        return try SharedLibrary.functions(of: name, package: ImageJPEGXLCoder.libraryPackage) {
            JXLFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> JXLFunctions { try loaded.get() }
}

extension ImageJPEGXLCoder {
    /// The package of Debian that has the library.
    package static let libraryPackage = String(cString: JXL_LIBRARY).replacing(".so.", with: "")

    /// Loads libjxl and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if libjxl is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let version = try JXLLibrary.functions().JxlDecoderVersion()
        return "libjxl \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}
