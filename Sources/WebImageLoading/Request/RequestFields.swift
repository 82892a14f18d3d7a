import Foundation
import WebImageCore

/// The values of a request, except for URL and options. Nil means the default, which the property of the same name in
/// ``ImageRequest`` describes.
///
/// A value is declared in the file of its group: the stored value with its context key, and the property of
/// ``ImageRequest``.
package struct RequestFields: Equatable, @unchecked Sendable {
    // Unchecked is correct: values of type `Any` come from a `WebImageContext`, which requires Sendable values, and the
    // structure itself is a value.

    package var picture = Picture()
    package var caching = Caching()
    package var loading = Loading()
    /// The values of keys that are not in ``table``, and values of a wrong type.
    package private(set) var custom = CustomValues()

    package init() {}

    /// Values in the untyped form.
    package struct CustomValues: Equatable {
        fileprivate(set) var values: WebImageContext = [:]
        package static func == (left: Self, right: Self) -> Bool { left.values.isSame(as: right.values) }
    }
}

// The untyped form.
extension RequestFields {
    /// The context key of each value. The path of a wrapped value names the stored value: writing through a path to a
    /// computed property allocates memory.
    private static let table = Picture.keys.merging(Caching.keys) { $1 }.merging(Loading.keys) { $1 }

    /// Parses a context. A value of a wrong type is logged once and kept in ``custom``.
    package init(_ context: WebImageContext) {
        self.init()
        for key in context.keys { take(key, from: context) }
    }

    /// The values as a context.
    package var context: WebImageContext {
        var context = custom.values
        for (key, field) in Self.table {
            if let value = field.read(self) { context[key] = value }
        }
        return context
    }

    /// The number of values.
    package var count: Int { custom.values.count + Self.table.values.count { $0.read(self) != nil } }

    /// The value of a key in the untyped form; nil if there is none.
    package subscript(key: WebImageContextOption) -> Any? {
        get { Self.table[key]?.read(self) ?? custom.values[key] }
        set {
            Self.table[key]?.remove(&self)
            custom.values[key] = nil
            if let newValue { take(key, from: [key: newValue]) }
        }
    }

    private mutating func take(_ key: WebImageContextOption, from context: WebImageContext) {
        guard Self.table[key]?.write(&self, context, key) != true else { return }
        custom.values[key] = context[key]
    }
}

/// The conversion of one value between ``RequestFields`` and a context.
struct RequestField: Sendable {
    let read: @Sendable (RequestFields) -> Any?
    /// Returns false if the context has a value of another type. Such a value is logged.
    let write: @Sendable (inout RequestFields, _ context: WebImageContext, _ key: WebImageContextOption) -> Bool
    let remove: @Sendable (inout RequestFields) -> Void

    static func converted<Value>(
        _ path: any WritableKeyPath<RequestFields, Value?> & Sendable,
        to write: @escaping @Sendable (Value) -> Any = { $0 },
        from read: @escaping @Sendable (WebImageContext, WebImageContextOption) -> Value?
    ) -> RequestField {
        RequestField(
            read: { $0[keyPath: path].map(write) },
            write: { fields, context, key in
                guard let value = read(context, key) else { return false }
                fields[keyPath: path] = value
                return true
            },
            remove: { $0[keyPath: path] = nil })
    }

    static func value<Value>(_ path: any WritableKeyPath<RequestFields, Value?> & Sendable) -> RequestField {
        converted(path) { $0.read($1, as: Value.self) }
    }

    /// The value in the context can be an ``ImageCacheType`` or its raw number, as in SDWebImage.
    static func cacheType(_ path: any WritableKeyPath<RequestFields, ImageCacheType?> & Sendable) -> RequestField {
        converted(path) { context, key in
            if let number = context[key] as? Int { return ImageCacheType(rawValue: number) }
            return context.read(key, as: ImageCacheType.self)
        }
    }
}

/// A value whose type does not conform to `Equatable`, such as a cache or a coder. ``SameValue`` compares such values.
@propertyWrapper package struct Compared<Value>: Equatable {
    package var wrappedValue: Value?

    package init() { wrappedValue = nil }

    package static func == (left: Self, right: Self) -> Bool {
        switch (left.wrappedValue, right.wrappedValue) {
        case (nil, nil): true
        case (let left?, let right?): SameValue.isSame(left, right)
        default: false
        }
    }
}

/// A value that does not affect the image. All such values are equal.
@propertyWrapper package struct Uncompared<Value>: Equatable {
    package var wrappedValue: Value?

    package init() { wrappedValue = nil }

    package static func == (left: Self, right: Self) -> Bool { true }
}

/// Compares values whose types are not known statically. Values that cannot be compared count as different.
private enum SameValue {
    static func isSame(_ one: Any, _ other: Any) -> Bool {
        if let one = one as? Any.Type { return one == other as? Any.Type }
        if type(of: one) is AnyClass, type(of: other) is AnyClass { return one as AnyObject === other as AnyObject }
        if let one = one as? any Equatable { return one.equals(other) }
        if let one = one as? [AnyHashable: Any], let other = other as? [AnyHashable: Any] {
            return one.count == other.count
                && one.allSatisfy { key, first in other[key].map { isSame(first, $0) } ?? false }
        }
        return false
    }
}

extension Equatable {
    fileprivate func equals(_ other: Any) -> Bool { (other as? Self) == self }
}

extension Dictionary where Key == WebImageContextOption, Value == Any {
    /// Returns whether both contexts certainly have the same values.
    fileprivate func isSame(as other: Self) -> Bool {
        count == other.count
            && allSatisfy { key, value in other[key].map { SameValue.isSame(value, $0) } ?? false }
    }
}
