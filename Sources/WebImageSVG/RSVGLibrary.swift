import CWebImageRSVG
import WebImageCore

/// librsvg, loaded when the first SVG file is opened.
enum RSVGLibrary {
    // `nonisolated(unsafe)` is needed because the table contains pointers to librsvg's version numbers, which are not
    // Sendable. It is safe: the numbers are constants, and the table does not change after it is filled.
    private nonisolated(unsafe) static let loaded = Result { () throws(WebImageError) -> RSVGFunctions in
        try SharedLibrary.functions(of: RSVG_LIBRARY, package: "librsvg2-2") { RSVGFunctions_bind($0, $1) }
    }

    static func functions() throws(WebImageError) -> RSVGFunctions { try loaded.get() }
}
