import Foundation

/// What one run of a job cost, beside its time.
public struct Cost: Codable, Sendable, Equatable {
    /// Milliseconds of processor time, the user's and the system's, of all threads of who did the job.
    public var cpu: Double?
    /// Bytes by which resident memory grew at its most; for a whole process all that it had.
    ///
    /// The kernel counts to within half a megabyte.
    public var memory: Int?
    /// Instructions in user space; nil when nobody counted them.
    public var instructions: Int?
    /// What else counts, by its name: the hits at a server, the entries left.
    public var counts: [String: Double]

    /// Nothing known but what is given.
    public init(
        cpu: Double? = nil, memory: Int? = nil, instructions: Int? = nil, counts: [String: Double] = [:]
    ) {
        self.cpu = cpu
        self.memory = memory
        self.instructions = instructions
        self.counts = counts
    }

    /// Columns for a reader, of one of `operations` where a run does several.
    func text(unit: TimeUnit, operations: Int) -> String {
        var columns: [String] = []
        if let cpu { columns.append("CPU " + unit.text(cpu, of: operations)) }
        if let memory { columns.append(String(format: "%7.1f MB", Double(memory) / 1e6)) }
        if let instructions {
            let each = Double(instructions) / Double(operations)
            columns.append(
                each < 1e5 ? String(format: "%8.0f instr.", each) : String(format: "%8.2f M instr.", each / 1e6))
        }
        columns += counts.sorted { $0.key < $1.key }.map { String(format: "%.0f ", $1) + $0 }
        return columns.joined(separator: "  ")
    }
}
