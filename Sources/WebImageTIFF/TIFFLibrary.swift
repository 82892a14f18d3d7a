import CWebImageTIFF
import WebImageCore

/// The functions of libtiff. The library is loaded when they are needed for the first time.
enum TIFFLibrary {
    private static let loaded = Result { () throws(WebImageError) -> TIFFFunctions in
        try SharedLibrary.functions(of: TIFF_LIBRARY, package: "libtiff6") { TIFFFunctions_bind($0, $1) }
    }

    static func functions() throws(WebImageError) -> TIFFFunctions { try loaded.get() }
}
