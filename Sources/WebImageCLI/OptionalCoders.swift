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

    /// The library behind a format; asking it starts nothing.
    static func library(of format: ImageFormat) -> String? {
        switch format {
        case .avif: ImageAVIFCoder.libraryVersion
        case .heic, .heif: ImageHEICCoder.libraryVersion
        case .jpegXL: ImageJPEGXLCoder.libraryVersion
        case .svg: ImageSVGCoder.libraryVersion
        case .tiff: ImageTIFFCoder.libraryVersion
        default: nil
        }
    }
}
