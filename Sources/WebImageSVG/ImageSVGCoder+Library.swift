import CRSVG

extension ImageSVGCoder {
    /// librsvg's version.
    package static var libraryVersion: String {
        "librsvg \(LIBRSVG_MAJOR_VERSION).\(LIBRSVG_MINOR_VERSION).\(LIBRSVG_MICRO_VERSION)"
    }
}
