import Foundation

/// Options no built-in coder knows: kept, compared and handed on for coders that do.
///
/// Values that cannot be compared are equal only to themselves, so that nothing is shared that might differ.
package struct FurtherCoderOptions: @unchecked Sendable, Hashable {
    // Unchecked is true because the dictionary is never changed after it was given, as for contexts.
    private(set) package var values: ImageCoderOptions

    package init(_ values: ImageCoderOptions = [:]) { self.values = values }

    package var isEmpty: Bool { values.isEmpty }

    package subscript(option: ImageCoderOption) -> Any? {
        get { values[option] }
        set { values[option] = newValue }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.values.count == right.values.count
            && left.values.allSatisfy { key, value in right.values[key].map { isEqual(value, $0) } ?? false }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values.count)
        for key in values.keys.map(\.rawValue).sorted() { hasher.combine(key) }
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return left as AnyObject === right as AnyObject
    }
}
