package import Foundation
package import WebImageCore

// The form of Adobe's specification "Gain map" 1.0, as the properties of an XMP packet.
extension GainMapMetadata {
    /// The namespace of the properties.
    package static let xmpNamespace = "http://ns.adobe.com/hdr-gain-map/1.0/"

    /// Reads the properties of the packet in a map. Returns nil if the packet has none.
    ///
    /// - Throws: `.badImageData` if a property is not a number, or has a value that no picture has.
    package init?(xmp packet: Data) throws(WebImageError) {
        guard let properties = XMPProperties(packet, namespace: Self.xmpNamespace),
            properties.texts("Version") != nil
        else { return nil }
        func values(_ name: String, default usual: Double) throws(WebImageError) -> [Double] {
            guard let texts = properties.texts(name) else { return [usual] }
            let numbers = texts.compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            guard numbers.count == texts.count, [1, 3].contains(numbers.count) else {
                throw Self.invalid("has a property \(name) that is no number")
            }
            return numbers
        }
        let (minima, maxima) = (try values("GainMapMin", default: 0), try values("GainMapMax", default: 1))
        let gammas = try values("Gamma", default: 1)
        let (standard, high) = (
            try values("OffsetSDR", default: 1.0 / 64), try values("OffsetHDR", default: 1.0 / 64)
        )
        let (least, most) = (try values("HDRCapacityMin", default: 0)[0], try values("HDRCapacityMax", default: 1)[0])
        let isBaseHDR = properties.texts("BaseRenditionIsHDR")?.first?.lowercased() == "true"
        let count = [minima, maxima, gammas, standard, high].map(\.count).max() ?? 1
        let channels = (0..<count).map { index in
            func value(_ list: [Double]) -> Double { list[list.count == 1 ? 0 : index] }
            // In XMP the offsets belong to the ranges; here they belong to base and alternate.
            return Channel(
                minimum: value(minima), maximum: value(maxima), gamma: value(gammas),
                baseOffset: value(isBaseHDR ? high : standard), alternateOffset: value(isBaseHDR ? standard : high))
        }
        self.init(
            channels: channels, baseHeadroom: isBaseHDR ? most : least, alternateHeadroom: isBaseHDR ? least : most)
        guard isUsable else { throw Self.invalid("has a number that no picture has") }
    }

