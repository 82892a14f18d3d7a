import Foundation
import WebImage
import WebImageCommandLine

/// `webimage convert`: converts a picture or an animation into another file, or several into a folder.
enum ConvertCommand {
    static let text = CommandText(
        name: "convert", head: "convert IN... OUT",
        summary: "write pictures in another format or size",
        usage: ["webimage convert [OPTIONS] IN OUT", "webimage convert [OPTIONS] IN... FOLDER/"],
        parts: [
            .text(
                """
                Into a folder, each picture keeps its name and its format, or gets the format of --format. For lists and whole
                folders use 'webimage load --out'. OUT's extension decides the format: jpg, png, gif, webp, avif, heic, jxl,
                tiff, bmp, ico ('webimage formats' lists those that this build writes), or rgba for raw rows of straight RGBA, 8
                bits each. '-' is standard input or output. Prints a line for each written file.
                An animation stays one in png, gif, webp, avif and jxl, pages in tiff; other formats get its first frame.
                Of a video, an animation gets ten previews, and other formats the first frame that is not black.
                A jpg becomes a jxl with the same bytes inside, metadata too, and such a jxl the same jpg again, unless an
                option asks for other pixels, a quality or --metadata drop.
                A lossless file converts to PNG, TIFF and WebP without loss, its colours described by a profile; 16 bits only
                to PNG and TIFF.
                """),
            .options(
                [
                    .size
                ]
                    + CommandOption.existing
                    + [
                        .value(
                            "format", letter: "f", "FORMAT",
                            """
                            the format, overriding OUT's extension (default for standard output and folders: the
                            picture's own), one of {jpg, png, gif, webp, avif, heic, jxl, tiff, bmp, ico or
                            rgba}
                            """),
                        .value(
                            "quality", letter: "q", "Q", "0 to 100, for lossy formats (default 85); asks for lossy WebP"
                        ),
                        .qualityTarget,
                        .value("effort", "N", "1 to 9: the time for a small PNG (default 5)"),
                        .value("frame", "N", "only this frame, counted from 0"),
                        .value("time", "SECONDS", "of a video: only the frame at this time"),
                        .value(
                            "color", "srgb|as-is",
                            """
                            convert colours to sRGB, or keep the stored values with their profile
                            (default: as-is for rgba and lossless to lossless, else srgb); gif and bmp
                            hold no profile and are always sRGB
                            """),
                        .value("metadata", "keep|drop", "EXIF, XMP and pixels/inch (default drop)"),
                        .range,
                        .quiet,
                    ]),
            .text("Steps, applied to every frame in the order given; a step may be repeated; lengths in pixels:"),
            .options(TransformFlags.options),
            .text(
                """
                A word is a URL if it begins with SCHEME://, data: or file:/, otherwise the path of a file. Write -- before names
                that begin with -. Names with quotes or control characters are printed as $'...'.
                """),
            .options(CommandOption.decoding), .requests, .options(CommandOption.requests),
            .examples([
                "webimage convert photo.png photo.webp",
                "webimage convert --format webp --quality 80 *.jpg small/",
                "webimage convert --size 50% --overwrite photo.jpg photo.jpg",
                "webimage convert --crop 400x300+10+20 --filter sepia=0.8 in.jpg out.png",
                "webimage convert --format png - - < photo.webp > photo.png",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        guard arguments.operands.count >= 2, let output = arguments.operands.last else {
            throw UsageError("convert requires IN and OUT")
        }
        let inputs = arguments.operands.dropLast().map { Operand(text: $0) }
        let isRaw: Bool
        let format: ImageFormat?
        if arguments.string("format") == "rgba" {
            (isRaw, format) = (true, nil)
        } else {
            (isRaw, format) = (false, try arguments.format())
        }
        let rendition = Rendition(
            size: try arguments.size(), quality: try arguments.quality(), aim: try arguments.qualityAim(),
            effort: try arguments.effort(),
            frame: try arguments.integer("frame", atLeast: 0), time: try arguments.time(), color: try arguments.color(),
            range: try arguments.range(),
            limits: try arguments.limits(), transformers: try TransformFlags.transformers(arguments),
            keepsMetadata: try arguments.keepsMetadata(), dropsMetadata: arguments.string("metadata") == "drop")
        try Console.checkOutput(output)
        var job = ConvertJob(
            rendition: rendition, requests: try RequestFlags(arguments), format: format, isRaw: isRaw,
            existing: try OutputNames.existing(arguments), isQuiet: arguments.has("quiet"))
        if output.hasSuffix("/") || PathCalls.isFolder(output) {
            guard !isRaw else { throw UsageError("--format rgba requires one IN and the name of a file") }
            guard inputs.filter(\.isStandardInput).count <= 1 else {
                throw UsageError("standard input can be read only once")
            }
            let folder = output.hasSuffix("/") ? output : output + "/"
            // With --format, the output has the extension of the format instead of the picture's own extension.
            let template = folder.replacingOccurrences(of: "%", with: "%%") + "%s."
            let plan = try OutputNames(
                out: template + (arguments.string("format")?.lowercased() ?? "%e"), inputs, job.existing)
            let batch = job
            return { await batch.run(inputs, plan) }
        }
        guard inputs.count == 1 else {
            throw UsageError(
                "convert writes several pictures into a folder; end its name with '/', as in 'convert *.png small/'")
        }
        if !isRaw, format == nil, output != OutputFile.standardOutput {
            let named = PathText.fileExtension(of: output).lowercased()
            job.isRaw = named == "rgba"
            job.format = job.isRaw ? nil : ImageFormat(fileExtension: named).container
            guard job.isRaw || ImageCodersManager.shared.canEncode(to: job.format ?? .undefined) else {
                throw UsageError(
                    "\(RawText.shown(output)) has no extension of a writable format; see 'webimage formats'")
            }
        }
        let single = job
        return { await single.run(inputs[0].text, to: output) }
    }
}

/// One run of `webimage convert`, with its options.
private struct ConvertJob: Sendable {
    let rendition: Rendition
    let requests: RequestFlags
    /// The output format. Nil keeps the picture's own format.
    var format: ImageFormat?
    /// Whether the output is raw rows of pixels.
    var isRaw: Bool
    let existing: OutputNames.Existing
    let isQuiet: Bool

    /// Converts one picture into the file `output`, or into standard output.
    func run(_ input: String, to output: String) async -> ExitCode {
        do throws(WebImageError) {
            if existing != .replaced, output != OutputFile.standardOutput, PathCalls.exists(output) {
                guard existing == .kept else { throw OutputFile.exists(output) }
                say("skipped     \(RawText.shown(input)) -> \(RawText.shown(output))", output)
                return .ok
            }
            let data = try await InputSource.data(
                input, limits: rendition.limits, requests: requests, for: rendition.demand(as: format))
            if isRaw {
                let image = try await DecodePool.shared.run { () throws(WebImageError) in
                    let info = try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
                    return try rendition.still(data, info, format: nil)
                }
                guard !Task.isCancelled else { return .interrupted }
                let pixels = try image.pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha)
                try OutputFile.writeRows(of: pixels, to: output, replaces: existing == .replaced)
                let byteCount = pixels.width * pixels.height * pixels.format.bytesPerPixel
                say(Self.line(of: input, to: output, image.pixelSize, byteCount: byteCount), output)
            } else {
                let made = try await DecodePool.shared.run { () throws(WebImageError) in
                    let info = try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
                    return try rendition.output(of: data, info, format: format)
                }
                guard !Task.isCancelled else { return .interrupted }
                try OutputFile.write(made.data, to: output, replaces: existing == .replaced)
                say(Self.line(of: input, to: output, made.pixelSize, byteCount: made.data.count), output)
            }
            return .ok
        } catch {
            guard !Task.isCancelled else { return .interrupted }
            Console.report(input, error)
            return error.exitCode
        }
    }

    /// Prints a line about one picture, unless the picture itself is on standard output.
    private func say(_ line: String, _ output: String) {
        if !isQuiet, output != OutputFile.standardOutput { Console.line(line) }
    }

    /// Returns the line that reports a written picture.
    private static func line(of input: String, to path: String, _ size: PixelSize, byteCount: Int) -> String {
        "\(size)".padded(to: 11) + " \(RawText.shown(input)) -> \(RawText.shown(path)) (\(byteCount) B)"
    }

    /// Converts pictures into the files of a plan and prints a line for each.
    func run(_ inputs: [Operand], _ plan: OutputNames) async -> ExitCode {
        let reports = ReportPrinter(isOrdered: true, isQuiet: isQuiet)
        return await BoundedTasks.run(
            inputs.count, atOnce: 2 * Processors.count
        ) { index in
            do throws(WebImageError) {
                reports.add(index, output: try await convert(inputs[index].text, to: plan.targets[index]))
                return .ok
            } catch {
                reports.add(index, output: nil, error: error.line(of: inputs[index].text))
                return error.exitCode
            }
        }
    }

    private func convert(_ input: String, to target: OutputNames.Target) async throws(WebImageError) -> String {
        if existing != .replaced, let file = OutputNames.existingFile(of: target) {
            guard existing == .kept else { throw OutputFile.exists(file) }
            return "skipped     \(RawText.shown(input)) -> \(RawText.shown(file))"
        }
        let data = try await InputSource.data(
            input, limits: rendition.limits, requests: requests, for: rendition.demand(as: format))
        return try await DecodePool.shared.run { () throws(WebImageError) in
            let info = try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
            let made = try rendition.output(of: data, info, format: format)
            let path = OutputNames.path(of: target, format: made.format)
            try OutputFile.makeFolder(PathText.folder(of: path))
            try OutputFile.write(made.data, to: path, replaces: existing == .replaced)
            return Self.line(of: input, to: path, made.pixelSize, byteCount: made.data.count)
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
