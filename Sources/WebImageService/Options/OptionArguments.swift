import Foundation

/// The arguments of one option, read in order.
struct OptionArguments {
    /// The option's name as written in the target.
    let name: Substring
    private var rest: ArraySlice<Substring>

    init(name: Substring, arguments: [Substring]) {
        self.name = name
        rest = arguments[...]
    }

    var isEmpty: Bool { rest.isEmpty }
    var count: Int { rest.count }

    mutating func next() -> Substring? { rest.popFirst() }

    /// Returns the next argument; nil if the argument is missing or empty. The caller then leaves the option's value
    /// unchanged.
    mutating func nextUnlessEmpty() -> Substring? {
        guard let text = rest.popFirst(), !text.isEmpty else { return nil }
        return text
    }

    mutating func required(_ what: String) throws(ServiceRefusal) -> Substring {
        guard let text = rest.popFirst() else { throw refusal("\(what) is missing") }
        return text
    }

    func finish() throws(ServiceRefusal) {
        if let surplus = rest.first { throw refusal("one argument too many: \(Printable(surplus))") }
    }

    func refusal(_ problem: String) -> ServiceRefusal { .option(name, problem) }

    // The following functions parse values. They check the characters of a number first, because the parsers of Swift
    // and Foundation accept texts such as `+1`, `0x1p3` and `inf`.

    func integer(_ text: Substring, in range: ClosedRange<Int>, _ what: String) throws(ServiceRefusal) -> Int {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
            range.contains(value)
        else {
            throw refusal(
                "\(what) \(Printable(text)) is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func number(_ text: Substring, in range: ClosedRange<Double>, _ what: String) throws(ServiceRefusal) -> Double {
        let isPlain = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "e")].contains($0)
        }
        guard isPlain, text.utf8.count <= 32, let value = Double(text), value.isFinite, range.contains(value) else {
            throw refusal(
                "\(what) \(Printable(text)) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Parses a flag: `1`, `t`, `T`, `true`, `True` and `TRUE` are true. Any other text is false, as in imgproxy.
    func boolean(_ text: Substring) -> Bool { ["1", "t", "T", "true", "True", "TRUE"].contains(text) }

    func color(_ hex: Substring) throws(ServiceRefusal) -> PlainColor {
        guard let color = PlainColor(hex: hex) else {
            throw refusal("\(Printable(hex)) is not a colour of 3 or 6 hexadecimal digits")
        }
        return color
    }

    func format(_ text: Substring) throws(ServiceRefusal) -> OutputFormat {
        guard let format = OutputFormat(name: text) else { throw refusal("\(Printable(text)) is not a format") }
        return format
    }

    /// Reads a gravity from the next arguments.
    mutating func gravity(allowing: Set<Gravity.Anchor>) throws(ServiceRefusal) -> Gravity {
        let text = try required("the gravity")
        guard let anchor = Gravity.Anchor(rawValue: String(text)), allowing.contains(anchor) else {
            throw refusal("\(Printable(text)) is not a gravity that is supported here")
        }
        var gravity = Gravity(anchor: anchor)
        switch anchor {
        case .smart: break
        case .focusPoint:
            gravity.x = try number(try required("x of the focus point"), in: 0...1, "x of the focus point")
            gravity.y = try number(try required("y of the focus point"), in: 0...1, "y of the focus point")
        default:
            if let x = nextUnlessEmpty() { gravity.x = try number(x, in: -1e6...1e6, "the offset") }
            if let y = nextUnlessEmpty() { gravity.y = try number(y, in: -1e6...1e6, "the offset") }
        }
        return gravity
    }
}
