import Foundation
import WebImage

/// One JSON object on one line. The members are in insertion order.
struct JSONLine {
    enum Value {
        case string(String)
        case integer(Int)
        case number(Double)
        case bool(Bool)
        case numbers([Double])
        case null

        init(_ value: Int?) { self = value.map(Value.integer) ?? .null }
        init(_ value: String?) { self = value.map(Value.string) ?? .null }
    }

    private var members: [String] = []

    mutating func add(_ name: String, _ value: Value) {
        members.append("\(Self.quoted(name)):\(Self.text(value))")
    }

    /// Adds a word of the system, such as a path. If the word is not UTF-8, a second member contains its bytes, because
    /// JSON cannot contain them: `pathBase64` for `path`.
    mutating func add(_ name: String, ofWord word: String) {
        let bytes = RawText.bytes(of: word)
        add(name, .string(String(decoding: bytes, as: UTF8.self)))
        if String(validating: bytes, as: UTF8.self) == nil {
            add(name + "Base64", .string(Data(bytes).base64EncodedString()))
        }
    }

    var text: String { "{" + members.joined(separator: ",") + "}" }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let string): quoted(string)
        case .integer(let integer): String(integer)
        case .number(let number): String(plainFormat: "%.2f", number)
        case .bool(let bool): bool ? "true" : "false"
        case .numbers(let numbers): "[" + numbers.map(shortest).joined(separator: ",") + "]"
        case .null: "null"
        }
    }

    /// Returns the text of a number. A whole number has no decimal point, and other numbers have up to three decimals.
    private static func shortest(_ number: Double) -> String {
        let thousandths = (number * 1000).rounded()
        if thousandths.truncatingRemainder(dividingBy: 1000) == 0 { return String(Int(thousandths / 1000)) }
        var text = String(plainFormat: "%.3f", thousandths / 1000)
        while text.hasSuffix("0") { text.removeLast() }
        return text
    }

    /// Returns the text as a JSON string in quotes (RFC 8259 §7).
    private static func quoted(_ string: String) -> String {
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
                result += String(plainFormat: "\\u%04x", scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
