import Foundation

/// The host of an address in the spelling of the WHATWG URL Standard (§3.5): a name in ASCII, an address in brackets, an
/// IPv4 address as four numbers, or the text of an unknown scheme.
struct AddressHost {
    /// The host with its brackets.
    let text: [UInt8]

    /// Parses a host; nil if it is no host. Only the hosts of special schemes are names and IPv4 addresses.
    init?(_ input: ArraySlice<UInt8>, isSpecial: Bool) {
        if input.first == UInt8(ascii: "[") {
            guard input.last == UInt8(ascii: "]"), input.count > 2,
                let text = Self.bracketed(input.dropFirst().dropLast())
            else { return nil }
            self.text = Array("[\(text)]".utf8)
        } else if isSpecial {
            guard let name = Self.name(input) else { return nil }
            text = name
        } else {
            guard !input.contains(where: { Self.isForbidden($0) }) else { return nil }
            text = AddressCharacters.opaqueHost.escaped(input)
        }
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte == 0 || "\t\n\r #/:<>?@[\\]^|".utf8.contains(byte)
    }

    // MARK: Names

    private static func name(_ input: ArraySlice<UInt8>) -> [UInt8]? {
        guard let decoded = String(validating: PercentEncoding.decoded(input), as: UTF8.self) else { return nil }
        var name = decoded.lowercased()
        if !decoded.utf8.allSatisfy({ $0 < 0x80 }) {
            // Foundation maps the name to ASCII (UTS #46). It would read these characters as the end of the name.
            guard !decoded.utf8.contains(where: { $0 < 0x80 && !isPlain($0) }),
                let ascii = URL(string: "http://\(decoded)/")?.absoluteString
            else { return nil }
            // `host` would decode an escape that the mapping has made of a wide `%`.
            name = String(ascii.dropFirst("http://".count).dropLast()).lowercased()
        }
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, !bytes.contains(where: { isForbidden($0) || $0 < 0x20 || $0 == 0x7F || $0 == 0x25 })
        else {
            return nil
        }
        guard endsInNumber(bytes) else { return AddressCharacters.opaqueHost.escaped(bytes[...]) }
        return addressV4(bytes).map { Array($0.utf8) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._".utf8.contains(byte)
    }

    // MARK: IPv4

    private static func labels(_ name: [UInt8]) -> [ArraySlice<UInt8>] {
        var labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        return labels
    }

    private static func endsInNumber(_ name: [UInt8]) -> Bool {
        guard let last = labels(name).last else { return false }
        return !last.isEmpty && last.allSatisfy(\.isASCIIDigit) || number(last) != nil
    }

    /// Parses one to four decimal, octal or hexadecimal numbers. The last number fills the remaining bytes.
    private static func addressV4(_ name: [UInt8]) -> String? {
        let labels = labels(name)
        let numbers = labels.compactMap { number($0) }
        guard labels.count <= 4, numbers.count == labels.count, let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 < 256 }), last < 1 << UInt64(8 * (5 - numbers.count))
        else { return nil }
        let address = numbers.dropLast().enumerated().reduce(last) { $0 | $1.element << UInt64(8 * (3 - $1.offset)) }
        return (0..<4).reversed().map { String(address >> UInt64(8 * $0) & 255) }.joined(separator: ".")
    }

    /// Parses a number; nil if the text is no number. A number above 2³² stands for every larger number.
    private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
        guard let first = text.first else { return nil }
        var (digits, radix): (ArraySlice<UInt8>, UInt64) = (text, 10)
        if first == UInt8(ascii: "0"), text.count > 1 {
            let isHex = text[text.startIndex + 1] | 0x20 == UInt8(ascii: "x")
            (digits, radix) = (text.dropFirst(isHex ? 2 : 1), isHex ? 16 : 8)
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = PercentEncoding.hexValue(byte), digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 40)
        }
        return value
    }

    // MARK: IPv6

    /// Returns the canonical spelling of an IPv6 address, with its zone if it has one.
    private static func bracketed(_ input: ArraySlice<UInt8>) -> String? {
        let end = input.firstIndex(of: UInt8(ascii: "%")) ?? input.endIndex
        guard let groups = groups(input[..<end]) else { return nil }
        let zone = input[end...]
        guard !zone.isEmpty else { return spelled(groups) }
        // A zone is `%25` and a name of RFC 6874.
        guard zone.starts(with: "%25".utf8), zone.count > 3, zone.dropFirst(3).allSatisfy({ isPlain($0) }) else {
            return nil
        }
        return spelled(groups) + String(decoding: zone, as: UTF8.self)
    }

    private static func groups(_ input: ArraySlice<UInt8>) -> [UInt16]? {
        var (groups, gap): ([UInt16], Int?) = ([], nil)
        var rest = input
        if rest.starts(with: "::".utf8) {
            (gap, rest) = (0, rest.dropFirst(2))
        }
        while !rest.isEmpty {
            guard groups.count < 8 else { return nil }
            let part = rest.prefix { $0 != UInt8(ascii: ":") }
            if part.contains(UInt8(ascii: ".")) {
                guard part.endIndex == rest.endIndex, groups.count <= 6, let pair = embedded(part) else { return nil }
                groups += pair
                break
            }
            guard part.count <= 4, let value = UInt16(String(decoding: part, as: UTF8.self), radix: 16),
                part.allSatisfy({ PercentEncoding.hexValue($0) != nil })
            else { return nil }
            groups.append(value)
            rest = rest[part.endIndex...].dropFirst()
            if rest.isEmpty, part.endIndex < input.endIndex { return nil }
            if rest.first == UInt8(ascii: ":") {
                guard gap == nil else { return nil }
                (gap, rest) = (groups.count, rest.dropFirst())
            }
        }
        guard let gap else { return groups.count == 8 ? groups : nil }
        guard groups.count < 8 else { return nil }
        groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
        return groups
    }

    /// Parses the IPv4 address at the end of an IPv6 address: four decimal numbers without leading zeros.
    private static func embedded(_ part: ArraySlice<UInt8>) -> [UInt16]? {
        let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let bytes = labels.compactMap { label -> UInt16? in
            guard label.allSatisfy(\.isASCIIDigit), label.count == 1 || label.first != UInt8(ascii: "0") else {
                return nil
            }
            return UInt8(String(decoding: label, as: UTF8.self)).map(UInt16.init)
        }
        guard labels.count == 4, bytes.count == 4 else { return nil }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
    }

    private static func spelled(_ groups: [UInt16]) -> String {
        var (best, start): (Range<Int>, Int) = (0..<0, 0)
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(best.count, 1) { best = start..<index }
            start = index + 1
        }
        func text(_ groups: ArraySlice<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !best.isEmpty else { return text(groups[...]) }
        return text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
    }
}
