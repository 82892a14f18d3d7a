import Foundation

/// One way of keeping values on disk.
protocol DiskRival: AnyObject {
    var name: String { get }
    /// The process that does it; nil is this one.
    var process: pid_t? { get }
    /// Values of 200 bytes, numbered from one up to another: those that it holds when it is timed.
    func fill(from: Int, to: Int) throws
    /// So many values of a round.
    func put(_ value: Data, count: Int, round: Int) throws
    /// Each of a round, in another order.
    func get(count: Int, round: Int) throws
    /// Opens the folder once more, reads a value and closes it.
    func open() throws
    /// Removes a sixteenth, oldest first.
    func evict() throws
    /// How many values there are.
    func count() throws -> Int
}

extension DiskRival {
    var process: pid_t? { nil }

    /// The key of a value; those of the filling are of round -1.
    func key(_ index: Int, _ round: Int) -> String {
        "https://images.example.com/2024/\(round)/\(index).jpg?size=large"
    }

    /// The value that comes so manieth in a reading.
    func place(_ index: Int, of count: Int) -> Int { (index &* 79) % count }

    var small: Data { Data(count: 200) }
}
