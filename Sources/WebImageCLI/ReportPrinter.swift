import WebImage

/// Prints the report of each picture, either at once or in the order of the operands.
final class ReportPrinter: Sendable {
    private struct Entry: Sendable {
        let output: String?
        let error: String?
    }

    private struct State {
        var next = 0
        var waiting: [Int: Entry] = [:]
    }

    private let isOrdered: Bool
    private let usesStandardError: Bool
    private let state = Locked(State())

    /// - Parameter usesStandardError: Whether reports go to standard error, because standard output carries a picture.
    init(isOrdered: Bool, usesStandardError: Bool = false) {
        self.isOrdered = isOrdered
        self.usesStandardError = usesStandardError
    }

    /// Prints the report of an operand, or holds it until all earlier reports are printed.
    func add(_ index: Int, output: String?, error: String? = nil) {
        let entry = Entry(output: output, error: error)
        guard isOrdered else { return show(entry) }
        // Print under the lock; otherwise two callers could swap their lines.
        state.withLock { state in
            state.waiting[index] = entry
            while let next = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                show(next)
            }
        }
    }

    private func show(_ entry: Entry) {
        if let line = entry.output {
            if usesStandardError { Console.status(line + "\n") } else { Console.line(line) }
        }
        if let error = entry.error { Console.error(error) }
    }
}

/// Runs numbered tasks in order, with a maximum number at a time.
enum BoundedTasks {
    /// - Returns: The most severe exit code.
    static func run(
        _ count: Int, atOnce: Int, _ body: @escaping @Sendable (Int) async -> ExitCode
    ) async -> ExitCode {
        await withTaskGroup(of: ExitCode.self) { group in
            var worst = ExitCode.ok
            for index in 0..<count {
                if index >= atOnce, let code = await group.next() { worst = max(worst, code) }
                if Task.isCancelled { break }
                group.addTask { await body(index) }
            }
            return await group.reduce(worst, max)
        }
    }
}
