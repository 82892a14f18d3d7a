import Foundation
import WebImage

/// `webimage frames`: writes every frame as a full canvas of raw RGBA pixels with straight alpha.
enum FramesCommand {
    static let command = Command(
        options: [.value("color")] + Option.limits + Option.requests
    ) { arguments throws(UsageError) in
        guard arguments.operands.count == 2 else { throw UsageError("frames requires IN and DIR") }
        let (input, folder) = (arguments.operands[0], arguments.operands[1])
        let color = try arguments.color() ?? .asStored
        let limits = try arguments.limits()
        let requests = try RequestFlags(arguments)
        return {
            do throws(WebImageError) {
                try await write(input, into: folder, color: color, limits: limits, requests: requests)
                return .ok
            } catch {
                Console.report(input, error)
                return error.exitCode
            }
        }
    }

    private static func write(
        _ input: String, into folder: String, color: DecodingOptions.ColorConversion, limits: DecodingLimits,
        requests: RequestFlags
    ) async throws(WebImageError) {
        let data = try await InputSource.data(input, limits: limits, requests: requests)
        let info = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
        var options = DecodingOptions()
        options.limits = limits
        options.pixelFormat = .rgba8
        options.colorConversion = color
        let animation = try ImageCodersManager.shared.animation(of: data, options: options)
        let count = animation?.animatedImageFrameCount ?? 1
        try OutputFile.makeFolder(folder)
        var size = info.pixelSize
        for index in 0..<count {
            guard !Task.isCancelled else { throw .cancelled }
            let image: Image
            if let animation {
                image = try animation.frameWithReason(at: index)
            } else {
                image = try ImageCodersManager.shared.decode(data, options: options)
            }
            size = image.pixelSize
            try OutputFile.writeRows(of: image.pixels, to: folder + "/frame-\(String(plainFormat: "%04d", index)).rgba")
        }
        var object = JSONLine()
        object.add("width", .integer(size.width))
        object.add("height", .integer(size.height))
        object.add("loopCount", .init(info.loopCount))
        object.add("delaysMs", .numbers(Array(info.delaysMilliseconds.prefix(count))))
        try OutputFile.write(Data((object.text + "\n").utf8), to: folder + "/frames.json")
    }
}
