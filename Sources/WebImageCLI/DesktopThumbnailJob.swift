import Foundation
import WebImage

/// `webimage thumbnail --freedesktop`: makes missing thumbnails. Makes a thumbnail again if its source file has changed
/// since the thumbnail was made.
struct DesktopThumbnailJob: Sendable {
    let operands: [Operand]
    let cache: DesktopThumbnailCache
    let sizes: [DesktopThumbnailCache.Size]
    let rendition: Rendition
    /// Whether to replace thumbnails that are current, and to retry files that failed before.
    let makesAll: Bool
    let json: Bool
    private let reports: ReportPrinter

    init(
        operands: [Operand], cache: DesktopThumbnailCache, sizes: [DesktopThumbnailCache.Size], rendition: Rendition,
        makesAll: Bool, json: Bool, isQuiet: Bool
    ) {
        self.operands = operands
        self.cache = cache
        self.sizes = sizes
        self.rendition = rendition
        self.makesAll = makesAll
        self.json = json
        reports = ReportPrinter(isOrdered: true, isQuiet: isQuiet)
    }

    func run() async -> ExitCode {
        await BoundedTasks.run(operands.count, atOnce: 2 * Processors.count) { index in
            let operand = operands[index]
            do throws(WebImageError) {
                let lines = try await make(operand)
                reports.add(index, output: lines.joined(separator: "\n"))
                return .ok
            } catch {
                reports.add(
                    index, output: json ? error.json("url", operand.text) : nil,
                    error: error.line(of: operand.text))
                return error.exitCode
            }
        }
    }

    private func make(_ operand: Operand) async throws(WebImageError) -> [String] {
        let source = try DesktopThumbnailCache.Source(InputSource.localPath(operand.text) ?? operand.text)
        guard !cache.contains(source) else {
            throw WebImageError(
                .fileSystem, stage: .request, underlying: .message("the file is a thumbnail itself"),
                hint: "Name files outside \(cache.folder).")
        }
        let wanted = sizes.filter { makesAll || !cache.isCurrent(cache.path(of: source, $0), source) }
        var lines = sizes.filter { !wanted.contains($0) }.map { line(of: operand, source, size: $0, state: "current") }
        guard !wanted.isEmpty else { return lines }
        guard makesAll || !cache.isCurrent(cache.failurePath(of: source), source) else {
            throw WebImageError(
                .blackListed, stage: .decode, underlying: .message("no thumbnail could be made of the file before"),
                hint: "Use --overwrite to try again.")
        }
        let data = try await InputSource.data(
            source.path, limits: rendition.limits, requests: RequestFlags())
        let job = self
        let known = Locked<ImageInfo?>(nil)
        // The pool starts no second picture if both need too much memory.
        let measure = { @Sendable () -> Int in
            guard let info = try? ImageCodersManager.shared.imageInfo(of: data, limits: job.rendition.limits) else {
                return 0
            }
            known.withLock { $0 = info }
            return min(info.storedSize.byteCount(4), .max / 2)
        }
        try await DecodePool.shared.run(measuring: measure) { () throws(WebImageError) in
            do throws(WebImageError) {
                try job.write(wanted, of: source, data, known: known.withLock { $0 })
            } catch {
                // Record only errors that the file itself causes. Other errors, caused by a lack of memory, a full disk
                // or a limit, may not occur in the next run.
                if error.code == .badImageData || error.code == .unsupportedFormat {
                    try cache.storeFailure(of: source)
                }
                throw error
            }
        }
        lines += wanted.map { line(of: operand, source, size: $0, state: "made") }
        return lines
    }

    /// - Parameter known: The description of the file; nil if it has not been read, or cannot be.
    private func write(
        _ wanted: [DesktopThumbnailCache.Size], of source: DesktopThumbnailCache.Source, _ data: Data, known: ImageInfo?
    ) throws(WebImageError) {
        let info =
            if let known { known } else {
                try ImageCodersManager.shared.imageInfo(of: data, limits: rendition.limits)
            }
        for size in wanted {
            var options = DecodingOptions()
            options.limits = rendition.limits
            options.firstFrameOnly = true
            options.pixelFormat = .rgba8
            options.thumbnailPixelSize = SizeLimit.box(width: size.side, height: size.side).target(
                for: info.pixelSize, isVector: info.format.isVector)
            options.preserveAspectRatio = false
            let image = try ImageCodersManager.shared.decode(data, options: options)
            let file = try ImageCodersManager.shared.encode(
                image, format: .png, options: DesktopThumbnailCache.encodingOptions)
            try cache.store(file, of: source, info, as: size)
        }
        cache.removeFailure(of: source)
    }

    private func line(
        of operand: Operand, _ source: DesktopThumbnailCache.Source, size: DesktopThumbnailCache.Size, state: String
    ) -> String {
        let path = cache.path(of: source, size)
        guard json else {
            return "\(state.padded(to: 8)) \(size.name.padded(to: 8)) \(RawText.shown(operand.text)) -> \(path)"
        }
        var object = JSONLine()
        object.add("url", ofWord: operand.text)
        object.add("state", .string(state))
        object.add("size", .string(size.name))
        object.add("file", ofWord: path)
        return object.text
    }
}
