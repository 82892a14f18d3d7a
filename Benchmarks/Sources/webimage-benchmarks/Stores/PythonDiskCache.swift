import Foundation

/// PyPI's `diskcache` in a Python process. The process does a whole turn for each line that it receives. See
/// `peers/disk.py`.
final class PythonDiskCache: DiskCompetitor {
    let name = "diskcache (Python)"
    private let peer: LinePeer

    init(_ path: String) { peer = LinePeer("diskcache", script: "disk.py", opening: URL(fileURLWithPath: path)) }

    /// Starts the Python process. Throws if `diskcache` is not installed.
    func start() throws { try peer.start() }

    var process: pid_t? { peer.pid }

    func fill(from: Int, to: Int) throws { try peer.run("fill \(from) \(to)") }
    func put(_ value: Data, count: Int, round: Int) throws { try peer.run("put \(count) \(value.count) \(round)") }
    func get(count: Int, round: Int) throws { try peer.run("get \(count) \(round)") }
    func open() throws { try peer.run("reopen") }
    func evict() throws { try peer.run("evict") }

    func count() throws -> Int {
        guard let count = Int(try peer.answer(to: "count")) else { throw ScenarioError.peerFailed }
        return count
    }
}
