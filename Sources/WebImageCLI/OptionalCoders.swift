import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJPEG2000
import WebImageJXL
import WebImageLottie
import WebImagePDF
import WebImageRaw
import WebImageSVG
import WebImageTIFF
import WebImageVideo

/// The coders of the optional products. The command includes all of them.
enum OptionalCoders {
    /// Registers the coders. Their libraries are loaded only when a file needs them.
    static func register() {
        ImageCodersManager.shared.coders += all
    }

    static let all: [any ImageCoder] = [
        // Raw files come after TIFF, because many of them are TIFF files too, and the last coder is asked first.
        ImageTIFFCoder.shared, ImageRawCoder.shared, ImagePDFCoder.shared, ImageLottieCoder.shared,
        ImageVideoCoder.shared,
        ImageJPEG2000Coder.shared, ImageSVGCoder.shared, ImageJPEGXLCoder.shared, ImageHEICCoder.shared,
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
        case .jpeg2000: try ImageJPEG2000Coder.libraryVersion()
        case .lottie: try ImageLottieCoder.libraryVersion()
        case .pdf: try ImagePDFCoder.libraryVersion()
        case .video: try ImageVideoCoder.libraryVersion()
        case .raw: try ImageRawCoder.libraryVersion()
        default: nil
        }
    }

    /// The packages of Debian that have the library for a format. Nil for a format whose library every installation has, and
    /// for one whose library Debian does not have.
    static func package(of format: ImageFormat) -> String? {
        switch format {
        case .avif: ImageAVIFCoder.libraryPackage
        case .heic, .heif: ImageHEICCoder.libraryPackage
        case .jpegXL: ImageJPEGXLCoder.libraryPackage
        case .svg: ImageSVGCoder.libraryPackage
        case .tiff: ImageTIFFCoder.libraryPackage
        case .jpeg2000: ImageJPEG2000Coder.libraryPackage
        case .lottie: ImageLottieCoder.libraryPackage
        case .video: ImageVideoCoder.libraryPackage
        case .raw: ImageRawCoder.libraryPackage
        default: nil
        }
    }
}
