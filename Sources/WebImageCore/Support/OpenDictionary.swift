import Foundation

/// Reads typed values from the untyped dictionaries (`[Key: Any]`) of SDWebImage's interface.
extension Dictionary where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    /// Returns the value of `key`. If the value has another type than `Wanted`, returns nil and logs a warning. The
    /// same warning is logged only once.
    package func read<Wanted>(_ key: Key, as _: Wanted.Type) -> Wanted? {
        guard let value = self[key] else { return nil }
        if let wanted = value as? Wanted { return wanted }
        WrongTypeLog.report(key: key.rawValue, value: value, wanted: "\(Wanted.self)")
        return nil
    }

    /// Returns the value of `key`, which can have any numeric type, as a number. If the value is not a number, returns
    /// nil and logs a warning. The same warning is logged only once.
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
    /// Returns the value of `key` as a number of bytes. Returns nil, which means "no limit", if the value is missing or
    /// is not a positive number.
    package func readByteCount(_ key: Key) -> Int? {
        guard let number = readNumber(key), number > 0 else { return nil }
        // `Int.max` cannot be compared here: as a `Double` it is rounded up to a number that no `Int` can store.
        return number < 9e18 ? Int(number) : .max
    }
}

private enum WrongTypeLog {
    private static let reported = Locked<Set<String>>([])

    static func report(key: String, value: Any, wanted: String) {
        let complaint = "option \(key) is \(type(of: value)), wanted \(wanted); ignored"
        let isNew = reported.withLock { $0.insert(complaint).inserted }
        if isNew { WebImageLog.shared.log(.warning, complaint, metadata: ["webimage.option": key]) }
    }
}
