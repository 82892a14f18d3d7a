import WebImage

/// Prints the report of each picture, either immediately or in the order of the operands.
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
    private let isQuiet: Bool
    private let state = Locked(State())

    /// - Parameters:
    ///   - isOrdered: Whether reports are printed in the order of the operands.
    ///   - usesStandardError: Whether reports are printed to standard error, because the picture is written to
    ///     standard output.
    ///   - isQuiet: Whether only errors are printed.
    init(isOrdered: Bool, usesStandardError: Bool = false, isQuiet: Bool = false) {
        self.isOrdered = isOrdered
        self.usesStandardError = usesStandardError
        self.isQuiet = isQuiet
    }

    /// Prints the report of an operand. If reports are ordered, the report waits until all earlier reports are printed.
    func add(_ index: Int, output: String?, error: String? = nil) {
        let entry = Entry(output: output, error: error)
        guard isOrdered else { return show(entry) }
        // Print under the lock. Otherwise the lines of two callers could be printed in the wrong order.
        state.withLock { state in
            state.waiting[index] = entry
            while let next = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                show(next)
            }
        }
    }

    private func show(_ entry: Entry) {
        if let line = entry.output, !isQuiet {
            if usesStandardError { Console.status(line + "\n") } else { Console.line(line) }
        }
        if let error = entry.error { Console.error(error) }
    }
}

/// Starts numbered tasks in order and limits how many run at the same time.
enum BoundedTasks {
    /// Runs the tasks. After a cancellation, no further tasks are started.
    ///
    /// - Returns: The most severe exit code of all tasks.
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
