import CWebImageRSVG
package import WebImageCore

/// The functions of librsvg. The library is loaded when they are needed for the first time.
enum RSVGLibrary {
    // `nonisolated(unsafe)` is needed because the table contains pointers to librsvg's version numbers, and pointers
    // are not `Sendable`. It is safe because the numbers are constants and the table does not change after it is
    // filled.
    private nonisolated(unsafe) static let loaded = Result { () throws(WebImageError) -> RSVGFunctions in
        try SharedLibrary.functions(of: RSVG_LIBRARY, package: ImageSVGCoder.libraryPackage) {
            RSVGFunctions_bind($0, $1)
        }
    }

    static func functions() throws(WebImageError) -> RSVGFunctions { try loaded.get() }

    /// The functions that end a drawing; nil if librsvg is older than 2.60.
    static let cancelling = try? SharedLibrary.functions(of: RSVG_LIBRARY, package: ImageSVGCoder.libraryPackage) {
        RSVGCancelling_bind($0, $1)
    }

    // Only 2.60 has the functions of `cancelling`, so they tell how the library at hand behaves.

    /// Whether librsvg loads gdk-pixbuf to draw an SVG document that another one embeds. From 2.60 on it draws it itself.
    static var loadsLibraryForDocuments: Bool { cancelling == nil }

    /// Whether a drawing with a wrong filter makes librsvg end the process: 2.54 does not check filters, 2.60 does.
    static var endsTheProcess: Bool { cancelling == nil }
}

extension ImageSVGCoder {
    /// The package of Debian that has the library.
    package static let libraryPackage = "librsvg2-2"

    /// Loads librsvg and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if librsvg is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let librsvg = try RSVGLibrary.functions()
        let numbers = [librsvg.rsvg_major_version, librsvg.rsvg_minor_version, librsvg.rsvg_micro_version]
        return "librsvg " + numbers.map { "\($0.pointee)" }.joined(separator: ".")
    }
}
