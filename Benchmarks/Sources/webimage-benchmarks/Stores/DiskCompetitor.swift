import Foundation

/// A store for values on disk that takes part in ``DiskScenario``. A value is identified by its round and its
/// index.
protocol DiskCompetitor: AnyObject {
    var name: String { get }
    /// The process that does the work; nil means this process.
    var process: pid_t? { get }
    /// Stores a value of 200 bytes for each index from `from` up to but not including `to`, in round -1.
    /// These are the entries that the store already contains when it is measured.
    func fill(from: Int, to: Int) throws
    /// Stores `value` under `count` keys of a round.
    func put(_ value: Data, count: Int, round: Int) throws
    /// Reads the `count` values of a round, in an order that differs from the order in which they were
    /// stored.
    func get(count: Int, round: Int) throws
    /// Opens the store a second time, reads one value and closes the second handle.
    func open() throws
    /// Removes a sixteenth of the entries, oldest first.
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
