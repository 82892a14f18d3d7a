import CJXL

extension ImageJPEGXLCoder {
    /// libjxl's version.
    package static var libraryVersion: String {
        let version = JxlDecoderVersion()
        return "libjxl \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}
