import Foundation

extension Dictionary where Key == WebImageContextOption, Value == Any {
    /// Returns whether both contexts certainly describe the same request, because all their values are equal or
    /// identical objects.
    ///
    /// Values that cannot be compared count as different.
    package func isSame(as other: Self) -> Bool {
        guard count == other.count else { return false }
        return allSatisfy { key, value in other[key].map { Self.isSame(value, $0) } ?? false }
    }

    private static func isSame(_ one: Any, _ other: Any) -> Bool {
        if type(of: one) is AnyClass, type(of: other) is AnyClass { return one as AnyObject === other as AnyObject }
        if let one = one as? any Equatable { return one.equals(other) }
        return false
    }
}

extension Equatable {
    fileprivate func equals(_ other: Any) -> Bool { (other as? Self) == self }
}
