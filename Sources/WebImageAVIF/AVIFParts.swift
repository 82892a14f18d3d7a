import Foundation
import WebImageCore

/// The boxes of a still image that libavif has written.
struct AVIFParts {
    let file: HEIFBoxReader
    /// The content of `ftyp`, of `meta` and of `mdat`.
    let brands: Range<Int>, meta: Range<Int>, data: Range<Int>
    /// The boxes in `meta`.
    let parts: [HEIFBoxReader.Box]
    let primary: Int
    /// The greatest number of an item.
    let lastItem: Int
    /// All properties, and those of the primary item by their numbers, which start with 1.
    let properties: [HEIFBoxReader.Box]
    let associations: [(index: Int, isEssential: Bool)]

    static let unknown = WebImageError.cannotEncode("libavif", "the file has an unknown form")

    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        file = HEIFBoxReader(bytes)
        let top = try file.boxes(in: 0..<bytes.count)
        guard top.map(\.type) == ["ftyp", "meta", "mdat"] else { throw Self.unknown }
        (brands, meta, data) = (top[0].content, top[1].content, top[2].content)
        parts = try file.boxes(in: file.rest(of: meta, after: 4))
        let items = try HEIFItems(bytes)
        guard items.primary.count == 1, let last = items.types.keys.max(), last < 1 << 15,
            let container = parts.first(where: { $0.type == "iprp" })
        else { throw Self.unknown }
        (primary, lastItem) = (items.primary[0], last)
        guard let list = try file.boxes(in: container.content).first else { throw Self.unknown }
        properties = try file.boxes(in: list.content)
        associations = try items.associations(of: primary)
        let count = properties.count
        guard associations.allSatisfy({ (1...max(count, 1)).contains($0.index) }), count > 0 else { throw Self.unknown }
    }

    // MARK: Writing

    /// The box `iloc`, whose old items have moved.
    func locations(
        _ box: HEIFBoxReader.Box, moved: Int, _ added: [(item: Int, place: Int, count: Int)] = []
    ) throws(WebImageError) -> [UInt8] {
        let start = box.content.lowerBound
        // Version 0 with offsets and lengths of four bytes, and no base offsets.
        guard try file.version(of: box) == 0, try file.number(at: start + 4, bytes: 2, in: box) == 0x4400 else {
            throw Self.unknown
        }
        var bytes = Array(file.bytes[box.content])
        let count = try file.number(at: start + 6, bytes: 2, in: box)
        var offset = 8
        for _ in 0..<count {
            let extents = try file.number(at: start + offset + 4, bytes: 2, in: box)
            for extent in 0..<extents {
                let place = offset + 6 + 8 * extent
                let old = try file.number(at: start + place, bytes: 4, in: box)
                guard data.contains(old) else { throw Self.unknown }
                bytes.replaceSubrange(place..<place + 4, with: Self.big(old + moved, 4))
            }
            offset += 6 + 8 * extents
        }
        bytes.replaceSubrange(6..<8, with: Self.big(count + added.count, 2))
        for (item, place, count) in added {
            bytes += Self.big(item, 2) + Self.big(0, 2) + Self.big(1, 2) + Self.big(place, 4) + Self.big(count, 4)
        }
        return bytes
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension AVIFParts {
    /// Returns the file with the light level of the primary picture (the box `clli`). libavif writes it from version 1.0 on; this
    /// function gives the same bytes with every version.
    func file(with light: ContentLightLevel) throws(WebImageError) -> Data {
        let head = Self.box("ftyp", Array(file.bytes[brands]))
        func metaBox(start: Int) throws(WebImageError) -> [UInt8] {
            var content = Array(file.bytes[meta.prefix(4)])
            for part in parts {
                switch part.type {
                case "iloc": content += Self.box("iloc", try locations(part, moved: start - data.lowerBound))
                case "iprp": content += Self.box("iprp", try properties(part, with: light))
                default: content += Self.box(part.type, Array(file.bytes[part.content]))
                }
            }
            return Self.box("meta", content)
        }
        // The length of the box does not depend on the places in it.
        let start = head.count + (try metaBox(start: data.lowerBound).count) + 8
        guard start + data.count < 1 << 31 else { throw .cannotEncode("libavif", "the file would be over 2 GiB") }
        return Data(head + (try metaBox(start: start)) + Self.box("mdat", Array(file.bytes[data])))
    }

    /// The box `iprp` with another property of the primary picture.
    private func properties(
        _ box: HEIFBoxReader.Box, with light: ContentLightLevel
    ) throws(WebImageError) -> [UInt8] {
        let boxes = try file.boxes(in: box.content)
        guard boxes.map(\.type) == ["ipco", "ipma"], properties.count < 127 else { throw Self.unknown }
        let levels = [light.maximum, light.average].flatMap { Self.big(min(max($0, 0), 65535), 2) }
        let container = Array(file.bytes[boxes[0].content]) + Self.box("clli", levels)
        let (list, start) = (boxes[1], boxes[1].content.lowerBound)
        // Version 0, with numbers of properties of one byte.
        guard try file.number(at: start, bytes: 4, in: list) == 0 else { throw Self.unknown }
        var (content, offset) = (Array(file.bytes[list.content.prefix(8)]), start + 8)
        for _ in 0..<(try file.number(at: start + 4, bytes: 4, in: list)) {
            let item = try file.number(at: offset, bytes: 2, in: list)
            let count = try file.number(at: offset + 2, bytes: 1, in: list)
            guard count < 255, offset + 3 + count <= list.content.upperBound else { throw Self.unknown }
            var indices = Array(file.bytes[offset + 3..<offset + 3 + count])
            if item == primary {
                // Properties that describe a picture precede those that turn or cut it (ISO/IEC 23008-12 §9.3.1).
                let place = indices.firstIndex { index in
                    let number = Int(index & 0x7F) - 1
                    return properties.indices.contains(number)
                        && ["irot", "imir", "clap"].contains(properties[number].type)
                }
                indices.insert(UInt8(properties.count + 1), at: place ?? indices.count)
            }
            content += Self.big(item, 2) + [UInt8(indices.count)] + indices
            offset += 3 + count
        }
        return Self.box("ipco", container) + Self.box("ipma", content)
    }
}
