import Foundation
import WebImage
import WebImageCommandLine

/// `webimage thumbnail`: makes a small still picture of each file. Uses all processor cores.
enum ThumbnailCommand {
    static let text = CommandText(
        name: "thumbnail", head: "thumbnail PATH...",
        summary: "write small pictures of files and folders, with all cores",
        usage: ["webimage thumbnail [OPTIONS] PATH|URL..."],
        parts: [
            .text(
                """
                Writes a small still picture of each file, of an animation its first frame, with all cores. Each file is written
                whole or not at all. A folder requires --recursive.
                """),
            .options(
                [
                    .value(
                        "size", letter: "s", "SIZE",
                        """
                        fit into a box: 800x600, 320 (a square), 320x, x240, or 50% of the picture's own size;
                        a smaller picture stays as it is
                        (default 256x256); with --freedesktop one of {normal, large, x-large or xx-large}, or
                        several of them with commas between (default normal,large)
                        """, isList: true),
                    .value(
                        "out", letter: "o", "WHERE",
                        "into a folder, or by a template ('small/%s.webp'), whose extension is the format"),
                ]
                    + CommandOption.existing
                    + [
                        .value(
                            "format", letter: "f", "FORMAT",
                            """
                            for output names without an extension, one of {jpg, png, gif, webp, avif, heic, jxl, tiff,
                            bmp or ico}, as far as 'webimage formats' writes it
                            """),
                        .value("quality", letter: "q", "Q", "0 to 100, for lossy formats (default 85)"),
                        .qualityTarget,
                        .value("effort", "N", "1 to 9: the time for a small PNG (default 5)"),
                        .value(
                            "time", "SECONDS",
                            "of a video: the frame at this time instead of the first that is not black"),
                        .value("metadata", "keep|drop", "EXIF, XMP and pixels/inch (default drop)"),
                        .range,
                        .value(
                            "color", "srgb|as-is",
                            "convert colours to sRGB (default), or keep the stored values with their profile"),
                        .flag("freedesktop", "write into the desktop's thumbnail cache, which file managers use"),
                        .json,
                        .quiet,
                    ]
                    + CommandOption.lists),
            .names,
            .options(CommandOption.decoding), .requests, .options(CommandOption.requests),
            .examples([
                "webimage thumbnail --size 256 --out thumbs *.jpg",
                "webimage thumbnail --recursive --out 'thumbs/%d/%s.webp' photos",
                "find photos -name '*.jpg' -print0 | webimage thumbnail --input - --out thumbs --quiet",
                "webimage thumbnail --recursive --freedesktop photos",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        let operands = try Operands.read(arguments, of: "thumbnail")
        let rendition = Rendition(
            size: arguments.has("freedesktop") ? nil : try arguments.size() ?? .box(width: 256, height: 256),
            quality: try arguments.quality(), aim: try arguments.qualityAim(),
            effort: try arguments.effort(), frame: 0, time: try arguments.time(),
            color: try arguments.color() ?? .sRGB, range: try arguments.range(),
            limits: try arguments.limits(),
            keepsMetadata: try arguments.keepsMetadata())
        let requests = try RequestFlags(arguments)
        let json = arguments.has("json")
        if arguments.has("freedesktop") {
            let excluded = ["out", "format", "quality", "quality-target", "effort", "metadata", "color", "hdr"]
            for option in excluded where arguments.has(option) {
                throw UsageError("--freedesktop excludes --\(option): the thumbnail cache has its own form")
            }
            guard operands.allSatisfy({ $0.isLocal && !$0.isStandardInput }) else {
                throw UsageError("--freedesktop accepts only local files")
            }
            let job = DesktopThumbnailJob(
                operands: operands, cache: DesktopThumbnailCache(),
                sizes: try DesktopThumbnailCache.sizes(arguments.string("size") ?? "normal,large"),
                rendition: rendition, makesAll: arguments.has("overwrite"), json: json,
                isQuiet: arguments.has("quiet"))
            return { await job.run() }
        }
        guard let plan = try OutputNames(arguments, operands) else {
            throw UsageError("thumbnail requires --out with a folder or a template such as 'small/%s.webp'")
        }
        try Console.checkOutput(arguments.string("out"))
        let job = ThumbnailJob(
            operands: operands, plan: plan, format: try arguments.format(), rendition: rendition, requests: requests,
            reports: ReportPrinter(
                isOrdered: true, usesStandardError: arguments.string("out") == OutputFile.standardOutput,
                isQuiet: arguments.has("quiet")),
            json: json)
        return { await job.run() }
    }
}

/// One run of `webimage thumbnail`, with its pictures and options.
private struct ThumbnailJob: Sendable {
    let operands: [Operand]
    let plan: OutputNames
    /// The format for output names whose extension does not determine a format. Nil means the picture's own format.
    let format: ImageFormat?
    let rendition: Rendition
    let requests: RequestFlags
    let reports: ReportPrinter
    let json: Bool

    func run() async -> ExitCode {
        // Run two tasks per core, so that some files are read while others are decoded. The limit bounds the memory.
        await BoundedTasks.run(operands.count, atOnce: 2 * Processors.count) { index in
            let operand = operands[index]
            do throws(WebImageError) {
                reports.add(index, output: try await make(operand, plan.targets[index]))
                return .ok
            } catch {
                reports.add(
                    index, output: json ? error.json("url", operand.text) : nil,
                    error: error.line(of: operand.text))
                return error.exitCode
            }
        }
    }

    /// Makes the thumbnail of one picture and writes it.
    ///
    /// - Returns: The line to print.
    private func make(_ operand: Operand, _ target: OutputNames.Target) async throws(WebImageError) -> String {
        if plan.existing != .replaced, let file = OutputNames.existingFile(of: target) {
            guard plan.existing == .kept else { throw OutputFile.exists(file) }
            return json
                ? line(of: operand, file: file, nil)
                : "skipped     \(RawText.shown(operand.text)) -> \(RawText.shown(file))"
        }
        let data = try await InputSource.data(
            operand.text, limits: rendition.limits, requests: requests, for: .poster(time: rendition.time))
        return try await DecodePool.shared.run(cost: cost(data)) { () throws(WebImageError) in
            let info = try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
            let made = try rendition.output(of: data, info, format: target.format ?? format)
            let path = OutputNames.path(of: target, format: made.format)
            let folder = PathText.folder(of: path)
            if !folder.isEmpty { try OutputFile.makeFolder(folder) }
            try OutputFile.write(made.data, to: path, replaces: plan.existing == .replaced)
            return json
                ? line(of: operand, file: path, made)
                : "\(made.pixelSize)".padded(to: 11)
                    + " \(RawText.shown(operand.text)) -> \(RawText.shown(path)) (\(made.data.count) B)"
        }
    }

    /// Returns the memory in bytes that the pixels of the picture need at full size.
    private func cost(_ data: Data) -> Int {
        let size = (try? ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits))?.storedSize
        return size.map { $0.width * $0.height * 4 } ?? 0
    }

    private func line(of operand: Operand, file: String, _ made: Rendition.Output?) -> String {
        var object = JSONLine()
        object.add("url", ofWord: operand.text)
        object.add("file", ofWord: file)
        if let made {
            object.add("width", .integer(made.pixelSize.width))
            object.add("height", .integer(made.pixelSize.height))
            object.add("format", .init(made.format.name))
            object.add("bytes", .integer(made.data.count))
        }
        return object.text
    }
}