    /// The properties as the attributes and elements of an `rdf:Description`, for the packet in a map.
    package var xmpDescription: String {
        func text(_ value: Double) -> String {
            String(format: "%.6f", locale: Locale(identifier: "en_US_POSIX"), value)
        }
        let lists: [(name: String, values: [Double])] = [
            ("GainMapMin", channels.map(\.minimum)), ("GainMapMax", channels.map(\.maximum)),
            ("Gamma", channels.map(\.gamma)),
            ("OffsetSDR", channels.map { isBaseHDR ? $0.alternateOffset : $0.baseOffset }),
            ("OffsetHDR", channels.map { isBaseHDR ? $0.baseOffset : $0.alternateOffset }),
        ]
        var attributes = "hdrgm:Version=\"1.0\""
        attributes += " hdrgm:HDRCapacityMin=\"\(text(min(baseHeadroom, alternateHeadroom)))\""
        attributes += " hdrgm:HDRCapacityMax=\"\(text(max(baseHeadroom, alternateHeadroom)))\""
        attributes += " hdrgm:BaseRenditionIsHDR=\"\(isBaseHDR ? "True" : "False")\""
        var elements = ""
        for (name, values) in lists {
            if values.count == 1 {
                attributes += " hdrgm:\(name)=\"\(text(values[0]))\""
            } else {
                let items = values.map { "<rdf:li>\(text($0))</rdf:li>" }.joined()
                elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        return "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(Self.xmpNamespace)\" \(attributes)>\(elements)"
            + "</rdf:Description>"
    }
}

/// The properties of one namespace in an XMP packet: attributes, elements with text, and elements with a list.
///
/// It is no parser of XML. It finds the names of properties, and passes over everything else. A packet is hostile input:
/// each step moves forwards, and the length of the packet is limited by its segment.
package struct XMPProperties {
    private let packet: Data
    private let text: [UInt8]
    private let prefixes: [[UInt8]]

    private static let mostBytes = 1 << 20

    /// Returns nil if the packet does not declare the namespace.
    package init?(_ packet: Data, namespace: String) {
        guard packet.count <= Self.mostBytes else { return nil }
        self.packet = Data(packet)
        text = Array(packet)
        var found: [[UInt8]] = []
        let address = Data(namespace.utf8)
        var start = 0
        // A declaration has the form `xmlns:prefix="address"`.
        while let place = self.packet.range(of: address, in: start..<text.count), found.count < 8 {
            start = place.upperBound
            guard place.lowerBound >= 2, [0x22, 0x27].contains(text[place.lowerBound - 1]) else { continue }
            var end = place.lowerBound - 2
            while end >= 0, Self.isBlank(text[end]) || text[end] == UInt8(ascii: "=") { end -= 1 }
            var first = end
            while first >= 0, Self.isNameByte(text[first]) { first -= 1 }
            if first < end, first >= 0, text[first] == UInt8(ascii: ":") { found.append(Array(text[first + 1...end])) }
        }
        guard !found.isEmpty else { return nil }
        prefixes = found
    }

    /// Returns the values of a property: one for an attribute or an element with text, several for a list. Nil if the packet
    /// has no such property.
    package func texts(_ name: String) -> [String]? { all(name, atMost: 1).first }

    /// Returns the values of each occurrence of a property, in the order of the packet.
    package func all(_ name: String, atMost count: Int = 32) -> [[String]] {
        var found: [[String]] = []
        for prefix in prefixes {
            let full = Data(prefix + [UInt8(ascii: ":")] + Array(name.utf8))
            var start = 0
            while start < text.count, let place = packet.range(of: full, in: start..<text.count), found.count < count {
                start = place.upperBound
                guard place.lowerBound > 0, start < text.count else { continue }
                let before = text[place.lowerBound - 1]
                if before == UInt8(ascii: "<"), let values = element(from: start) {
                    found.append(values)
                } else if Self.isBlank(before), let value = attribute(from: start) {
                    found.append([value])
                }
            }
        }
        return found
    }

    /// The text after `="`, up to the same quotation mark.
    private func attribute(from start: Int) -> String? {
        var index = start
        while index < text.count, Self.isBlank(text[index]) || text[index] == UInt8(ascii: "=") { index += 1 }
        guard index > start, index < text.count, [0x22, 0x27].contains(text[index]) else { return nil }
        let first = index + 1
        guard let end = text[first...].prefix(256).firstIndex(of: text[index]) else { return nil }
        return String(decoding: text[first..<end], as: UTF8.self)
    }

    /// The text of the element whose name ends at `start`, or the texts of its list.
    private func element(from start: Int) -> [String]? {
        guard Self.isBlank(text[start]) || text[start] == UInt8(ascii: ">"),
            let open = text[start...].prefix(256).firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        var values: [String] = []
        var current: [UInt8] = []
        var index = open + 1
        // The end of the property is the first end tag that is neither of the list nor of its items.
        while index < min(text.count, open + 4096) {
            guard text[index] == UInt8(ascii: "<") else {
                current.append(text[index])
                index += 1
                continue
            }
            guard let close = text[index...].prefix(256).firstIndex(of: UInt8(ascii: ">")) else { return nil }
            let tag = String(decoding: text[index...close], as: UTF8.self)
            let value = String(decoding: current, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if tag.hasPrefix("</") {
                if !value.isEmpty { values.append(value) }
                guard tag.contains(":li") || tag.contains(":Seq") || tag.contains(":Bag") else { break }
            }
            current = []
            index = close + 1
        }
        return values.isEmpty ? nil : values
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isASCIIDigit || byte.isASCIILetter || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".")
    }
}
