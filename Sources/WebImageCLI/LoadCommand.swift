import Foundation
import WebImage
import WebImageCommandLine
import WebImageCore
import WebImageLoading
import WebImageS3
import WebImageVideoLoading

/// `webimage load`: loads pictures through the manager and prints one line per picture.
enum LoadCommand {
    static let text = CommandText(
        name: "load", head: "load URL...",
        summary: "load pictures through the caches and print the origin of each",
        usage: ["webimage load [OPTIONS] URL..."],
        parts: [
            .text(
                """
                Loads each picture and prints a line: origin (network, file, disk, memory, stdin), size in pixels, bytes,
                milliseconds, the picture, and what was written. A path without a scheme means a file, '-' standard input. Local
                files are copied into the disk cache only if --cache names its folder.
                """),
            .options(
                [
                    .size,
                    .value(
                        "out", letter: "o", "WHERE",
                        """
                        also write the pictures: into a folder, or by a template ('small/%s.webp'), whose
                        extension is the format; '-' is standard output
                        """),
                ]
                    + CommandOption.existing
                    + [
                        .value(
                            "quality", letter: "q", "Q",
                            "0 to 100, for lossy formats that are written (default 85); asks for lossy WebP"),
                        .qualityTarget,
                        .value(
                            "effort", "N", "1 to 9: the time for a small PNG (default 5); a PNG is then written again"),
                        .range,
                        .flag("ordered", "print the lines in the order of the operands"),
                        .value("cache", "DIR|none", "the folder of the disk cache (default: the user's cache folder)"),
                        .value(
                            "tier", "URL",
                            """
                            a cache of several machines, valkey://HOST or s3://BUCKET, asked before the
                            network; repeatable. Its password is in WEBIMAGE_TIER_PASSWORD
                            """),
                        .value(
                            "s3-source", "URL",
                            """
                            the address of a bucket of s3://BUCKET/NAME[?versionId=...], such as
                            s3://BUCKET?endpoint=https://HOST&access=public; repeatable. Other buckets
                            have the address and the access key of the AWS_ variables
                            """),
                        .flag(
                            "link-preview",
                            """
                            the URL of a web page loads the picture that the page names for previews of links
                            (Open Graph, Twitter, JSON-LD, icons); the line has the page's title
                            """),
                        .json,
                        .quiet,
                    ]
                    + CommandOption.lists),
            .text(
                """
                A picture that fits and keeps its format is written unchanged, an animation with all frames. Any other picture
                is encoded again: PNG, BMP and TIFF without loss; GIF in 256 colours; WebP without loss from a lossless file,
                unless --quality is given; JPEG, AVIF, HEIC, JPEG XL and other WebP with loss at --quality.

                Fields of a template: %s name without extension, %e extension, %d folder below one that was given with -r,
                %n number, %%. Pictures with equal names are numbered in the order given: p.jpg, p-2.jpg. An extension that does
                not match the loaded format is kept and followed by the right one: p.jpg.webp.

                A word is a URL if it begins with SCHEME://, data: or file:/, otherwise the path of a file. Write -- before names
                that begin with -, and ./ before names that begin with @. Names with quotes or control characters are printed as
                $'...'; JSON has them unchanged, and names that are not UTF-8 also as pathBase64, urlBase64 or fileBase64.
                """),
            .options(CommandOption.decoding), .requests, .options(CommandOption.requests),
            .examples([
                "webimage load https://example.org/a.jpg b.png",
                "webimage load --out pictures @urls.txt",
                "webimage load --size 50% --out 'small/%s.webp' *.jpg",
                "webimage load --recursive --size 320 --out small --skip-existing photos",
                "curl -s https://example.org/a.jpg | webimage load -s 320 -o - - > small.jpg",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        let operands = try Operands.read(arguments, of: "load")
        try Console.checkOutput(arguments.string("out"))
        let rendition = Rendition(
            size: try arguments.size(), quality: try arguments.quality(), aim: try arguments.qualityAim(),
            effort: try arguments.effort(),
            range: try arguments.range(), limits: try arguments.limits(),
            copiesUnchanged: true)
        let job = LoadJob(
            operands: operands, rendition: rendition, plan: try OutputNames(arguments, operands),
            cache: arguments.string("cache"), tiers: try TierAddress.tiers(arguments),
            buckets: try BucketOperands.loader(operands, arguments), readsPages: arguments.has("link-preview"),
            json: arguments.has("json"),
            reports: ReportPrinter(
                isOrdered: arguments.has("ordered"),
                usesStandardError: arguments.string("out") == OutputFile.standardOutput,
                isQuiet: arguments.has("quiet")),
            requests: try RequestFlags(arguments), isQuiet: arguments.has("quiet"))
        for target in job.plan?.targets ?? [] {
            guard let format = target.format, !ImageCodersManager.shared.canEncode(to: format) else { continue }
            throw UsageError(
                "\(RawText.shown(target.path)) has no extension of a writable format; see 'webimage formats'")
        }
        return { await job.run() }
    }
}

/// One run of `webimage load`, with its pictures and options.
private struct LoadJob: Sendable {
    let operands: [Operand]
    let rendition: Rendition
    let plan: OutputNames?
    let cache: String?
    let tiers: CacheTiers?
    let buckets: S3ImageLoader?
    let readsPages: Bool
    let json: Bool
    let reports: ReportPrinter
    let requests: RequestFlags
    let isQuiet: Bool

    func run() async -> ExitCode {
        if let tiers {
            for name in await TierAddress.silent(tiers, within: .seconds(1)) {
                Console.error("tier \(name): does not answer; pictures come from their origin")
            }
        }
        // Local files are not stored in the user's cache, so a run without a URL need not make its folder and index.
        let folder = cache ?? (operands.allSatisfy(\.isLocal) ? "none" : nil)
        let cache = CommandCache.cache(folder)
        func manager(readsPosters: Bool) -> WebImageManager {
            CommandCache.manager(
                cache, tiers: tiers, buckets: buckets, readsPages: readsPages, readsPosters: readsPosters)
        }
        let pictures = manager(readsPosters: false)
        let mayBeVideo = operands.map { operand in
            switch VideoOnServer.name(of: operand.text) {
            case .video: !operand.isLocal
            case .unknown: !readsPages && !operand.isLocal
            case .other: false
            }
        }
        let posters = mayBeVideo.contains(true) ? manager(readsPosters: true) : pictures
        let progress = ProgressBar(total: operands.count, isEnabled: Console.statusIsTerminal && !isQuiet)
        let worst = await BoundedTasks.run(operands.count, atOnce: 64) { index in
            guard mayBeVideo[index] else { return await load(index, pictures, progress) }
            // A copy and previews need the whole video.
            let copies = plan.map { rendition.demand(as: $0.targets[index].format).isWhole } ?? false
            return await load(index, copies ? pictures : posters, progress)
        }
        progress.finish()
        await cache.flush()
        await tiers?.shutDown()
        return worst
    }

    private func load(_ index: Int, _ manager: WebImageManager, _ progress: ProgressBar) async -> ExitCode {
        let operand = operands[index]
        do throws(WebImageError) {
            let report = try await load(operand, plan?.targets[index], manager) { received, expected in
                progress.update(index, received: received, expected: expected)
            }
            progress.finishLoad(index) { reports.add(index, output: report.line(of: operand, json: json)) }
            return .ok
        } catch {
            progress.finishLoad(index) {
                reports.add(
                    index, output: json ? error.json("url", operand.text) : nil,
                    error: error.line(of: operand.text))
            }
            return error.exitCode
        }
    }

    private func load(
        _ operand: Operand, _ target: OutputNames.Target?, _ manager: WebImageManager,
        progress: @escaping @Sendable (_ received: Int, _ expected: Int) -> Void
    ) async throws(WebImageError) -> LoadReport {
        let start = ContinuousClock.now
        if let plan, let target, plan.existing != .replaced, let file = OutputNames.existingFile(of: target) {
            guard plan.existing == .kept else { throw OutputFile.exists(file) }
            return .skipped(file: file)
        }
        let result = try await fetch(operand, target, manager, progress: progress)
        let loaded = LoadReport.Loaded(result, of: operand, in: ContinuousClock.now - start, isPage: readsPages)
        guard let plan, let target, let data = result.data else { return .loaded(loaded, nil) }
        let rendition = rendition
        let written = try await DecodePool.shared.run { () throws(WebImageError) in
            let info = try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
            let made = try rendition.output(of: data, info, format: target.format, decoded: result.image)
            let path = OutputNames.path(of: target, format: made.format)
            let folder = PathText.folder(of: path)
            if !folder.isEmpty { try OutputFile.makeFolder(folder) }
            try OutputFile.write(made.data, to: path, replaces: plan.existing == .replaced)
            return LoadReport.Written(path: path, output: made)
        }
        return .loaded(loaded, written)
    }

    private func fetch(
        _ operand: Operand, _ target: OutputNames.Target?, _ manager: WebImageManager,
        progress: @escaping @Sendable (_ received: Int, _ expected: Int) -> Void
    ) async throws(WebImageError) -> LoadedPicture {
        let coder = RenditionCoder(rendition: rendition, format: target?.format, isWritten: target != nil)
        // A path that is not UTF-8 cannot be a cache key.
        if operand.isStandardInput || operand.path.map(RawText.isRaw) == true {
            let data = try await InputSource.data(operand.text, limits: rendition.limits, requests: requests)
            let image = try await DecodePool.shared.run { () throws(WebImageError) in
                var options = DecodingOptions()
                options.limits = coder.rendition.limits
                options.firstFrameOnly = true
                return try coder.decode(data, options: options)
            }
            return LoadedPicture(image: image, data: data, encodedByteCount: data.count, cacheType: .none)
        }
        var request = requests.request(for: InputSource.url(operand.text), limits: rendition.limits)
        request.options = .decodeFirstFrameOnly
        request.coder = coder
        if operand.path != nil {
            // A local file is always read, because it can have changed. It is copied into a cache only if --cache names
            // a folder. Otherwise it would fill the user's cache folder.
            request.queryCache = ImageCacheType.none
            request.storeCache = cache == nil ? ImageCacheType.none : .disk
        } else if target != nil {
            // Query only the disk cache, because the encoded bytes are needed. An image in memory does not contain
            // them.
            request.queryCache = .disk
            request.storeCache = .disk
        }
        let result = try await manager.result(for: request) { received, expected, _ in progress(received, expected) }
        return LoadedPicture(
            image: result.image, data: result.data, encodedByteCount: result.encodedByteCount,
            cacheType: result.cacheType)
    }
}
