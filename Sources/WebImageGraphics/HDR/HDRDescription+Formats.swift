package import WebImageCore

extension HDRDescription {
    /// Whether a file of a format holds a picture of this high dynamic range in any form.
    package func isKept(in format: ImageFormat) -> Bool {
        switch format.container {
        case .jpeg, .jpegXL, .avif: true
        // This format has no place for a gain map, so only the values of PQ and HLG are kept.
        case .png: transfer != nil
        default: false
        }
    }
}
