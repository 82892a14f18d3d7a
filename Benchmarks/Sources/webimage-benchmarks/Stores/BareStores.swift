import CSQLitePeer
import Foundation

/// A competitor that stores each value in a separate file. All files are in one folder.
final class PlainFiles: DiskCompetitor {
    let name = "plain files"
    private let path: String

    init(_ path: String) {
        self.path = path
        mkdir(path, 0o700)
    }

    func fill(from: Int, to: Int) throws {
        let small = small
        for index in from..<to { try write(small, index, -1) }
    }

    func put(_ value: Data, count: Int, round: Int) throws {
        for index in 0..<count { try write(value, index, round) }
    }

    func get(count: Int, round: Int) throws {
        for index in 0..<count { try read(place(index, of: count), round) }
    }

    /// Only reads a value, because a store of plain files does not need to be opened. ``DiskScenario`` does not
    /// measure this function.
    func open() throws { try read(0, -1) }

    func evict() throws {
        guard peer_files_evict(path) >= 0 else { throw ScenarioError.peerFailed }
    }

    func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: path).count }

    private func write(_ value: Data, _ index: Int, _ round: Int) throws {
        let status = value.withUnsafeBytes { peer_file_write("\(path)/\(round)-\(index)", $0.baseAddress, $0.count) }
        guard status == 0 else { throw ScenarioError.peerFailed }
    }

    private func read(_ index: Int, _ round: Int) throws {
        guard peer_file_read("\(path)/\(round)-\(index)") >= 0 else { throw ScenarioError.peerFailed }
    }
}

/// A competitor that stores the values in a table of an SQLite database. Each call of ``put(_:count:round:)`` stores
/// many values in one transaction.
final class BareSQLite: DiskCompetitor {
    let name = "bare SQLite"
    private let path: String
    private let handle: OpaquePointer

    init(_ path: String) throws {
        self.path = path
        handle = try Self.opened(path)
    }

    deinit { peer_sqlite_close(handle) }

    private static func opened(_ path: String) throws -> OpaquePointer {
        guard let handle = peer_sqlite_open(path) else { throw ScenarioError.peerFailed }
        return handle
    }

    func fill(from: Int, to: Int) throws { try put(small, from..<to, round: -1) }

    func put(_ value: Data, count: Int, round: Int) throws { try put(value, 0..<count, round: round) }

    func get(count: Int, round: Int) throws {
        for index in 0..<count { try read(handle, place(index, of: count), round) }
    }

    func open() throws {
        let second = try Self.opened(path)
        defer { peer_sqlite_close(second) }
        try read(second, 0, -1)
    }

    func evict() throws {
        guard peer_sqlite_evict(handle) == 0 else { throw ScenarioError.peerFailed }
    }

    func count() -> Int { peer_sqlite_count(handle) }

    private func put(_ value: Data, _ numbers: Range<Int>, round: Int) throws {
        peer_sqlite_begin(handle)
        defer { peer_sqlite_commit(handle) }
        for index in numbers {
            let status = value.withUnsafeBytes { peer_sqlite_put(handle, key(index, round), $0.baseAddress, $0.count) }
            guard status == 0 else { throw ScenarioError.peerFailed }
        }
    }

    private func read(_ handle: OpaquePointer, _ index: Int, _ round: Int) throws {
        guard peer_sqlite_get(handle, key(index, round)) >= 0 else { throw ScenarioError.peerFailed }
    }
}
