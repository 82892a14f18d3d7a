import Foundation
import WebImage
import WebImageCodecs
import WebImageCommandLine
import WebImageCore

/// `webimage optimize`: makes files smaller in their place, without changing a pixel.
enum OptimizeCommand {
    static let text = CommandText(
        name: "optimize", head: "optimize PATH...",
        summary: "make files smaller without changing a pixel",
        usage: ["webimage optimize [OPTIONS] PATH..."],
        parts: [
            .text(
                """
                Makes PNG, APNG, JPEG and GIF files smaller in their place. Pixels, frames, delays and colour profiles stay the same:
                each result is decoded and compared before it replaces the file. A file keeps its permissions, owner, times and
                extended attributes; links are followed, files with several hard links are left alone. Other files are kept as they
                are, and so is every file after an error. A folder requires --recursive.
                """),
            .options([
                .value("effort", "N", "1 to 9: the time for a small file (default 8)"),
                .value(
                    "metadata", "keep|drop",
                    """
                    EXIF, XMP, texts and comments (default keep); what changes how a picture is shown always
                    stays: colour profile, orientation, density
                    """),
                .flag("upright", "turn JPEG by its EXIF orientation, where that needs no new compression"),
                .flag(
                    "again",
                    """
                    also files that were optimised before with this effort or more, and have not changed since,
                    as their extended attribute user.webimage.optimized says
                    """),
                .flag("dry-run", "print what would be written, and write nothing"),
                .value("jobs", "N", "files at a time (default: the number of processors)"),
                .flag("json", "one JSON object per line, at last the sums"),
            ]),
            .options([.quiet] + CommandOption.lists),
            .names,
            .options(CommandOption.limits),
            .examples([
                "webimage optimize photo.jpg drawing.png",
                "webimage optimize --recursive --metadata drop public",
                "webimage optimize --dry-run --json -r public",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        let operands = try Operands.read(arguments, of: "optimize")
        guard operands.allSatisfy({ $0.isLocal && !$0.isStandardInput }) else {
            throw UsageError("optimize accepts only local files, which it replaces")
        }
        let optimizer = LosslessOptimizer(
            effort: try arguments.effort() ?? 8,
            keepsMetadata: arguments.has("metadata") ? try arguments.keepsMetadata() : true,
            turnsUpright: arguments.has("upright"), limits: try arguments.limits())
        let job = OptimizeJob(
            operands: operands, optimizer: optimizer, isDry: arguments.has("dry-run"),
            repeats: arguments.has("again"),
            atOnce: try arguments.integer("jobs", atLeast: 1) ?? Processors.count, json: arguments.has("json"),
            isQuiet: arguments.has("quiet"))
        return { await job.run() }
    }
}

/// One run of `webimage optimize`, with its files and options.
private struct OptimizeJob: Sendable {
    let operands: [Operand]
    let optimizer: LosslessOptimizer
    let isDry: Bool
    /// Whether files are optimised again that were optimised before.
    let repeats: Bool
    let atOnce: Int
    let json: Bool
    let isQuiet: Bool

    /// What became of a file, and its sizes in bytes.
    private struct Result {
        enum State: String { case optimized, kept, skipped }

        var state: State
        var before: Int
        var after: Int
        var note: String?
    }

    /// The sums of all files.
    private struct Sums {
        var smaller = 0
        var before = 0
        var after = 0
    }

    func run() async -> ExitCode {
        let reports = ReportPrinter(isOrdered: true, isQuiet: isQuiet)
        let progress = ProgressBar(total: operands.count, isEnabled: Console.statusIsTerminal && !isQuiet)
        let sums = Locked(Sums())
        let code = await BoundedTasks.run(operands.count, atOnce: atOnce) { index in
            let operand = operands[index]
            progress.update(index, received: 0, expected: 0)
            do throws(WebImageError) {
                let result = try await optimize(operand)
                sums.withLock { sums in
                    if result.state == .optimized { sums.smaller += 1 }
                    sums.before += result.before
                    sums.after += result.after
                }
                progress.finishLoad(index) { reports.add(index, output: line(of: operand, result)) }
                return .ok
            } catch {
                progress.finishLoad(index) {
                    reports.add(
                        index, output: json ? error.json("path", operand.text) : nil,
                        error: error.line(of: operand.text))
                }
                return error.exitCode
            }
        }
        progress.finish()
        if !isQuiet, !Task.isCancelled { Console.line(line(of: sums.withLock { $0 })) }
        return code
    }

    private func optimize(_ operand: Operand) async throws(WebImageError) -> Result {
        let file = try ReplacedFile(operand.path ?? operand.text)
        let data = try await file.data(limits: optimizer.limits)
        let mark = OptimizedMark(data, optimizer)
        if !repeats, mark.isOn(file.path) {
            return Result(state: .skipped, before: data.count, after: data.count, note: "was optimised before")
        }
        guard file.linkCount == 1 else {
            return Result(
                state: .skipped, before: data.count, after: data.count,
                note: "has \(file.linkCount) hard links, of which only one would be replaced")
        }
        let outcome = try await DecodePool.shared.run(cost: data.count) { () throws(WebImageError) in
            try optimizer.optimized(data)
        }
        guard !Task.isCancelled else { throw .cancelled }
        switch outcome {
        case .kept(let reason):
            if !isDry { mark.set(on: file.path) }
            return Result(state: .kept, before: data.count, after: data.count, note: reason)
        case .smaller(let smaller, let note):
            if !isDry {
                try file.replace(with: smaller)
                OptimizedMark(smaller, optimizer).set(on: file.path)
            }
            return Result(state: .optimized, before: data.count, after: smaller.count, note: note)
        }
    }

    private func line(of operand: Operand, _ result: Result) -> String {
        guard json else {
            let name = RawText.shown(operand.text)
            let note = result.note.map { " (\($0))" } ?? ""
            guard result.state == .optimized else {
                return result.state.rawValue.padded(to: 11) + " \(name)" + note
            }
            return Self.part(result.before, result.after).padded(to: 11)
                + " \(name) \(result.before) -> \(result.after) B" + note
        }
        var object = JSONLine()
        object.add("path", ofWord: operand.text)
        object.add("state", .string(result.state.rawValue))
        object.add("bytesBefore", .integer(result.before))
        object.add("bytesAfter", .integer(result.after))
        if let note = result.note { object.add("note", .string(note)) }
        return object.text
    }

    private func line(of sums: Sums) -> String {
        guard json else {
            return Self.part(sums.before, sums.after).padded(to: 11)
                + " \(sums.smaller) of \(operands.count) files: \(sums.before) -> \(sums.after) B"
                + (isDry ? " (dry run, nothing was written)" : "")
        }
        var object = JSONLine()
        object.add("files", .integer(operands.count))
        object.add("optimized", .integer(sums.smaller))
        object.add("bytesBefore", .integer(sums.before))
        object.add("bytesAfter", .integer(sums.after))
        return object.text
    }

    /// Returns how much smaller a file is, such as `-12.3 %`.
    private static func part(_ before: Int, _ after: Int) -> String {
        let part = before == 0 ? 0 : 100 * Double(after - before) / Double(before)
        return String(plainFormat: "%.1f", part) + " %"
    }
}

/// The extended attribute of files that were optimised. It holds the options and a digest of the content, so that a changed file
/// is optimised again, and one that was optimised with less effort. On file systems without attributes, each run optimises
/// every file.
private struct OptimizedMark {
    private static let name = "user.webimage.optimized"

    private let effort: Int
    private let rest: String

    init(_ data: Data, _ optimizer: LosslessOptimizer) {
        let digest = ContentDigest(data).data.map { String(plainFormat: "%02x", Int($0)) }.joined()
        effort = optimizer.effort
        rest = " \(optimizer.keepsMetadata ? "m" : "-")\(optimizer.turnsUpright ? "u" : "-") \(digest)"
    }

    func isOn(_ path: String) -> Bool {
        guard let value = ExtendedAttributes.value(Self.name, of: path), value.hasSuffix(rest),
            let done = Int(value.dropLast(rest.count))
        else { return false }
        return done >= effort
    }

    func set(on path: String) { ExtendedAttributes.set(Self.name, to: "\(effort)\(rest)", of: path) }
}
