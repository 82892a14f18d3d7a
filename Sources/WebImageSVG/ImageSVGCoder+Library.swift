import CWebImageRSVG
package import WebImageCore

extension ImageSVGCoder {
    /// Loads librsvg and returns its version.
    ///
    /// - Throws: `.unsupportedFormat` if librsvg is missing.
    package static func libraryVersion() throws(WebImageError) -> String {
        let librsvg = try RSVGLibrary.functions()
        let numbers = [librsvg.rsvg_major_version, librsvg.rsvg_minor_version, librsvg.rsvg_micro_version]
        return "librsvg " + numbers.map { "\($0.pointee)" }.joined(separator: ".")
    }
}
