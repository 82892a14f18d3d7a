import CWebImageSandbox
import Foundation
import WebImageAVIF
import WebImageCodecs
package import WebImageCore
import WebImageHEIF
import WebImageJPEG2000
import WebImageJXL
import WebImageLottie
import WebImagePDF
import WebImageRaw
import WebImageSVG
import WebImageTIFF
import WebImageVideo

/// Which formats a worker decodes. A worker loads only the libraries of its profile, and its restrictions are the least
/// that these libraries work with.
package enum SandboxProfile: String, Sendable, CaseIterable {
    /// The built-in formats.
    case basic
    /// AVIF, JPEG XL, TIFF and JPEG 2000.
    case further
    /// PDF and raw files of cameras.
    case documents
    /// HEIF, whose library starts a thread for each picture, and Lottie, whose library starts one for each processor.
    case threads
    /// Videos. FFmpeg and the libraries that it needs are a hundred, which no worker of another profile loads.
    case video
    /// SVG, which starts threads and reads fonts.
    case svg
    /// Web pages, which are no pictures, so the profile has no coders.
    case pages

    private static let profiles: [ImageFormat: SandboxProfile] = {
        let pairs = allCases.flatMap { profile in
            profile.types.flatMap { type in type.formats.map { ($0, profile) } }
        }
        return Dictionary(pairs) { first, _ in first }
    }()

    /// The profile whose coders read a format; nil if none does.
    package init?(_ format: ImageFormat) {
        guard let profile = Self.profiles[format] else { return nil }
        self = profile
    }

    /// The coders of a worker of this profile; the last one is asked first.
    var types: [any SandboxableCoder.Type] {
        switch self {
        case .basic:
            [
                ImageICOCoder.self, ImageBMPCoder.self, ImageWebPCoder.self, ImageGIFCoder.self, ImagePNGCoder.self,
                ImageJPEGCoder.self,
            ]
        case .further:
            [ImageTIFFCoder.self, ImageJPEG2000Coder.self, ImageJPEGXLCoder.self, ImageAVIFCoder.self]
        case .documents: [ImagePDFCoder.self, ImageRawCoder.self]
        case .threads: [ImageLottieCoder.self, ImageHEICCoder.self]
        case .video: [ImageVideoCoder.self]
        case .svg: [ImageSVGCoder.self]
        case .pages: []
        }
    }

    /// The coders of a picture of this profile and of those that it may contain.
    var nestedTypes: [any SandboxableCoder.Type] {
        // A drawing can contain pictures of every format of the web and of TIFF, but no documents.
        self == .svg ? [ImageHEICCoder.self] + Self.further.types + Self.basic.types + types : types
    }

    /// What the filter must allow in addition to decoding in memory.
    var features: UInt32 {
        switch self {
        case .basic, .further, .documents, .video, .pages: 0
        case .threads: UInt32(webimage_sandbox_threads)
        case .svg: UInt32(webimage_sandbox_threads) | UInt32(webimage_sandbox_fonts)
        }
    }
}

extension SandboxProfile {
    /// The name of each type of coder in the workers.
    private static let workerCoders: [ObjectIdentifier: WorkerCoder] = {
        let pairs = allCases.flatMap { profile in
            profile.types.enumerated().map { index, type in
                (ObjectIdentifier(type), WorkerCoder(profile: profile, index: index))
            }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    fileprivate static func workerCoder(of type: any SandboxableCoder.Type) -> WorkerCoder {
        workerCoders[ObjectIdentifier(type)]!
    }

    /// The type of a coder of this package; nil for any other coder. `enable()` asks for it: a cast would search all types
    /// of the program, and the first use of a dictionary all conformances.
    static func coderType(of coder: any ImageCoder) -> (any SandboxableCoder.Type)? {
        let wanted = ObjectIdentifier(type(of: coder))
        for profile in allCases {
            for type in profile.types where ObjectIdentifier(type) == wanted { return type }
        }
        return nil
    }
}

extension SandboxableCoder {
    static var workerCoder: WorkerCoder { SandboxProfile.workerCoder(of: Self.self) }
}

extension ImageICOCoder: SandboxableCoder { static var formats: [ImageFormat] { [.ico] } }
extension ImageBMPCoder: SandboxableCoder { static var formats: [ImageFormat] { [.bmp] } }
extension ImageWebPCoder: SandboxableCoder { static var formats: [ImageFormat] { [.webP] } }
extension ImageGIFCoder: SandboxableCoder { static var formats: [ImageFormat] { [.gif] } }
extension ImagePNGCoder: SandboxableCoder { static var formats: [ImageFormat] { [.png, .apng] } }
extension ImageJPEGCoder: SandboxableCoder { static var formats: [ImageFormat] { [.jpeg] } }
extension ImageTIFFCoder: SandboxableCoder { static var formats: [ImageFormat] { [.tiff] } }
extension ImageJPEGXLCoder: SandboxableCoder { static var formats: [ImageFormat] { [.jpegXL] } }
extension ImageAVIFCoder: SandboxableCoder { static var formats: [ImageFormat] { [.avif] } }
extension ImageHEICCoder: SandboxableCoder { static var formats: [ImageFormat] { [.heic, .heif] } }
extension ImageJPEG2000Coder: SandboxableCoder { static var formats: [ImageFormat] { [.jpeg2000] } }
extension ImageLottieCoder: SandboxableCoder { static var formats: [ImageFormat] { [.lottie] } }
extension ImagePDFCoder: SandboxableCoder { static var formats: [ImageFormat] { [.pdf] } }
extension ImageVideoCoder: SandboxableCoder { static var formats: [ImageFormat] { [.video] } }
extension ImageRawCoder: SandboxableCoder { static var formats: [ImageFormat] { [.raw] } }
extension ImageSVGCoder: SandboxableCoder {
    static var formats: [ImageFormat] { [.svg] }

    /// Compressed data is only unpacked in a worker, which refuses it if it is no drawing.
    static func recognises(_ data: Data) -> Bool {
        data.prefix(3).elementsEqual([0x1F, 0x8B, 0x08]) || ImageFormat(sniffing: data) == .svg
    }
}
