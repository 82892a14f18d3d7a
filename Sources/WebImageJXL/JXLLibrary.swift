import CWebImageJXL
import WebImageCore

/// libjxl, loaded when the first JPEG XL file is opened.
enum JXLLibrary {
    private static let loaded = Result { () throws(WebImageError) -> JXLFunctions in
        let name = String(cString: JXL_LIBRARY)
        return try SharedLibrary.functions(of: name, package: name.replacing(".so.", with: "")) {
            JXLFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> JXLFunctions { try loaded.get() }
}
