import Foundation
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageHEIF
import WebImageJPEG2000
import WebImageJXL
import WebImageLinkPreview
import WebImageLottie
import WebImagePDF
import WebImageRaw
import WebImageSVG
import WebImageSandbox
import WebImageServer
import WebImageService
import WebImageTIFF
import WebImageVideo

// libFuzzer's driver calls `Target.run` once per input. The driver parses all command-line arguments itself, so an
// argument cannot name the target. Therefore the environment variable `WEBIMAGE_FUZZ` names the target.

/// An entry point of the library that receives untrusted bytes.
private enum Target: String {
    case info, jpeg, thumbnail, png, gif, webp, bmp, ico, avif, heif, heifcopy, jxl, svg, tiff, jp2, raw, pdf, lottie,
        video,
        frames, metadata,
        streaming,
        targets, addresses, http, worker, css, gainmap, page, writepng, writejpeg

    func run(_ data: Data) {
        switch self {
        case .info: _ = try? ImageCodersManager.shared.imageInfo(of: data, limits: limits)
        case .jpeg: decode(data, .jpeg)
        case .thumbnail: compareThumbnails(of: data)
        case .png: decode(data, .png)
        case .gif: decode(data, .gif)
        case .webp: decode(data, .webP)
        case .bmp: decode(data, .bmp)
        case .ico: decode(data, .ico)
        case .avif: decode(data, by: ImageAVIFCoder.shared)
        case .heif: decode(data, by: ImageHEICCoder.shared)
        case .heifcopy:
            // The copy has the same items, and libheif accepts its references.
            guard let copy = try? ImageHEICCoder.acceptedCopy(of: data) else { return }
            precondition((try? ImageHEICCoder.acceptedCopy(of: copy)) == .some(nil))
        case .jxl: decode(data, by: ImageJPEGXLCoder.shared)
        case .svg: decode(data, by: ImageSVGCoder.shared)
        case .tiff: decode(data, by: ImageTIFFCoder.shared)
        case .jp2: decode(data, by: ImageJPEG2000Coder.shared)
        case .lottie: decode(data, by: ImageLottieCoder.shared)
        case .pdf: decode(data, by: ImagePDFCoder.shared)
        case .video: decode(data, by: ImageVideoCoder.shared)
        case .raw: decode(data, by: ImageRawCoder.shared)
        case .frames: frames(data)
        case .metadata: _ = try? ImageCodersManager.shared.imageProperties(of: data, limits: limits)
        case .streaming: stream(data)
        case .worker: SandboxFuzzing.read(data)
        case .page:
            do throws(WebImageError) {
                // The first use makes the reader of pages that of workers.
                try LinkPreviewFuzzing.read(data, inWorker: WorkerFuzzing.isEnabled)
            } catch {
                WorkerFuzzing.check(error)
            }
        case .http: HTTPFuzzing.read(data)
        case .addresses: AddressFuzzing.read(String(decoding: data, as: UTF8.self))
        case .css: CSSFuzzing.read(String(decoding: data, as: UTF8.self))
        case .gainmap: readGainMap(data)
        case .writepng: WriterFuzzing.writePNG(data)
        case .writejpeg: WriterFuzzing.writeJPEG(data)
        case .targets: TargetFuzzing.read(String(decoding: data, as: UTF8.self))
        }
    }

    private var limits: DecodingLimits {
        DecodingLimits(
            maxEncodedBytes: 1 << 20, maxPixels: 1 << 20, maxAnimationPixels: 1 << 22, maxDecodeTime: .seconds(2))
    }

    private func decode(_ data: Data, _ format: ImageFormat) {
        guard ImageFormat(sniffing: data).container == format else { return }
        decode(data, by: ImageCodersManager.shared)
    }

    private func decode(_ data: Data, by coder: any ImageCoder) {
        guard coder.canDecode(from: data) else { return }
        let coder = WorkerFuzzing.coder(for: coder)
        var options = DecodingOptions()
        options.limits = limits
        // The last byte selects the thumbnail size and the pixel format, so that inputs reach different code.
        if let choice = data.last {
            if choice & 1 == 1 { options.thumbnailPixelSize = PixelSize(width: 16, height: 16) }
            options.pixelFormat = PixelFormat.allCases[Int(choice >> 1) % PixelFormat.allCases.count]
        }
        do throws(WebImageError) {
            _ = try coder.decode(data, options: options)
        } catch {
            WorkerFuzzing.check(error)
        }
    }

