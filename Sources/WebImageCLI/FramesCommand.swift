import Foundation
import WebImage

/// `webimage frames`: every frame, full canvas, as raw straight RGBA.
enum FramesCommand {
    static let command = Command(options: [.value("color")] + Option.limits) { arguments throws(UsageError) in
        guard arguments.operands.count == 2 else { throw UsageError("frames wants IN and DIR") }
        let (input, folder) = (arguments.operands[0], arguments.operands[1])
        let color = try arguments.color() ?? .asStored
        let limits = try arguments.limits()
        return {
            do throws(WebImageError) {
                try await write(input, into: folder, color: color, limits: limits)
                return .ok
            } catch {
                Console.error("\(input): \(error.withoutURL)")
                return error.exitCode
            }
        }
    }

    private static func write(
        _ input: String, into folder: String, color: DecodingOptions.ColorConversion, limits: DecodingLimits
    ) async throws(WebImageError) {
        let data = try await InputSource.data(input, limits: limits)
        let info = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
        var options = DecodingOptions()
        options.limits = limits
        options.firstFrameOnly = true
        options.pixelFormat = .rgba8
        options.colorConversion = color
        let image = try ImageCodersManager.shared.decode(data, options: options)
        try OutputFile.makeFolder(folder)
        try OutputFile.writeRows(of: image.pixels, to: folder + "/frame-0000.rgba")
        var object = JSONLine()
        object.add("width", .integer(image.pixelSize.width))
        object.add("height", .integer(image.pixelSize.height))
        object.add("loopCount", .init(info.loopCount))
        object.add("delaysMs", .numbers(info.delaysMilliseconds))
        try OutputFile.write(Data((object.text + "\n").utf8), to: folder + "/frames.json")
        if info.frameCount > 1 {
            Console.error("\(input): has \(info.frameCount) frames; only the first can be written so far")
        }
    }
}
