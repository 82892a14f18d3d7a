import Foundation

/// Builds HEIF and AVIF files box by box from coded images.
struct HEIFBytes {
    /// The differences between the two formats.
    enum Codec {
        case hevc, av1

        var brand: String { self == .hevc ? "heic" : "avif" }
        var configurationBox: String { self == .hevc ? "hvcC" : "av1C" }
        /// The type of an auxiliary image that is an alpha plane (ISO/IEC 23008-12 §7.5.1; AVIF specification §4.1).
        var alphaType: String {
            self == .hevc ? "urn:mpeg:hevc:2015:auxid:1" : "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
        }
    }

    /// The configuration and the data of a coded image. These bytes contain the true size of the image.
    struct Coded {
        var configuration: [UInt8]
        var data: [UInt8]
    }

    struct Item {
        var number: Int
        var type: String
        var data: [UInt8]
        /// The size in the `ispe` box.
        var size: (width: Int, height: Int)
        var configuration: [UInt8]?
        /// References to other items: from a grid to its tiles, or from an alpha plane to its image.
        var references: (type: String, to: [Int])?
        /// The type of an auxiliary image; an alpha plane if it is nil.
        var auxiliaryType: String?
    }

    var items: [Item]
    /// Whether the data is in `idat` instead of `mdat`.
    var usesItemData = false
    var codec = Codec.hevc
    /// The major brand and the compatible brands; those of the codec if it is nil.
    var brands: [String]?
    /// Whether item numbers in references have four bytes instead of two.
    var referencesAreWide = false
    /// Whether the last box declares the size 0, which means the rest of the file.
    var lastBoxIsOpen = false
    /// Whether items with equal data share one copy of the data in the file.
    var sharesData = false

    var file: Data {
        let brands = brands ?? [codec.brand, "mif1", codec.brand]
        let head = Self.box(
            "ftyp", Array(brands[0].utf8) + Self.big(0, 4) + brands.dropFirst().flatMap { Array($0.utf8) })
        // The offsets depend on the length of the preceding boxes. This length does not depend on the offsets, so
        // measure the length with offset 0.
        let length = head.count + meta(offset: 0).count + 8
        let data = sharesData ? Self.distinct(items.map(\.data)).flatMap { $0 } : items.flatMap(\.data)
        var last = usesItemData ? [] : Self.box("mdat", data)
        if lastBoxIsOpen { last.replaceSubrange(0..<4, with: Self.big(0, 4)) }
        return Data(head + meta(offset: usesItemData ? 0 : length) + last)
    }

    private func meta(offset: Int) -> [UInt8] {
        let handler = Self.big(0, 8) + Array("pict".utf8) + Self.big(0, 13)
        var content = Self.big(0, 4) + Self.box("hdlr", handler)
        content += Self.box("pitm", Self.big(0, 4) + Self.big(items[0].number, 2))
        var locations = Self.big(1 << 24, 4) + [0x44, 0x00] + Self.big(items.count, 2)
        var place = offset
        var places: [[UInt8]: Int] = [:]
        for item in items {
            let known = sharesData ? places[item.data] : nil
            locations += Self.big(item.number, 2) + Self.big(usesItemData ? 1 : 0, 2) + Self.big(0, 2)
            locations += Self.big(1, 2) + Self.big(known ?? place, 4) + Self.big(item.data.count, 4)
            guard known == nil else { continue }
            places[item.data] = place
            place += item.data.count
        }
        content += Self.box("iloc", locations)
        let entries = items.flatMap { item in
            Self.box(
                "infe",
                Self.big(2 << 24, 4) + Self.big(item.number, 2) + Self.big(0, 2) + Array(item.type.utf8) + [0]
                    + (item.type == "mime" ? Array("application/rdf+xml".utf8) + [0] : []))
        }
        content += Self.box("iinf", Self.big(0, 4) + Self.big(items.count, 2) + entries)
        content += Self.box("iprp", properties)
        let references = items.flatMap { item -> [UInt8] in
            guard let references = item.references else { return [] }
            let bytes = referencesAreWide ? 4 : 2
            let to = references.to.flatMap { Self.big($0, bytes) }
            return Self.box(references.type, Self.big(item.number, bytes) + Self.big(references.to.count, 2) + to)
        }
        if !references.isEmpty {
            content += Self.box("iref", Self.big(referencesAreWide ? 1 << 24 : 0, 4) + references)
        }
        if usesItemData { content += Self.box("idat", items.flatMap(\.data)) }
        return Self.box("meta", content)
    }

    private var properties: [UInt8] {
        var container: [UInt8] = []
        var associations: [UInt8] = []
        var known: [[UInt8]: Int] = [:]
        var count = 0
        /// Returns the index of a property. If ``sharesData`` is true, equal properties have the same index, and a
        /// property is added only once. Otherwise, each call adds a property.
        func number(_ box: [UInt8]) -> Int {
            if sharesData, let number = known[box] { return number }
            container += box
            count += 1
            known[box] = count
            return count
        }
        for item in items {
            var indices: [Int] = []
            if let configuration = item.configuration {
                indices.append(number(Self.box(codec.configurationBox, configuration)) | 0x80)
            }
            let size = Self.big(0, 4) + Self.big(item.size.width, 4) + Self.big(item.size.height, 4)
            indices.append(number(Self.box("ispe", size)))
            if item.references?.type == "auxl" {
                indices.append(
                    number(Self.box("auxC", Self.big(0, 4) + Array((item.auxiliaryType ?? codec.alphaType).utf8) + [0]))
                        | 0x80)
            }
            associations += Self.big(item.number, 2) + [UInt8(indices.count)] + indices.map { UInt8($0) }
        }
        return Self.box("ipco", container)
            + Self.box("ipma", Self.big(0, 4) + Self.big(items.count, 4) + associations)
    }

    private static func distinct(_ all: [[UInt8]]) -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return all.filter { seen.insert($0).inserted }
    }

    static func grid(rows: Int, columns: Int, width: Int, height: Int) -> [UInt8] {
        [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + big(width, 4) + big(height, 4)
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    /// Returns the configuration and the data of the image in `file`. A library must have written the file, with one
    /// image.
    static func coded(in file: Data, _ codec: Codec = .hevc) -> Coded? {
        guard let configuration = content(of: codec.configurationBox, in: file),
            let data = content(of: "mdat", in: file)
        else {
            return nil
        }
        return Coded(configuration: configuration, data: data)
    }

    /// Returns the sequence parameter set in a configuration. The first four bytes of the result contain the length of
    /// the set.
    static func parameterSet(of configuration: [UInt8]) -> [UInt8]? {
        var offset = 23
        while offset + 5 <= configuration.count {
            let length = Int(configuration[offset + 3]) << 8 | Int(configuration[offset + 4])
            let unit = Array(configuration[(offset + 5)...].prefix(length))
            if configuration[offset] & 63 == 33 { return big(unit.count, 4) + unit }
            offset += 5 + length
        }
        return nil
    }

    private static func content(of type: String, in file: Data) -> [UInt8]? {
        guard let place = file.firstRange(of: Data(type.utf8)), place.lowerBound >= 4 else { return nil }
        let size = file[(place.lowerBound - 4)..<place.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        return Array(file[place.upperBound...].prefix(max(0, size - 8)))
    }
}
