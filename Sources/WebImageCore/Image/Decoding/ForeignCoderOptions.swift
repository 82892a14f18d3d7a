import Foundation

/// Options that no built-in coder reads. The library compares these options and passes them to other coders.
///
/// `Hashable` values are compared with `==`. Objects of other types are compared by address. Values of all other types
/// cannot be compared, so they are treated as different, even from themselves. If they were treated as equal, two loads
/// could share work although their options differ.
package struct ForeignCoderOptions: @unchecked Sendable, Hashable {
    // Unchecked is safe. The compiler cannot check values of type `Any`, but the public documentation requires values
    // that are safe on any thread. The dictionary itself is a value type: each load has a separate copy.
    private(set) package var values: ImageCoderOptions

    package init(_ values: ImageCoderOptions = [:]) { self.values = values }

    package var isEmpty: Bool { values.isEmpty }

    package subscript(option: ImageCoderOption) -> Any? {
        get { values[option] }
        set { values[option] = newValue }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.values.count == right.values.count && (left.values.isEmpty || haveEqualValues(left, right))
    }

    private static func haveEqualValues(_ left: Self, _ right: Self) -> Bool {
        left.values.allSatisfy { key, value in right.values[key].map { isEqual(value, $0) } ?? false }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values.count)
        // Every load hashes its options, and usually the dictionary is empty. Return early for an empty dictionary:
        // sorting its empty list of keys would take 2,600 instructions.
        guard !values.isEmpty else { return }
        for key in values.keys.map(\.rawValue).sorted() { hasher.combine(key) }
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return left as AnyObject === right as AnyObject
    }
}
