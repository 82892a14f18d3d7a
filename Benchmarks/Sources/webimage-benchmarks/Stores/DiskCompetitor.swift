import Foundation

/// A store for values on disk that takes part in ``DiskScenario``. A value is identified by its round and its
/// index.
protocol DiskCompetitor: AnyObject {
    var name: String { get }
    /// The ID of the process that does the work, or nil if this process does the work.
    var process: pid_t? { get }
    /// Stores a value of 200 bytes for each index from `from` up to but not including `to`. The round of these values
    /// is -1. They are the entries that the store contains before the measurement.
    func fill(from: Int, to: Int) throws
    /// Stores `value` under `count` keys of a round.
    func put(_ value: Data, count: Int, round: Int) throws
    /// Reads the `count` values of a round. The order of the reads differs from the order of the puts.
    func get(count: Int, round: Int) throws
    /// Opens the store a second time, reads one value, and closes the store that was opened last.
    func open() throws
    /// Removes the oldest sixteenth of the entries.
    func evict() throws
    /// Returns the number of stored values.
    func count() throws -> Int
}

extension DiskCompetitor {
    var process: pid_t? { nil }

    /// Returns the key of a value. Values that ``fill(from:to:)`` stored have round -1.
    func key(_ index: Int, _ round: Int) -> String {
        "https://images.example.com/2024/\(round)/\(index).jpg?size=large"
    }

    /// Returns the index of the value to read at position `index` of the reading order.
    func place(_ index: Int, of count: Int) -> Int { (index &* 79) % count }

    var small: Data { Data(count: 200) }
}
