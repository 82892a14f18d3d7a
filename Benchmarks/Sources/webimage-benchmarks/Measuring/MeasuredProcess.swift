import Foundation
import Harness

/// What a child process cost, from its start to its end, and what it printed.
struct MeasuredProcess {
    let output: String
    /// Milliseconds between start and end.
    let wall: Double
    /// Milliseconds of processor time, user's and system's.
    let cpu: Double
    /// Resident bytes at their most.
    let memory: Int

    /// Runs a program to its end, with these variables beside our own.
    ///
    /// - Throws: ``ScenarioError`` when it cannot be started or ends badly.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> MeasuredProcess {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ScenarioError.failed("pipe") }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // curl draws its progress whatever it is told.
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for setting in settings { free(setting) } }
        let start = ContinuousClock.now
        var identifier: pid_t = 0
        let result = posix_spawnp(&identifier, arguments[0], &actions, nil, &words, &settings)
        close(ends[1])
        guard result == 0 else { throw ScenarioError.failed("\(arguments[0]): \(String(cString: strerror(result)))") }
        let output = readToEnd(ends[0])
        var status: Int32 = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        let wall = (ContinuousClock.now - start).milliseconds
        guard status == 0 else { throw ScenarioError.failed("\(arguments[0]) ended with \(status)") }
        return MeasuredProcess(
            output: output, wall: wall, cpu: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
            memory: usage.ru_maxrss * 1024)
    }

    private static func readToEnd(_ descriptor: Int32) -> String {
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: data, as: UTF8.self) }
            data.append(contentsOf: chunk[..<count])
        }
    }

    private static func milliseconds(_ time: timeval) -> Double {
        Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
    }
}
