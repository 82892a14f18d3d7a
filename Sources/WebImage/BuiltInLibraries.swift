import WebImageCodecs
package import WebImageCore

/// The libraries that decode the built-in formats.
package enum BuiltInLibraries {
    /// Returns the name and version of a format's library. Returns "built in" for a format that this package decodes
    /// without a library.
    package static func name(of format: ImageFormat) -> String {
        switch format.container {
        case .jpeg: CodecLibraries.jpeg
        case .png: CodecLibraries.png
        case .gif: CodecLibraries.gif
        case .webP: CodecLibraries.webP
        default: "built in"
        }
    }
}
