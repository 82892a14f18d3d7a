import CWebImageSandbox
import WebImageAVIF
import WebImageCodecs
package import WebImageCore
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF

/// Which formats a worker decodes. A worker loads only the libraries of its profile, and its restrictions are the least
/// that these libraries work with.
package enum SandboxProfile: String, Sendable, CaseIterable {
    /// The built-in formats.
    case basic
    /// AVIF, JPEG XL and TIFF.
    case further
    /// HEIF, whose library starts a thread for each picture.
    case threads
    /// SVG, which starts threads and reads fonts.
    case svg

    /// The profile whose coders read a format; nil if none does.
    package init?(_ format: ImageFormat) {
        switch format {
        case .jpeg, .png, .apng, .gif, .webP, .bmp, .ico: self = .basic
        case .avif, .jpegXL, .tiff: self = .further
        case .heic, .heif: self = .threads
        case .svg: self = .svg
        default: return nil
        }
    }

    /// The coders of a worker of this profile; the last one is asked first.
    var coders: [any DetailedImageCoder] {
        switch self {
        case .basic:
            [
                ImageICOCoder.shared, ImageBMPCoder.shared, ImageWebPCoder.shared, ImageGIFCoder.shared,
                ImagePNGCoder.shared, ImageJPEGCoder.shared,
            ]
        case .further: [ImageTIFFCoder.shared, ImageJPEGXLCoder.shared, ImageAVIFCoder.shared]
        case .threads: [ImageHEICCoder.shared]
        case .svg: [ImageSVGCoder.shared]
        }
    }

    /// What the filter must allow in addition to decoding in memory.
    var features: UInt32 {
        switch self {
        case .basic, .further: 0
        case .threads: UInt32(webimage_sandbox_threads)
        case .svg: UInt32(webimage_sandbox_threads) | UInt32(webimage_sandbox_fonts)
        }
    }
}
