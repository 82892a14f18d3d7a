/// The fields of an HTTP message in order. A name may occur more than once. The case of a name is ignored in
/// comparisons (RFC 9110 §5).
public struct ServiceHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name with its original upper and lower case.
        public var name: String
        /// The value without the line end.
        public var value: String

        /// Pairs a name with its value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields in order.
    public private(set) var fields: [Field] = []

    /// Creates an empty list of fields.
    public init() {}

    /// Creates the fields of a dictionary literal, in the order of the literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The values of all fields with this name, joined by commas (RFC 9110 §5.3). Setting a value replaces all these
    /// fields; setting nil removes them.
    ///
    /// A value that contains a control character other than a tab is not stored, because the character could end the
    /// field. The old fields are still removed.
    public subscript(name: String) -> String? {
        get {
            let values = fields.lazy.filter { Self.isSame($0.name, name) }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// Adds a field at the end. A field whose name or value contains a control character other than a tab is not added.
    public mutating func append(_ name: String, _ value: String) {
        guard Self.isSafe(name), Self.isSafe(value) else { return }
        fields.append(Field(name, value))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        return left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func isSafe(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    }
}
