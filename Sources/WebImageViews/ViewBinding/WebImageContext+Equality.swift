import Foundation
import WebImageCore
import WebImageLoading

extension Dictionary where Key == WebImageContextOption, Value == Any {
    /// Returns whether both contexts certainly describe the same request, because all their values are equal or
    /// identical objects.
    ///
    /// Transformers of one type are equal if their keys are equal, as for cache entries. Two receivers of the size are
    /// equal, because they do not affect the image. Other values that cannot be compared count as different.
    func isSame(as other: Self) -> Bool {
        guard count == other.count else { return false }
        return allSatisfy { key, value in
            guard let second = other[key] else { return false }
            return key == .pixelSizeReceiver || Same.value(value, second)
        }
    }
}

/// Compares values whose types are not known statically.
private enum Same {
    static func value(_ one: Any, _ other: Any) -> Bool {
        if let one = one as? any ImageTransformer, let other = other as? any ImageTransformer {
            return type(of: one) == type(of: other) && one.transformerKey == other.transformerKey
        }
        if let one = one as? Any.Type { return one == other as? Any.Type }
        if type(of: one) is AnyClass, type(of: other) is AnyClass { return one as AnyObject === other as AnyObject }
        if let one = one as? any Equatable { return one.equals(other) }
        if let one = one as? [AnyHashable: Any], let other = other as? [AnyHashable: Any] {
            return one.count == other.count
                && one.allSatisfy { key, first in other[key].map { value(first, $0) } ?? false }
        }
        return false
    }
}

extension Equatable {
    fileprivate func equals(_ other: Any) -> Bool { (other as? Self) == self }
}
