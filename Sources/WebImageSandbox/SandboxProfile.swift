import CWebImageSandbox
import Foundation
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
    var types: [any SandboxableCoder.Type] {
        switch self {
        case .basic:
            [
                ImageICOCoder.self, ImageBMPCoder.self, ImageWebPCoder.self, ImageGIFCoder.self, ImagePNGCoder.self,
                ImageJPEGCoder.self,
            ]
        case .further: [ImageTIFFCoder.self, ImageJPEGXLCoder.self, ImageAVIFCoder.self]
        case .threads: [ImageHEICCoder.self]
        case .svg: [ImageSVGCoder.self]
        }
    }

    var coders: [any DetailedImageCoder] { types.map { $0.instance } }

    /// The coders of pictures that a picture of this profile may contain.
    var nestedCoders: [any DetailedImageCoder] {
        // librsvg draws pictures inside of drawings.
        self == .svg ? [ImageTIFFCoder.shared] + Self.basic.coders + coders : coders
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

extension ImageICOCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .basic, index: 0, formats: [.ico])
    static var instance: ImageICOCoder { shared }
}
extension ImageBMPCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .basic, index: 1, formats: [.bmp])
    static var instance: ImageBMPCoder { shared }
}
extension ImageWebPCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .basic, index: 2, formats: [.webP])
    static var instance: ImageWebPCoder { shared }
}
extension ImageGIFCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .basic, index: 3, formats: [.gif])
    static var instance: ImageGIFCoder { shared }
}
extension ImagePNGCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .basic, index: 4, formats: [.png, .apng])
    static var instance: ImagePNGCoder { shared }
}
extension ImageJPEGCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .basic, index: 5, formats: [.jpeg])
    static var instance: ImageJPEGCoder { shared }
}
extension ImageTIFFCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .further, index: 0, formats: [.tiff])
    static var instance: ImageTIFFCoder { shared }
}
extension ImageJPEGXLCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .further, index: 1, formats: [.jpegXL])
    static var instance: ImageJPEGXLCoder { shared }
}
extension ImageAVIFCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .further, index: 2, formats: [.avif])
    static var instance: ImageAVIFCoder { shared }
}
extension ImageHEICCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .threads, index: 0, formats: [.heic, .heif])
    static var instance: ImageHEICCoder { shared }
}
extension ImageSVGCoder: SandboxableCoder {
    static let place = SandboxPlace(profile: .svg, index: 0, formats: [.svg])
    static var instance: ImageSVGCoder { shared }

    /// Compressed data is only unpacked in a worker, which refuses it if it is no drawing.
    static func recognises(_ data: Data) -> Bool {
        data.prefix(3).elementsEqual([0x1F, 0x8B, 0x08]) || ImageFormat(sniffing: data) == .svg
    }
}
