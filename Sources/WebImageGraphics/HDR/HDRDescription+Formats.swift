package import WebImageCore

extension HDRDescription {
    /// Whether a file of a format holds a picture of this high dynamic range in any form.
    package func isKept(in format: ImageFormat) -> Bool {
        switch format.container {
        case .jpeg, .jpegXL: true
        // These formats have no place for a gain map, so only the values of PQ and HLG are kept. libavif writes gain maps from
        // version 1.1 on, which this package does not use.
        case .png, .avif: transfer != nil
        default: false
        }
    }
}
