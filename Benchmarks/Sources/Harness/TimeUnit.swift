import Foundation

/// The unit in which times are printed.
public enum TimeUnit: String, Codable, Sendable {
    case milliseconds = "ms"
    case microseconds = "µs"
    case nanoseconds = "ns"

    /// Returns the time per operation in this unit. The parameters are the milliseconds of a run and its number of
    /// operations.
    public func value(_ milliseconds: Double, of operations: Int) -> Double {
        let scale =
            switch self {
            case .milliseconds: 1.0
            case .microseconds: 1e3
            case .nanoseconds: 1e6
            }
        return milliseconds * scale / Double(operations)
    }

    /// Returns ``value(_:of:)`` as text with the unit.
    func text(_ milliseconds: Double, of operations: Int) -> String {
        String(format: self == .nanoseconds ? "%9.1f " : "%9.2f ", value(milliseconds, of: operations)) + rawValue
    }
}
