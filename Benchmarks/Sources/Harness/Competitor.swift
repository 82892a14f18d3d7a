import Foundation

extension Contest {
    /// One implementation of the job.
    public struct Competitor {
        /// The name in reports.
        public let name: String
        /// The largest ratio of our time to this competitor's that meets the target; nil uses only the contest's
        /// target.
        public let target: Double?
        /// Prepares what is not part of the job: starts a program, opens a file.
        public let prepare: () throws -> Void
        /// The process that does the job, read after ``prepare``; nil is this process.
        public let process: () -> pid_t?
        /// A command that does the given number of runs and nothing else; nil if no other program does the job.
        public let command: ((_ runs: Int) throws -> [String])?
        /// Does the whole job once; throws if it failed.
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
