import CWebImageJPEG2000
package import WebImageCore

/// The functions of OpenJPEG. The library is loaded when they are needed for the first time.
enum JPEG2000Library {
    private static let loaded = Result { () throws(WebImageError) -> OpenJPEGFunctions in
        try SharedLibrary.functions(of: OPENJPEG_LIBRARY, package: ImageJPEG2000Coder.libraryPackage) {
            OpenJPEGFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> OpenJPEGFunctions { try loaded.get() }
}

extension ImageJPEG2000Coder {
    /// The package of Debian that has the library.
    package static let libraryPackage = "libopenjp2-7"

    /// Loads OpenJPEG and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if OpenJPEG is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        "openjpeg " + (try JPEG2000Library.functions().opj_version().map { String(cString: $0) } ?? "?")
    }
}
