import Foundation
import WebImage
import WebImageCommandLine
import WebImageCore

/// `webimage info`: prints the properties that the headers of pictures declare, one line per picture.
enum InfoCommand {
    static let text = CommandText(
        name: "info", head: "info PATH|URL...",
        summary: "print facts about pictures from their headers",
        usage: ["webimage info [OPTIONS] PATH|URL..."],
        parts: [
            .text(
                """
                Prints facts from each picture's header without decoding pixels. One JSON object per line, or aligned words on a
                terminal. Delays and loop counts are reported as stored. '-' is standard input.
                """),
            .options(
                [
                    .flag("json", "JSON on a terminal as well")
                ]
                    + CommandOption.lists),
            .names,
            .options(CommandOption.decoding), .requests, .options(CommandOption.requests),
            .examples([
                "webimage info photo.jpg",
                "webimage info --json --recursive photos | jq -r .path",
                "curl -s https://example.org/a.jpg | webimage info -",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        let json = arguments.has("json") || !Console.outputIsTerminal
        let limits = try arguments.limits()
        let requests = try RequestFlags(arguments)
        let operands = try Operands.read(arguments, of: "info")
        return {
            var worst = ExitCode.ok
            for operand in operands {
                if Task.isCancelled { return .interrupted }
                worst = max(worst, await describe(operand.text, limits: limits, requests: requests, json: json))
            }
            return worst
        }
    }

    private static func describe(
        _ operand: String, limits: DecodingLimits, requests: RequestFlags, json: Bool
    ) async -> ExitCode {
        do throws(WebImageError) {
            let data = try await InputSource.data(
                operand, limits: limits, requests: requests, for: .facts)
            let info = try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
            try limits.checkPixels(info.storedSize)
            let count = VideoParts.fileByteCount(of: data)
            Console.line(json ? line(operand, info, byteCount: count) : words(operand, info, byteCount: count))
            return .ok
        } catch {
            if json { Console.line(error.json("path", operand)) }
            Console.report(operand, error)
            return error.exitCode
        }
    }

    private static func line(_ operand: String, _ info: ImageInfo, byteCount: Int) -> String {
        var object = JSONLine()
        object.add("path", ofWord: operand)
        object.add("format", .init(info.format.name))
        object.add("width", .integer(info.pixelSize.width))
        object.add("height", .integer(info.pixelSize.height))
        object.add("orientation", .integer(info.orientation.rawValue))
        object.add("frames", .integer(info.frameCount))
        object.add("loopCount", .init(info.loopCount))
        object.add("delaysMs", .numbers(info.delaysMilliseconds))
        if let duration = info.mediaDuration { object.add("durationSeconds", .number(duration)) }
        object.add("hasAlpha", .bool(info.hasAlpha))
        object.add("isGray", .bool(info.isGray))
        object.add("bitDepth", .integer(info.bitDepth))
        object.add("hasICCProfile", .bool(info.hasICCProfile))
        object.add("bytes", .integer(byteCount))
        if let hdr = info.hdr { add(hdr, to: &object) }
        return object.text
    }

    private static func kind(of hdr: HDRDescription) -> String {
        hdr.gainMap != nil ? "gain-map" : hdr.transfer == .perceptualQuantizer ? "pq" : "hlg"
    }

    private static func add(_ hdr: HDRDescription, to object: inout JSONLine) {
        object.add("hdr", .string(kind(of: hdr)))
        if let headroom = hdr.headroom { object.add("headroom", .number(headroom)) }
        if let map = hdr.gainMap {
            object.add("gainMapWidth", .integer(map.size.width))
            object.add("gainMapHeight", .integer(map.size.height))
            object.add("gainMapChannels", .integer(map.channelCount))
            object.add("baseIsHDR", .bool(map.metadata.isBaseHDR))
        }
        if let light = hdr.contentLight {
            object.add("maxCLL", .integer(light.maximum))
            object.add("maxFALL", .integer(light.average))
        }
    }

    private static func words(of hdr: HDRDescription) -> String {
        var text = kind(of: hdr)
        if let map = hdr.gainMap { text += " \(map.size)" }
        if let headroom = hdr.headroom { text += " headroom \(String(plainFormat: "%.2f", headroom))" }
        if let light = hdr.contentLight { text += " \(light.maximum) nits" }
        return text
    }

    private static func words(_ operand: String, _ info: ImageInfo, byteCount: Int) -> String {
        var words = [
            "\(info.format)".padded(to: 5), "\(info.pixelSize)".padded(to: 11), "\(byteCount) B".padded(to: 12),
            "\(info.bitDepth) bit", info.isGray ? "grey" : "colour",
        ]
        if info.hasAlpha { words.append("alpha") }
        if info.hasICCProfile { words.append("profile") }
        if info.orientation != .up { words.append("orientation \(info.orientation.rawValue)") }
        if let hdr = info.hdr { words.append(self.words(of: hdr)) }
        if let duration = info.mediaDuration { words.append("\(String(plainFormat: "%.2f", duration)) s") }
        if info.format == .video {
            // The frames are previews of the video, not its own.
        } else if info.frameCount > 1, info.format.framesArePages {
            words.append("\(info.frameCount) pages")
        } else if info.frameCount > 1 {
            let loops = info.loopCount == 0 ? "for ever" : "\(info.loopCount ?? 1)x"
            words.append("\(info.frameCount) frames \(loops)")
        }
        return words.joined(separator: " ") + "  " + RawText.shown(operand)
    }
}
