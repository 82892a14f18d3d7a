import Foundation

/// Reading values out of the original's open dictionaries, once, into types.
extension Dictionary where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    /// The value of `key` when it has the wanted type; a wrong type is logged once with key and type.
    package func read<Wanted>(_ key: Key, as _: Wanted.Type) -> Wanted? {
        guard let value = self[key] else { return nil }
        if let wanted = value as? Wanted { return wanted }
        WrongTypeLog.report(key: key.rawValue, value: value, wanted: "\(Wanted.self)")
        return nil
    }

    /// The value of `key` as a number, whichever numeric type the caller wrote.
    package func readNumber(_ key: Key) -> Double? {
        guard let value = self[key] else { return nil }
        switch value {
        case let number as Double: return number
        case let number as Int: return Double(number)
        case let number as UInt: return Double(number)
        case let number as CGFloat: return Double(number)
        case let number as Float: return Double(number)
        case let number as Bool: return number ? 1 : 0
        case let number as NSNumber: return number.doubleValue
        default:
            WrongTypeLog.report(key: key.rawValue, value: value, wanted: "a number")
            return nil
        }
    }
}

extension Dictionary where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    /// The value of `key` as a number of bytes; nil for 0 and less and for what is no number, which mean "no bound".
    package func readByteCount(_ key: Key) -> Int? {
        guard let number = readNumber(key), number > 0 else { return nil }
        // `Int.max` as a double lies one above the largest integer.
        return number < 9e18 ? Int(number) : .max
    }
}

private enum WrongTypeLog {
    private static let reported = Locked<Set<String>>([])

    static func report(key: String, value: Any, wanted: String) {
        let complaint = "option \(key) is \(type(of: value)), wanted \(wanted); ignored"
        let isNew = reported.withLock { $0.insert(complaint).inserted }
        if isNew { WebImageLog.shared.log(.warning, complaint) }
    }
}
