import Foundation
import WebImage

/// `webimage load`: through the manager, a line per URL.
enum LoadCommand {
    static let command = Command(
        options: [.value("size"), .value("out"), .value("cache"), .flag("json")] + Option.limits
    ) { arguments throws(UsageError) in
        guard !arguments.operands.isEmpty else { throw UsageError("load wants at least one URL") }
        let job = LoadJob(
            operands: arguments.operands, size: try arguments.size("size"), output: arguments.string("out"),
            cache: arguments.string("cache"), json: arguments.has("json"), limits: try arguments.limits())
        return { await job.run() }
    }
}

/// All URLs of one `webimage load`.
private struct LoadJob: Sendable {
    let operands: [String]
    let size: PixelSize?
    let output: String?
    let cache: String?
    let json: Bool
    let limits: DecodingLimits

    func run() async -> ExitCode {
        let manager = CommandCache.manager(cache)
        let folder: OutputFolder?
        do throws(WebImageError) {
            folder = try output.map(OutputFolder.init(path:))
        } catch {
            Console.error("\(error)")
            return .failed
        }
        let progress = ProgressBar(total: operands.count)
        let worst = await withTaskGroup(of: ExitCode.self) { group in
            for operand in operands {
                group.addTask { await load(operand, manager, folder, progress) }
            }
            return await group.reduce(.ok, max)
        }
        progress.finish()
        await CommandCache.settle(manager)
        return worst
    }

    private func load(
        _ operand: String, _ manager: WebImageManager, _ folder: OutputFolder?, _ progress: ProgressBar
    ) async -> ExitCode {
        let start = ContinuousClock.now
        let url = InputSource.url(operand)
        do throws(WebImageError) {
            let result = try await manager.result(for: url, options: .decodeFirstFrameOnly, context: context) {
                received, expected, _ in
                progress.update(operand, received: received, expected: expected)
            }
            let elapsed = ContinuousClock.now - start
            let file = try await folder?.write(result, for: url)
            progress.step(operand)
            Console.line(line(operand, result, elapsed, file))
            return .ok
        } catch {
            progress.step(operand)
            report(operand, error)
            return error.exitCode
        }
    }

    private var context: WebImageContext {
        var context: WebImageContext = [.decodingLimits: limits]
        if let size { context[.imageThumbnailPixelSize] = CGSize(width: size.width, height: size.height) }
        return context
    }

    private func line(_ operand: String, _ result: WebImageResult, _ elapsed: Duration, _ file: String?) -> String {
        let milliseconds = Double(elapsed.components.attoseconds) / 1e15 + Double(elapsed.components.seconds) * 1000
        let size = result.image.pixelSize
        guard json else {
            let bytes = result.encodedByteCount.map { "\($0) B" } ?? "-"
            let columns = [
                result.cacheType.originName(of: operand).padded(to: 8), "\(size)".padded(to: 11), bytes.padded(to: 11),
                String(format: "%.1f ms", milliseconds).padded(to: 11), operand,
            ]
            return columns.joined(separator: " ") + (file.map { " -> \($0)" } ?? "")
        }
        var object = JSONLine()
        object.add("url", .string(operand))
        object.add("origin", .string(result.cacheType.originName(of: operand)))
        object.add("width", .integer(size.width))
        object.add("height", .integer(size.height))
        object.add("format", .init(result.image.imageFormat.name))
        object.add("bytes", .init(result.encodedByteCount))
        object.add("milliseconds", .number(milliseconds))
        if let file { object.add("file", .string(file)) }
        return object.text
    }

    private func report(_ operand: String, _ error: WebImageError) {
        if json { Console.line(error.json(["url": operand])) }
        Console.error("\(operand): \(error.withoutURL)")
    }
}

extension ImageCacheType {
    /// Where the image an operand means came from, in the command's words.
    func originName(of operand: String) -> String {
        let url = InputSource.url(operand)
        return switch self {
        case .none: url.isFileURL ? "file" : url.scheme == "data" ? "data" : "network"
        case .disk: "disk"
        case .memory, .all: "memory"
        }
    }
}

extension String {
    func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}

extension WebImageError {
    /// The error as a line of JSON, after members that say what it is about.
    func json(_ about: KeyValuePairs<String, String>) -> String {
        var object = JSONLine()
        for (name, value) in about { object.add(name, .string(value)) }
        object.add("error", .integer(code.rawValue))
        object.add("stage", .string(stage.rawValue))
        object.add("message", .string(description))
        return object.text
    }
}
