import Foundation

extension Contest {
    /// One way of doing the job.
    public struct Competitor {
        /// The name in reports.
        public let name: String
        /// The largest ratio of ours to it that counts as met; nil when the contest's target is all there is.
        public let target: Double?
        /// Makes ready what is no part of the job: starts a program, opens a file.
        public let prepare: () throws -> Void
        /// The process that does the job, asked for after it is ready; nil is this one.
        public let process: () -> pid_t?
        /// A command that does so many runs and nothing else; nil where the job is no other program's.
        public let command: ((_ runs: Int) throws -> [String])?
        /// Does the whole job once; throws when it was not done.
        public let run: () throws -> Void

        /// Names a way of doing the job.
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
