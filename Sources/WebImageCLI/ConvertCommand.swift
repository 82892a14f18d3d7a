import Foundation
import WebImage

/// `webimage convert`: converts one picture or animation into another file.
enum ConvertCommand {
    static let command = Command(
        options: [
            .value("size", letter: "s"), .value("format", letter: "f"), .value("quality", letter: "q"),
            .value("frame"), .value("color"), .value("metadata"),
        ] + TransformFlags.options + Option.limits + Option.requests
    ) { arguments throws(UsageError) in
        guard arguments.operands.count == 2 else { throw UsageError("convert requires IN and OUT") }
        let (input, output) = (arguments.operands[0], arguments.operands[1])
        let isRaw: Bool
        let format: ImageFormat?
        if arguments.string("format") == "rgba" {
            (isRaw, format) = (true, nil)
        } else if let given = try arguments.format() {
            (isRaw, format) = (false, given)
        } else if output == OutputFile.standardOutput {
            // Neither an output name nor --format selects a format, so the picture keeps its own format.
            (isRaw, format) = (false, nil)
        } else {
            let named = PathText.fileExtension(of: output).lowercased()
            (isRaw, format) = (named == "rgba", ImageFormat(fileExtension: named).container)
            guard isRaw || ImageCodersManager.shared.canEncode(to: format ?? .undefined) else {
                throw UsageError("'\(output)' has no extension of a writable format; see 'webimage formats'")
            }
        }
        let rendition = Rendition(
            size: try arguments.size(), quality: try arguments.quality(),
            frame: try arguments.integer("frame", atLeast: 0), color: try arguments.color(),
            limits: try arguments.limits(), transformers: try TransformFlags.transformers(arguments),
            keepsMetadata: try arguments.keepsMetadata())
        try Console.checkOutput(output)
        let requests = try RequestFlags(arguments)
        return {
            do throws(WebImageError) {
                let data = try await InputSource.data(input, limits: rendition.limits, requests: requests)
                let info = try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
                if isRaw {
                    let image = try rendition.still(data, info, format: nil)
                    guard !Task.isCancelled else { return .interrupted }
                    try OutputFile.writeRows(
                        of: try image.pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha), to: output)
                } else {
                    let made = try rendition.output(of: data, info, format: format)
                    guard !Task.isCancelled else { return .interrupted }
                    try OutputFile.write(made.data, to: output)
                }
                return .ok
            } catch {
                guard !Task.isCancelled else { return .interrupted }
                Console.report(input, error)
                return error.exitCode
            }
        }
    }
}

extension Arguments {
    /// Returns the value of `--metadata`: true for `keep`, false for `drop`.
    func keepsMetadata() throws(UsageError) -> Bool {
        switch string("metadata") {
        case nil, "drop": return false
        case "keep": return true
        case let text?: throw UsageError("--metadata requires keep or drop, not '\(text)'")
        }
    }
}

extension Console {
    /// Throws if the command would write binary data to a terminal.
    static func checkOutput(_ output: String?) throws(UsageError) {
        guard output == OutputFile.standardOutput, outputIsTerminal else { return }
        throw UsageError("standard output is a terminal; write to a file or into a pipe")
    }
}
