import Foundation
import WebImage

/// `webimage convert`: one picture or animation into another file.
enum ConvertCommand {
    static let command = Command(
        options: [.value("size"), .value("quality"), .value("frame"), .value("color")] + TransformFlags.options
            + Option.limits
    ) { arguments throws(UsageError) in
        guard arguments.operands.count == 2 else { throw UsageError("convert wants IN and OUT") }
        let job = ConvertJob(
            input: arguments.operands[0], output: arguments.operands[1], size: try arguments.size("size"),
            quality: try arguments.integer("quality", atLeast: 0),
            frame: try arguments.integer("frame", atLeast: 0),
            color: try arguments.color(), limits: try arguments.limits(),
            transformers: try TransformFlags.transformers(arguments))
        guard (job.quality ?? 0) <= 100 else { throw UsageError("--quality wants 0 to 100") }
        guard job.writesRawRows || ImageCodersManager.shared.canEncode(to: job.format) else {
            throw UsageError("'\(job.output)' ends in no format that can be written; see 'webimage formats'")
        }
        return { await job.run() }
    }
}

private struct ConvertJob: Sendable {
    let input: String
    let output: String
    let size: PixelSize?
    let quality: Int?
    let frame: Int?
    let color: DecodingOptions.ColorConversion?
    let limits: DecodingLimits
    let transformers: [any ImageTransformer]

    private var fileExtension: String { (output as NSString).pathExtension.lowercased() }
    var writesRawRows: Bool { fileExtension == "rgba" }
    var format: ImageFormat { ImageFormat(fileExtension: fileExtension).container }

    func run() async -> ExitCode {
        do throws(WebImageError) {
            let data = try await InputSource.data(input, limits: limits)
            let info = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
            guard (frame ?? 0) < info.frameCount else {
                throw .badData(
                    "convert", "there is no frame \(frame ?? 0)", hint: "The picture has \(info.frameCount).")
            }
            if info.frameCount > 1, frame == nil, ImageCodersManager.shared.canEncodeFrames(to: format) {
                try writeAnimation(data, info)
                return .ok
            }
            let image = try transformed(try picture(data, info))
            guard !Task.isCancelled else { return .interrupted }
            if writesRawRows {
                try OutputFile.writeRows(
                    of: try image.pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha), to: output)
            } else {
                try OutputFile.write(
                    try ImageCodersManager.shared.encode(image, format: format, options: encoding(data, info)),
                    to: output)
            }
            return .ok
        } catch {
            guard !Task.isCancelled else { return .interrupted }
            Console.error("\(input): \(error.withoutURL)")
            return error.exitCode
        }
    }

    /// The picture through what the command line asks for, in its order.
    private func transformed(_ image: Image) throws(WebImageError) -> Image {
        guard !transformers.isEmpty else { return image }
        let pipeline = ImagePipelineTransformer(transformers: transformers)
        guard let result = pipeline.transformedImage(with: image, forKey: input) else {
            throw WebImageError(
                .badImageData, stage: .transform,
                underlying: .message("nothing is left of the picture, or it would be too large"),
                hint: "The picture has \(image.pixelSize.width)x\(image.pixelSize.height) px before the first step.")
        }
        return result
    }

    private func picture(_ data: Data, _ info: ImageInfo) throws(WebImageError) -> Image {
        let manager = ImageCodersManager.shared
        guard let frame, frame > 0, let animation = try manager.animation(of: data, options: decoding(data, info))
        else { return try manager.decode(data, options: decoding(data, info, firstFrameOnly: true)) }
        return try animation.frameWithReason(at: frame)
    }

    /// All frames, one in memory at a time; delays as the file stores them, not as they are played.
    private func writeAnimation(_ data: Data, _ info: ImageInfo) throws(WebImageError) {
        let manager = ImageCodersManager.shared
        guard let animation = try manager.animation(of: data, options: decoding(data, info)) else {
            throw .badData("convert", "the coder of \(info.format) gives no frames", hint: "Use --frame 0.")
        }
        let delays = info.delaysMilliseconds
        let file = try manager.encode(
            frameCount: animation.animatedImageFrameCount, loopCount: animation.animatedImageLoopCount,
            format: format, options: encoding(data, info)
        ) { index throws(WebImageError) in
            guard !Task.isCancelled else { throw .cancelled }
            return ImageFrame(
                image: try transformed(try animation.frameWithReason(at: index)),
                duration: index < delays.count ? delays[index] / 1000 : animation.animatedImageDuration(at: index))
        }
        try OutputFile.write(file, to: output)
    }

    private func keepsEveryBit(_ info: ImageInfo) -> Bool {
        let target = format.container == .png || (format == .webP && quality == nil)
        return target && info.isLossless
    }

    private func decoding(_ data: Data, _ info: ImageInfo, firstFrameOnly: Bool = false) -> DecodingOptions {
        var options = DecodingOptions()
        options.limits = limits
        options.firstFrameOnly = firstFrameOnly
        options.thumbnailPixelSize = size
        // Straight: multiplying by alpha and dividing again would lose what is under transparency.
        options.pixelFormat = info.bitDepth == 16 && format.container == .png ? .rgba16 : .rgba8
        let keepsColors = writesRawRows || keepsEveryBit(info)
        options.colorConversion = color ?? (keepsColors ? .asStored : .sRGB)
        return options
    }

    private func encoding(_ data: Data, _ info: ImageInfo) -> EncodingOptions {
        var options = EncodingOptions()
        options.quality = Double(quality ?? 85) / 100
        options.lossless = keepsEveryBit(info)
        return options
    }
}
