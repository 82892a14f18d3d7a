import Foundation

/// One way of storing values on disk.
protocol DiskCompetitor: AnyObject {
    var name: String { get }
    /// The process that does the work; nil is this process.
    var process: pid_t? { get }
    /// Stores values of 200 bytes for a range of numbers. They are the existing entries during timing.
    func fill(from: Int, to: Int) throws
    /// Stores `count` values of a round.
    func put(_ value: Data, count: Int, round: Int) throws
    /// Reads each value of a round, in another order.
    func get(count: Int, round: Int) throws
    /// Opens the folder again, reads a value and closes it.
    func open() throws
    /// Removes a sixteenth of the entries, oldest first.
    func evict() throws
    /// The number of values.
    func count() throws -> Int
}

extension DiskCompetitor {
    var process: pid_t? { nil }

    /// The key of a value; values stored by ``fill`` have round -1.
    func key(_ index: Int, _ round: Int) -> String {
        "https://images.example.com/2024/\(round)/\(index).jpg?size=large"
    }

    /// The index of the value to read at a position.
    func place(_ index: Int, of count: Int) -> Int { (index &* 79) % count }

    var small: Data { Data(count: 200) }
}
