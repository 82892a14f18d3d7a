import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

/// The coders that are products of their own, all of which the command carries.
enum OptionalCoders {
    /// Puts them in use. Nothing of their libraries runs before a file wants it.
    static func register() {
        ImageCodersManager.shared.coders += all
    }

    static let all: [any ImageCoder] = [
        ImageTIFFCoder.shared, ImageSVGCoder.shared, ImageJPEGXLCoder.shared, ImageHEICCoder.shared,
        ImageAVIFCoder.shared,
    ]

    /// The library behind a format, which this loads; nil for one that is built in.
    ///
    /// - Throws: `.unsupportedFormat` when it is missing.
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
