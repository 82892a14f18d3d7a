package import Foundation

/// The items of a HEIF or AVIF file as the boxes of `meta` describe them (ISO/IEC 14496-12 §8.11).
package struct HEIFItems {
    /// The numbers of the primary items. A valid file has one primary item. A faulty file can have several.
    package private(set) var primary: [Int] = []
    /// The declared types of each item. The keys are item numbers. A faulty file can declare several types for one
    /// item.
    package private(set) var types: [Int: Set<String>] = [:]
    /// The byte ranges of the contents of all `hvcC` boxes in the item properties.
    package private(set) var configurations: [Range<Int>] = []
    /// The items that libheif decodes together with each item. The keys are item numbers. The values are the item's
    /// tiles or its source (`dimg`), and its auxiliary pictures (`auxl`).
    package private(set) var sources: [Int: [Int]] = [:]
    /// The items that each item describes as its metadata (`cdsc`). The keys are item numbers.
    package private(set) var described: [Int: Set<Int>] = [:]
    private var locations: [Int: [Location]] = [:]
    private var itemData: [Range<Int>] = []
    /// The place and the number of bytes of the primary item's number in each box `pitm`.
    package private(set) var primaryPlaces: [Range<Int>] = []
    /// The place of the byte with the flags of each item. Bit 0 means that viewers do not show the item by itself.
    package private(set) var flagPlaces: [Int: Int] = [:]
    private var propertyBoxes: [HEIFBoxReader.Box] = []
    private let file: HEIFBoxReader

    private struct Location {
        var method: Int
        var extents: [(offset: Int, length: Int)]
    }

    package init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        file = HEIFBoxReader(bytes)
        for box in try file.boxes(in: 0..<bytes.count) where box.type == "meta" {
            for part in try file.boxes(in: file.rest(of: box.content, after: 4)) { try take(part) }
        }
    }

    private mutating func take(_ box: HEIFBoxReader.Box) throws(WebImageError) {
        let start = box.content.lowerBound
        switch box.type {
        case "pitm":
            let count = try file.version(of: box) == 0 ? 2 : 4
            primary.append(try file.number(at: start + 4, bytes: count, in: box))
            primaryPlaces.append(start + 4..<start + 4 + count)
        case "iinf":
            let head = try file.version(of: box) == 0 ? 6 : 8
            for entry in try file.boxes(in: file.rest(of: box.content, after: head))
            where entry.type == "infe" {
                try takeEntry(entry)
            }
        case "iloc": try takeLocations(box)
        case "iref":
            let isWide = try file.version(of: box) != 0
            for reference in try file.boxes(in: file.rest(of: box.content, after: 4)) {
                try takeReference(reference, numberBytes: isWide ? 4 : 2)
            }
        case "idat": itemData.append(box.content)
        case "iprp":
            propertyBoxes.append(box)
            for container in try file.boxes(in: box.content) where container.type == "ipco" {
                for property in try file.boxes(in: container.content) where property.type == "hvcC" {
                    configurations.append(property.content)
                }
            }
        default: break
        }
    }

    private mutating func takeEntry(_ box: HEIFBoxReader.Box) throws(WebImageError) {
        let version = try file.version(of: box)
        guard version >= 2 else { return }
        let numberBytes = version == 2 ? 2 : 4
        let number = try file.number(at: box.content.lowerBound + 4, bytes: numberBytes, in: box)
        types[number, default: []].insert(
            try file.type(at: box.content.lowerBound + 4 + numberBytes + 2, in: box))
        flagPlaces[number] = box.content.lowerBound + 3
    }

    private mutating func takeReference(_ box: HEIFBoxReader.Box, numberBytes: Int)
        throws(WebImageError)
    {
        guard box.type == "dimg" || box.type == "auxl" || box.type == "cdsc" else { return }
        var offset = box.content.lowerBound
        func next(_ bytes: Int) throws(WebImageError) -> Int {
            defer { offset += bytes }
            return try file.number(at: offset, bytes: bytes, in: box)
        }
        let from = try next(numberBytes)
        for _ in 0..<(try next(2)) {
            let to = try next(numberBytes)
            switch box.type {
            case "dimg": sources[from, default: []].append(to)
            case "auxl": sources[to, default: []].append(from)
            default: described[from, default: []].insert(to)
            }
        }
    }

    private mutating func takeLocations(_ box: HEIFBoxReader.Box) throws(WebImageError) {
        let version = try file.version(of: box)
        var offset = box.content.lowerBound + 4
        func next(_ bytes: Int) throws(WebImageError) -> Int {
            defer { offset += bytes }
            return try file.number(at: offset, bytes: bytes, in: box)
        }
        let sizes = try next(2)
        let (offsetBytes, lengthBytes, baseBytes) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexBytes = version == 0 ? 0 : sizes & 15
        for _ in 0..<(try next(version < 2 ? 2 : 4)) {
            let number = try next(version < 2 ? 2 : 4)
            let method = version == 0 ? 0 : try next(2) & 15
            _ = try next(2)
            let base = try next(baseBytes)
            var extents: [(offset: Int, length: Int)] = []
            for _ in 0..<(try next(2)) {
                _ = try next(indexBytes)
                let (start, overflow) = base.addingReportingOverflow(try next(offsetBytes))
                guard !overflow else { throw HEIFBoxReader.unreadable("an item has an invalid position") }
                extents.append((start, try next(lengthBytes)))
            }
            locations[number, default: []].append(Location(method: method, extents: extents))
        }
    }

    /// Returns the contents of an item's properties of a type, in the order of the boxes.
    package func properties(_ type: String, of item: Int) throws(WebImageError) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for box in propertyBoxes {
            let parts = try file.boxes(in: box.content)
            var all: [HEIFBoxReader.Box] = []
            for part in parts where part.type == "ipco" { all += try file.boxes(in: part.content) }
            for part in parts where part.type == "ipma" {
                for (index, _) in try associations(in: part, of: item) where all.indices.contains(index - 1) {
                    if all[index - 1].type == type { found.append(all[index - 1].content) }
                }
            }
        }
        return found
    }

    /// Returns a byte in the content of a property.
    package func byte(at offset: Int) -> UInt8 { file.bytes[offset] }

    /// Returns the numbers of an item's properties, which start with 1, and whether a reader must know each property.
    package func associations(of item: Int) throws(WebImageError) -> [(index: Int, isEssential: Bool)] {
        var found: [(index: Int, isEssential: Bool)] = []
        for box in propertyBoxes {
            for part in try file.boxes(in: box.content) where part.type == "ipma" {
                found += try associations(in: part, of: item)
            }
        }
        return found
    }

    private func associations(
        in box: HEIFBoxReader.Box, of item: Int
    ) throws(WebImageError) -> [(index: Int, isEssential: Bool)] {
        var offset = box.content.lowerBound + 4
        func next(_ bytes: Int) throws(WebImageError) -> Int {
            defer { offset += bytes }
            return try file.number(at: offset, bytes: bytes, in: box)
        }
        let numberBytes = try file.version(of: box) < 1 ? 2 : 4
        // The flag says that the numbers of the properties have two bytes. Their first bit is another flag.
        let isWide = try file.number(at: box.content.lowerBound + 3, bytes: 1, in: box) & 1 == 1
        var found: [(index: Int, isEssential: Bool)] = []
        for _ in 0..<(try next(4)) {
            let number = try next(numberBytes)
            for _ in 0..<(try next(1)) {
                let property = try next(isWide ? 2 : 1)
                let flag = isWide ? 0x8000 : 0x80
                if number == item { found.append((property & (flag - 1), property & flag != 0)) }
            }
        }
        return found
    }

    /// Whether an item's data ends behind the file, or takes all bytes up to its end. In a longer copy of the file, such an
    /// item would contain bytes that follow.
    package var reachesBeyondFile: Bool {
        locations.values.joined().contains { location in
            location.method == 0
                && location.extents.contains { extent in
                    let (end, overflow) = extent.offset.addingReportingOverflow(extent.length)
                    return extent.length == 0 || overflow || end > file.bytes.count
                }
        }
    }

    /// Returns the data of an item. A faulty file can declare several locations for an item. The result contains the
    /// data of each location.
    ///
    /// Subtracts the number of bytes from `budget`. Throws if `budget` becomes negative.
    package func data(of number: Int, budget: inout Int) throws(WebImageError) -> [Data] {
        var all: [Data] = []
        for location in locations[number] ?? [] {
            guard location.method < 2 else {
                throw HEIFBoxReader.unreadable("an item's data is in another item")
            }
            let spaces = location.method == 0 ? [0..<file.bytes.count] : itemData
            for space in spaces {
                var data = Data()
                for extent in location.extents {
                    let start = min(extent.offset, space.count)
                    // A length of 0 means all bytes from the offset to the end.
                    let length =
                        extent.length == 0 ? space.count - start : min(extent.length, space.count - start)
                    budget -= length
                    guard budget >= 0 else { throw HEIFBoxReader.unreadable("its items share too much data") }
                    let piece = space.lowerBound + start..<space.lowerBound + start + length
                    data.append(Data(file.bytes[piece]))
                }
                all.append(data)
            }
        }
        return all
    }
}
