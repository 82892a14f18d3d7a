import Foundation
import WebImage
import WebImageCommandLine

/// `webimage frames`: writes every frame as a full canvas of raw RGBA pixels with straight alpha.
enum FramesCommand {
    static let text = CommandText(
        name: "frames", head: "frames IN DIR",
        summary: "write every frame as raw RGBA",
        usage: ["webimage frames [OPTIONS] IN DIR"],
        parts: [
            .text(
                """
                Writes frame-0000.rgba ... (straight RGBA, 8 bits each, whole canvas) and frames.json into DIR. Delays and loop
                counts are reported as stored. '-' is standard input.
                """),
            .options([
                .value("color", "srgb|as-is", "convert colours to sRGB, or keep the stored values (default as-is)"),
                .flag("overwrite", "replace the frames of another picture in DIR; otherwise they are an error"),
            ]),
            .options(CommandOption.decoding), .requests, .options(CommandOption.requests),
            .examples([
                "webimage frames animation.gif frames"
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        guard arguments.operands.count == 2 else { throw UsageError("frames requires IN and DIR") }
        let (input, folder) = (arguments.operands[0], arguments.operands[1])
        let color = try arguments.color() ?? .asStored
        let limits = try arguments.limits()
        let requests = try RequestFlags(arguments)
        let replaces = arguments.has("overwrite")
        return {
            do throws(WebImageError) {
                let job = FramesJob(
                    folder: folder, color: color, limits: limits, requests: requests, replaces: replaces)
                try await job.write(input)
                return .ok
            } catch {
                Console.report(input, error)
                return error.exitCode
            }
        }
    }

}

/// One run of `webimage frames`, with its options.
private struct FramesJob: Sendable {
    let folder: String
    let color: DecodingOptions.ColorConversion
    let limits: DecodingLimits
    let requests: RequestFlags
    let replaces: Bool

    func write(_ input: String) async throws(WebImageError) {
        // Check before the decode. A folder with this file contains the frames of another picture.
        let list = folder + "/frames.json"
        if !replaces, PathCalls.exists(list) { throw OutputFile.exists(list, canSkip: false) }
        let data = try await InputSource.data(input, limits: limits, requests: requests)
        let info = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
        var options = DecodingOptions()
        options.limits = limits
        options.pixelFormat = .rgba8
        options.colorConversion = color
        let animation = try ImageCodersManager.shared.animation(of: data, options: options)
        let count = animation?.animatedImageFrameCount ?? 1
        try OutputFile.makeFolder(folder)
        var sizes: [PixelSize] = []
        for index in 0..<count {
            guard !Task.isCancelled else { throw .cancelled }
            let image: Image
            if let animation {
                image = try animation.frameWithReason(at: index)
            } else {
                image = try ImageCodersManager.shared.decode(data, options: options)
            }
            sizes.append(image.pixelSize)
            try OutputFile.writeRows(
                of: image.pixels, to: folder + "/frame-\(String(plainFormat: "%04d", index)).rgba",
                replaces: true)
        }
        var object = JSONLine()
        let size = sizes.first ?? info.pixelSize
        object.add("width", .integer(size.width))
        object.add("height", .integer(size.height))
        if info.format.framesArePages {
            object.add("widths", .numbers(sizes.map { Double($0.width) }))
            object.add("heights", .numbers(sizes.map { Double($0.height) }))
        }
        object.add("loopCount", .init(info.loopCount))
        object.add("delaysMs", .numbers(Array(info.delaysMilliseconds.prefix(count))))
        try OutputFile.write(Data((object.text + "\n").utf8), to: list)
    }
}
