import WebImageCodecs
package import WebImageCore

/// The library behind each built-in format.
package enum BuiltInLibraries {
    /// Name and version of the library; "built in" for a format that this package parses itself.
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
