import Foundation

extension Contest {
    /// One of the implementations that a contest compares.
    public struct Competitor {
        /// The name of the competitor in reports.
        public let name: String
        /// The largest allowed ratio of our time to this competitor's time. If it is nil, only the contest's target
        /// applies.
        public let target: Double?
        /// Prepares the job before the first run. For example, it starts a program or opens a file. The time of the
        /// preparation is not measured.
        public let prepare: () throws -> Void
        /// Returns the ID of the process that does the job, or nil if this process does the job. The processor time and
        /// the memory of that process are measured. The harness calls this closure after ``prepare``.
        public let process: () -> pid_t?
        /// Returns the command line of a program that does the job `runs` times and then exits. The harness counts the
        /// instructions of this program. The closure is nil if this process does the job.
        public let command: ((_ runs: Int) throws -> [String])?
        /// Does the whole job once. Throws if the job fails.
        public let run: () throws -> Void

        /// Creates a competitor.
        public init(
            _ name: String, target: Double? = nil, prepare: @escaping () throws -> Void = {},
            process: @escaping () -> pid_t? = { nil }, command: ((_ runs: Int) throws -> [String])? = nil,
            run: @escaping () throws -> Void
        ) {
            self.name = name
            self.target = target
            self.prepare = prepare
            self.process = process
            self.command = command
            self.run = run
        }

        var meter: ProcessMeter { ProcessMeter(process() ?? getpid()) }
    }
}
