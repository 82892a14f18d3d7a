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
                counts are reported as stored. '-' is standard input. Of a video, these are previews: its poster and frames at
                equal distances.
                """),
            .options([
                .value("color", "srgb|as-is", "convert colours to sRGB, or keep the stored values (default as-is)"),
                .value("page", "N", "only this page of a document (PDF, TIFF), or this frame; counted from 0"),
                .value("previews", "N", "of a video: so many previews, 1 to 1000 (default 10)"),
                .flag("overwrite", "replace the frames of another picture in DIR; otherwise they are an error"),
            ]),
            .options(CommandOption.decoding), .requests, .options(CommandOption.requests),
            .examples([
                "webimage frames animation.gif frames",
                "webimage frames --page 2 document.pdf page",
                "webimage frames --previews 25 video.mp4 previews",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        guard arguments.operands.count == 2 else { throw UsageError("frames requires IN and DIR") }
        let (input, folder) = (arguments.operands[0], arguments.operands[1])
        let color = try arguments.color() ?? .asStored
        let limits = try arguments.limits()
        let requests = try RequestFlags(arguments)
        let replaces = arguments.has("overwrite")
        let page = try arguments.integer("page", atLeast: 0)
        let previews = try arguments.integer("previews", atLeast: 1)
        guard (previews ?? 1) <= VideoOptions.mostPreviews else {
            throw UsageError("--previews requires 1 to \(VideoOptions.mostPreviews)")
        }
        return {
            do throws(WebImageError) {
                let job = FramesJob(
                    folder: folder, color: color, limits: limits, requests: requests, page: page, previews: previews,
                    replaces: replaces)
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
    /// The only frame to write. Nil means all.
    let page: Int?
    /// The number of previews of a video. Nil means the default.
    let previews: Int?
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
        if let previews {
            guard info.format == .video else {
                throw .badData("frames", "this is no video", hint: "--previews is for videos; leave it out.")
            }
            options.video.previewFrameCount = previews
        }
        let animation = try ImageCodersManager.shared.animation(of: data, options: options)
        let count = animation?.animatedImageFrameCount ?? 1
        guard (page ?? 0) < count else {
            throw .badData("frames", "there is no page \(page ?? 0)", hint: "The picture has \(count).")
        }
        try OutputFile.makeFolder(folder)
        var sizes: [PixelSize] = []
        for index in page.map({ $0...$0 }) ?? 0...(count - 1) {
            guard !Task.isCancelled else { throw .cancelled }
            let image: Image
            if let animation {
                image = try animation.frame(at: index)
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
        // The information counts the previews of the default number.
        let delays =
            previews == nil
            ? Array(info.delaysMilliseconds.prefix(count))
            : (0..<count).map { (animation?.animatedImageDuration(at: $0) ?? 0) * 1000 }
        if let page { object.add("page", .integer(page)) }
        object.add("delaysMs", .numbers(page.map { Array(delays.dropFirst($0).prefix(1)) } ?? delays))
        try OutputFile.write(Data((object.text + "\n").utf8), to: list)
    }
}
