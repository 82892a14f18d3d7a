import Foundation

extension Contest {
    /// One of the implementations that a contest compares.
    public struct Competitor {
        /// The name in reports.
        public let name: String
        /// The largest allowed ratio of our time to this competitor's time. If it is nil, only the contest's target
        /// applies.
        public let target: Double?
        /// Prepares the job before the first run, for example starts a program or opens a file. Its time is
        /// not measured.
        public let prepare: () throws -> Void
        /// Returns the process whose processor time and memory are measured, because it does the job; nil
        /// means this process. Called after ``prepare``.
        public let process: () -> pid_t?
        /// Returns a command line that does the job `runs` times and then exits, so that its instructions can
        /// be counted; nil if this process does the job.
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
