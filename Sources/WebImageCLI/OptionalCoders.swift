import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

/// The coders of the optional products. The command includes all of them.
enum OptionalCoders {
    /// Registers the coders. Their libraries are loaded only when a file needs them.
    static func register() {
        ImageCodersManager.shared.coders += all
    }

    static let all: [any ImageCoder] = [
        ImageTIFFCoder.shared, ImageSVGCoder.shared, ImageJPEGXLCoder.shared, ImageHEICCoder.shared,
        ImageAVIFCoder.shared,
    ]

    /// Loads the library for a format and returns the library's name and version. Returns nil for a built-in format.
    ///
    /// - Throws: `.unsupportedFormat` if the library is missing.
    static func library(of format: ImageFormat) throws(WebImageError) -> String? {
        switch format {
        case .avif: try ImageAVIFCoder.libraryVersion()
        case .heic, .heif: try ImageHEICCoder.libraryVersion()
        case .jpegXL: try ImageJPEGXLCoder.libraryVersion()
        case .svg: try ImageSVGCoder.libraryVersion()
        case .tiff: try ImageTIFFCoder.libraryVersion()
        default: nil
        }
    }
}
