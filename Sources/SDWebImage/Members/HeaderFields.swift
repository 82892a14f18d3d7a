public import WebImage
import WebImageCompatibility

/// The header fields of a response. Names are stored as the server wrote them and are compared case-insensitively.
public struct SDHeaderFields: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    private var fields: [String: String]

    /// Creates header fields from a dictionary. If several names differ only in case, one of the names and one of the
    /// values are stored. It is undefined which name and which value are stored.
    public init(_ fields: [String: String]) {
        self.fields = [:]
        for (name, value) in fields { self[name] = value }
    }

    /// Creates header fields from pairs of name and value.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = [:]
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a field. The lookup ignores the case of the name. Setting nil removes the field.
    public subscript(name: String) -> String? {
        get { fields[name] ?? known(name).flatMap { fields[$0] } }
        set { fields[known(name) ?? name] = newValue }
    }

    /// The names as the server wrote them.
    public var keys: [String] { Array(fields.keys) }
    /// The number of fields.
    public var count: Int { fields.count }
    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }
    /// The fields as a dictionary. A lookup in the dictionary is case-sensitive.
    public var dictionary: [String: String] { fields }

    /// Iterates over names and values in undefined order.
    public func makeIterator() -> Dictionary<String, String>.Iterator { fields.makeIterator() }

    /// Whether both have the same fields. The case of the names is ignored.
    public static func == (left: SDHeaderFields, right: SDHeaderFields) -> Bool { left.folded == right.folded }

    /// Hashes the fields without the case of their names.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: [String: String] {
        Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    private func known(_ name: String) -> String? {
        let wanted = name.lowercased()
        return fields.keys.first { $0.lowercased() == wanted }
    }
}

extension WebImageResponse {
    /// The header fields of the response. Names are compared case-insensitively. The values of repeated fields are
    /// joined by `, `.
    public var allHeaderFields: SDHeaderFields {
        get { SDHeaderFields(fieldsAsReceived) }
        set { ownHeaderFields = newValue.dictionary }
    }
}
