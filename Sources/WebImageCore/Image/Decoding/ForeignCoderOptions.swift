import Foundation

/// Options that no built-in coder reads. They are compared and passed on to other coders.
///
/// Values are compared with `==` if they are `Hashable`, objects by address. Any other value equals no value,
/// not even itself, so that loads whose options may differ never share work.
package struct ForeignCoderOptions: @unchecked Sendable, Hashable {
    // Unchecked, because the values have type `Any`. The documentation requires values that are safe to use on any thread;
    // the dictionary itself is a value, and each load has its own copy.
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
        // Return early, because every load hashes its keys, usually without options. Sorting an empty list
        // would take 2,600 instructions.
        guard !values.isEmpty else { return }
        for key in values.keys.map(\.rawValue).sorted() { hasher.combine(key) }
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return left as AnyObject === right as AnyObject
    }
}