    /// Reads both forms of a gain map's metadata, and decodes a picture with its map. Metadata that is accepted is usable.
    private func readGainMap(_ data: Data) {
        for metadata in [try? GainMapMetadata(iso: data), try? GainMapMetadata(xmp: data)].compactMap({ $0 }) {
            precondition(metadata.isUsable && (try? GainMapMetadata(iso: metadata.isoPayload)) != nil)
        }
        _ = EmbeddedMetadata(xmp: data).xmpWithOrientation
        let coders: [any GainMapReading] = [
            ImageJPEGCoder.shared, ImageAVIFCoder.shared, ImageHEICCoder.shared, ImageJPEGXLCoder.shared,
        ]
        guard let coder = coders.first(where: { $0.canDecode(from: data) }) else { return }
        var options = DecodingOptions()
        options.limits = limits
        for range in [DecodingOptions.DynamicRange.keep, .high(headroom: 4), .standard] {
            options.dynamicRange = range
            let image = try? coder.decode(data, options: options)
            if let map = image?.hdr?.gainMap { precondition(map.metadata.isUsable && map.pixels?.size == map.size) }
        }
        _ = try? coder.gainMap(of: data, options: options)
    }

    /// Decodes a JPEG at 1/8 with the loop for thumbnails and with libjpeg-turbo. Ends the process if the results differ.
    /// Decodes it to planes as well, whose pixels are others: there, both decoders must accept or refuse the file.
    /// The last byte selects the pixel format and the size of the loop's windows.
    private func compareThumbnails(of data: Data) {
        var limits = limits
        limits.maxPixels = 1 << 18
        // One decoder must not exceed the limit when the other one does not.
        limits.maxDecodeTime = .seconds(60)
        guard
            ImageFormat(sniffing: data) == .jpeg, let choice = data.last,
            let info = try? ImageJPEGCoder.shared.imageInfo(of: data, limits: limits)
        else { return }
        var options = DecodingOptions()
        options.limits = limits
        options.pixelFormat = PixelFormat.allCases[Int(choice) % PixelFormat.allCases.count]
        options.thumbnailPixelSize = PixelSize(
            width: max(info.pixelSize.width / 8, 1), height: max(info.pixelSize.height / 8, 1))
        func image(_ use: JPEGThumbnailLoop.Use, allowsPlanes: Bool) -> Image? {
            JPEGThumbnailLoop.$use.withValue(use) {
                JPEGThumbnailLoop.$allowsPlanes.withValue(allowsPlanes) {
                    try? ImageJPEGCoder.shared.decode(data, options: options)
                }
            }
        }
        func pixels(_ use: JPEGThumbnailLoop.Use) -> Data? {
            image(use, allowsPlanes: false).map { image in
                return image.pixels.withUnsafeBytes { bytes in
                    let rowBytes = image.pixels.width * image.pixels.format.bytesPerPixel
                    return (0..<image.pixels.height).reduce(into: Data()) { rows, y in
                        let start = y * image.pixels.bytesPerRow
                        rows += bytes[start..<start + rowBytes]
                    }
                }
            }
        }
        let window = choice & 128 == 0 ? 0 : 4096 + Int(choice) * 8
        precondition(pixels(.always(windowBytes: window)) == pixels(.never), "the thumbnails differ")
        options.thumbnailPixelSize = PixelSize(
            width: max(info.pixelSize.width / (3 + Int(choice % 7)), 1), height: info.pixelSize.height)
        let planes = image(.always(windowBytes: window), allowsPlanes: true)
        let other = image(.never, allowsPlanes: true)
        precondition(planes?.pixelSize == other?.pixelSize, "only one decoder accepts the file")
    }

    /// Decodes up to eight frames of an animation, then decodes the first frame again.
    private func frames(_ data: Data) {
        var options = DecodingOptions()
        options.limits = limits
        guard let animation = try? ImageCodersManager.shared.animation(of: data, options: options) else { return }
        for index in 0..<min(animation.animatedImageFrameCount, 8) { _ = animation.animatedImageFrame(at: index) }
        _ = animation.animatedImageFrame(at: 0)
    }

    /// Appends the bytes in pieces. Decodes the partial image after each piece that changed this image. The last byte
    /// of the data influences the size of the pieces.
    private func stream(_ data: Data) {
        var options = DecodingOptions()
        options.limits = limits
        guard
            let coder = ImageCodersManager.shared.makeIncrementalCoder(for: data, options: options)
                as? any StreamingImageCoder
        else { return }
        let step = max(1, data.count / 8, Int(data.last ?? 1))
        var revision = 0
        for start in stride(from: 0, to: data.count, by: step) {
            let piece = data.dropFirst(start).prefix(step)
            guard (try? coder.append(piece, finished: start + step >= data.count)) != nil else { break }
            guard coder.incrementalRevision > revision else { continue }
            revision = coder.incrementalRevision
            _ = coder.incrementalImage(options: nil)
        }
        _ = coder.incrementalImage(options: nil)
    }
}

private let target = Target(rawValue: ProcessInfo.processInfo.environment["WEBIMAGE_FUZZ"] ?? "") ?? .info

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The entry point of the process.
@_cdecl("webimage_fuzz_main")
public func fuzzMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { bytes, count in
        target.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
        return 0
    }
}
