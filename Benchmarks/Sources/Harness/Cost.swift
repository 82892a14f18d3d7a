import Foundation

/// The costs of one run besides its time.
public struct Cost: Codable, Sendable, Equatable {
    /// The processor time (user and system) in milliseconds of the process that did the job, for all its threads. Nil
    /// if the time is unknown.
    public var cpu: Double?
    /// The maximum growth of resident memory during a run, in bytes. If a run is a whole process, the value is the
    /// peak of the resident memory of this process. Nil if the value is unknown.
    ///
    /// The value of the kernel is accurate to 0.5 MB.
    public var memory: Int?
    /// The number of instructions in user space, or nil if the instructions were not counted.
    public var instructions: Int?
    /// Other counts by name, such as requests at a server or remaining entries.
    public var counts: [String: Double]

    /// Creates costs. The values of omitted parameters are unknown.
    public init(
        cpu: Double? = nil, memory: Int? = nil, instructions: Int? = nil, counts: [String: Double] = [:]
    ) {
        self.cpu = cpu
        self.memory = memory
        self.instructions = instructions
        self.counts = counts
    }

    /// Returns the costs as columns of text. Processor time and instructions are divided by `operations`.
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
