package import Foundation

/// JPEG files with a gain map that this file assembles byte by byte, without the package's own writer.
package struct GainMapSample {
    /// Which metadata the file has.
    package enum Form: String, CaseIterable, Sendable {
        case both, iso, xmp
        /// Adobe's form, and no place of the map in the XMP of the primary picture.
        case xmpWithoutContainer
        /// No multi-picture index.
        case withoutIndex
        /// Nothing in the primary picture, except the index.
        case onlyIndex
    }

    package let base: Data
    package let map: Data
    /// The numbers of each channel: minimum, maximum, gamma, base offset, alternate offset.
    package let channels: [[Double]]
    package let headrooms: (base: Double, alternate: Double)

    /// - Parameters:
    ///   - base: A JPEG file, as an encoder writes it.
    ///   - map: Another JPEG file.
    package init(base: Data, map: Data, channels: [[Double]], headrooms: (base: Double, alternate: Double)) {
        (self.base, self.map, self.channels, self.headrooms) = (base, map, channels, headrooms)
    }

    package func file(_ form: Form = .both) -> Data {
        let hasISO = form != .xmp && form != .xmpWithoutContainer
        let hasXMP = form != .iso
        var parts = Data()
        if hasXMP { parts += Self.segment(0xE1, Self.xmpName + Data(mapPacket.utf8)) }
        if hasISO { parts += Self.segment(0xE2, Self.isoName + isoPayload) }
        let map = Self.inserted(parts, into: map)
        var head = Data()
        if hasXMP, form != .xmpWithoutContainer, form != .onlyIndex {
            head += Self.segment(0xE1, Self.xmpName + Data(primaryPacket(mapLength: map.count).utf8))
        }
        if hasISO, form != .onlyIndex { head += Self.segment(0xE2, Self.isoName + Data(count: 4)) }
        let start = Self.place(in: base)
        let primary = base.prefix(start) + head
        guard form != .withoutIndex else { return primary + base.dropFirst(start) + map }
        let total = base.count + head.count + 90
        var index = Data("MPF\0MM\0*\0\0\0\u{8}".utf8) + Self.big(3, 2)
        index += Self.big(0xB000, 2) + Self.big(7, 2) + Self.big(4, 4) + Data("0100".utf8)
        index += Self.big(0xB001, 2) + Self.big(4, 2) + Self.big(1, 4) + Self.big(2, 4)
        index += Self.big(0xB002, 2) + Self.big(7, 2) + Self.big(32, 4) + Self.big(50, 4) + Self.big(0, 4)
        index += Self.big(0x030000, 4) + Self.big(total, 4) + Self.big(0, 8)
        index += Self.big(0, 4) + Self.big(map.count, 4) + Self.big(total - (primary.count + 8), 4) + Self.big(0, 4)
        return primary + Self.segment(0xE2, index) + base.dropFirst(start) + map
    }

    private static let isoName = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
    private static let xmpName = Data("http://ns.adobe.com/xap/1.0/\0".utf8)

    private var isoPayload: Data {
        var bytes = Data([0, 0, 0, 0, (channels.count == 3 ? 0x80 : 0) | 0x40])
        for value in [headrooms.base, headrooms.alternate] + channels.flatMap({ $0 }) {
            let numerator = UInt32(bitPattern: Int32((value * 1_048_576).rounded()))
            bytes += Self.big(Int(numerator), 4) + Self.big(1_048_576, 4)
        }
        return bytes
    }

    private var mapPacket: String {
        let names = ["GainMapMin", "GainMapMax", "Gamma", "OffsetSDR", "OffsetHDR"]
        var attributes = "hdrgm:Version=\"1.0\" hdrgm:HDRCapacityMin=\"\(min(headrooms.base, headrooms.alternate))\""
        attributes += " hdrgm:HDRCapacityMax=\"\(max(headrooms.base, headrooms.alternate))\""
        var elements = ""
        for (index, name) in names.enumerated() {
            if channels.count == 1 {
                attributes += " hdrgm:\(name)=\"\(channels[0][index])\""
            } else {
                let items = channels.map { "<rdf:li>\($0[index])</rdf:li>" }.joined()
                elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        return Self.packet("\(attributes)", elements)
    }

    private func primaryPacket(mapLength: Int) -> String {
        Self.packet(
            "hdrgm:Version=\"1.0\"",
            "<Container:Directory><rdf:Seq><rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"Primary\" "
                + "Item:Mime=\"image/jpeg\"/></rdf:li><rdf:li rdf:parseType=\"Resource\"><Container:Item "
                + "Item:Semantic=\"GainMap\" Item:Mime=\"image/jpeg\" Item:Length=\"\(mapLength)\"/></rdf:li></rdf:Seq>"
                + "</Container:Directory>")
    }

    private static func packet(_ attributes: String, _ elements: String) -> String {
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" "
            + "xmlns:Container=\"http://ns.google.com/photos/1.0/container/\" "
            + "xmlns:Item=\"http://ns.google.com/photos/1.0/container/item/\" \(attributes)>\(elements)</rdf:Description>"
            + "</rdf:RDF></x:xmpmeta>"
    }

    /// The position behind `APP0` and EXIF.
    private static func place(in file: Data) -> Int {
        var offset = 2
        while file[offset] == 0xFF, file[offset + 1] == 0xE0 || file[offset + 1] == 0xE1 {
            offset += 2 + Int(file[offset + 2]) << 8 + Int(file[offset + 3])
        }
        return offset
    }

    private static func inserted(_ segments: Data, into file: Data) -> Data {
        let place = place(in: file)
        return file.prefix(place) + segments + file.dropFirst(place)
    }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker]) + big(payload.count + 2, 2) + payload
    }

    private static func big(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) })
    }
}
