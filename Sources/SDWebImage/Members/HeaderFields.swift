public import WebImage

/// The header fields of an answer: names as the server wrote them, compared in any case.
public struct SDHeaderFields: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    private var fields: [String: String]

    /// Fields by name; of names that differ in case alone one is kept.
    public init(_ fields: [String: String]) {
        self.fields = [:]
        for (name, value) in fields { self[name] = value }
    }

    /// Fields by name.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = [:]
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a field, its name in any case; nil removes.
    public subscript(name: String) -> String? {
        get { fields[name] ?? known(name).flatMap { fields[$0] } }
        set { fields[known(name) ?? name] = newValue }
    }

    /// The names as the server wrote them.
    public var keys: [String] { Array(fields.keys) }
    /// How many there are.
    public var count: Int { fields.count }
    /// Whether there are none.
    public var isEmpty: Bool { fields.isEmpty }
    /// The fields as a dictionary, which compares names exactly.
    public var dictionary: [String: String] { fields }

    /// Names and values, in no order.
    public func makeIterator() -> Dictionary<String, String>.Iterator { fields.makeIterator() }

    private func known(_ name: String) -> String? {
        let wanted = name.lowercased()
        return fields.keys.first { $0.lowercased() == wanted }
    }
}

extension WebImageResponse {
    /// Header fields: names as the server wrote them, compared in any case; repeated ones joined by `, `.
    public var allHeaderFields: SDHeaderFields {
        get { SDHeaderFields(fieldsAsReceived) }
        set { ownHeaderFields = newValue.dictionary }
    }
}
