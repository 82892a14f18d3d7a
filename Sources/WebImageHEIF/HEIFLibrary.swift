import CWebImageHEIF
import WebImageCore

/// The functions of libheif. The library is loaded when they are needed for the first time.
enum HEIFLibrary {
    private static let loaded = Result { () throws(WebImageError) -> HEIFFunctions in
        try SharedLibrary.functions(of: HEIF_LIBRARY, package: "libheif1") { HEIFFunctions_bind($0, $1) }
    }

    static func functions() throws(WebImageError) -> HEIFFunctions { try loaded.get() }
}
