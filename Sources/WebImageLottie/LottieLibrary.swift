import CWebImageLottie
package import WebImageCore

/// The functions of rlottie. The library is loaded when they are needed for the first time.
enum LottieLibrary {
    private static let loaded = Result { () throws(WebImageError) -> LottieFunctions in
        try SharedLibrary.functions(of: LOTTIE_LIBRARY, package: ImageLottieCoder.libraryPackage) {
            LottieFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> LottieFunctions { try loaded.get() }
}

extension ImageLottieCoder {
    /// The package of Debian that has the library.
    package static let libraryPackage = "librlottie0-1"

    /// Loads rlottie and returns its name. rlottie has no function for its version.
    ///
    /// - Throws: `.unsupportedFormat` if rlottie is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        _ = try LottieLibrary.functions()
        return "rlottie 0.1"
    }
}
