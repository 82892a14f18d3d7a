package import Foundation

/// Builds HEIF and AVIF files box by box from coded images.
package struct HEIFBytes {
    /// The differences between the two formats.
    package enum Codec: Sendable {
        case hevc, av1

        package var brand: String { self == .hevc ? "heic" : "avif" }
        package var configurationBox: String { self == .hevc ? "hvcC" : "av1C" }
        /// The type of an auxiliary image that is an alpha plane (ISO/IEC 23008-12 §7.5.1; AVIF specification §4.1).
        package var alphaType: String {
            self == .hevc ? "urn:mpeg:hevc:2015:auxid:1" : "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
        }
    }

    /// The configuration and the data of a coded image. These bytes contain the true size of the image.
    package struct Coded: Sendable {
        package var configuration: [UInt8]
        package var data: [UInt8]

        package init(configuration: [UInt8], data: [UInt8]) { (self.configuration, self.data) = (configuration, data) }
    }

    package struct Item {
        package var number: Int
        package var type: String
        package var data: [UInt8]
        /// The size in the `ispe` box.
        package var size: (width: Int, height: Int)
        package var configuration: [UInt8]?
        /// References to other items: from a grid to its tiles, or from an alpha plane to its image.
        package var references: (type: String, to: [Int])?
        /// The type of an auxiliary image; an alpha plane if it is nil.
        package var auxiliaryType: String?
        package var isHidden = false
        /// The code points in the box `colr`, with the full range; none if it is nil.
        package var colors: (primaries: Int, transfer: Int, matrix: Int)?
        /// The quarter turns counter-clockwise in the box `irot`.
        package var turns = 0
        /// Whether the box `imir` exchanges two sides afterwards.
        package var isMirrored = false
        /// Whether `irot` precedes the size, as cameras of Sony write it.
        package var turnsFirst = false

        package init(
            number: Int, type: String, data: [UInt8], size: (width: Int, height: Int), configuration: [UInt8]? = nil,
            references: (type: String, to: [Int])? = nil, auxiliaryType: String? = nil
        ) {
            (self.number, self.type, self.data, self.size) = (number, type, data, size)
            (self.configuration, self.references, self.auxiliaryType) = (configuration, references, auxiliaryType)
        }
    }

    package var items: [Item]
    /// Whether the data is in `idat` instead of `mdat`.
    package var usesItemData = false
    package var codec = Codec.hevc
    /// The major brand and the compatible brands; those of the codec if it is nil.
    package var brands: [String]?
    /// Whether item numbers in references have four bytes instead of two.
    package var referencesAreWide = false
    /// Whether the last box declares the size 0, which means the rest of the file.
    package var lastBoxIsOpen = false
    /// Whether items with equal data share one copy of the data in the file.
    package var sharesData = false
    /// Items of which a reader shows the first one that it knows (box `altr`).
    package var alternatives: [Int] = []

    package init(items: [Item]) { self.items = items }

    package var file: Data {
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
                Self.big(2 << 24 | (item.isHidden ? 1 : 0), 4) + Self.big(item.number, 2) + Self.big(0, 2)
                    + Array(item.type.utf8) + [0]
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
        if !alternatives.isEmpty {
            let numbers = alternatives.flatMap { Self.big($0, 4) }
            let group = Self.big(0, 4) + Self.big(100, 4) + Self.big(alternatives.count, 4) + numbers
            content += Self.box("grpl", Self.box("altr", group))
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
            if item.turns > 0, item.turnsFirst { indices.append(number(Self.box("irot", [UInt8(item.turns)])) | 0x80) }
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
            if let colors = item.colors {
                let codes = [colors.primaries, colors.transfer, colors.matrix].flatMap { Self.big($0, 2) }
                indices.append(number(Self.box("colr", Array("nclx".utf8) + codes + [0x80])))
            }
            if item.turns > 0, !item.turnsFirst { indices.append(number(Self.box("irot", [UInt8(item.turns)])) | 0x80) }
            if item.isMirrored { indices.append(number(Self.box("imir", [0])) | 0x80) }
            associations += Self.big(item.number, 2) + [UInt8(indices.count)] + indices.map { UInt8($0) }
        }
        return Self.box("ipco", container)
            + Self.box("ipma", Self.big(0, 4) + Self.big(items.count, 4) + associations)
    }

    private static func distinct(_ all: [[UInt8]]) -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return all.filter { seen.insert($0).inserted }
    }

    package static func grid(rows: Int, columns: Int, width: Int, height: Int) -> [UInt8] {
        [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + big(width, 4) + big(height, 4)
    }

    package static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    package static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    /// Returns the configuration and the data of the image in `file`. A library must have written the file, with one
    /// image.
    package static func coded(in file: Data, _ codec: Codec = .hevc) -> Coded? {
        guard let configuration = content(of: codec.configurationBox, in: file),
            let data = content(of: "mdat", in: file)
        else {
            return nil
        }
        return Coded(configuration: configuration, data: data)
    }

    /// Returns the sequence parameter set in a configuration. The first four bytes of the result contain the length of
    /// the set.
    package static func parameterSet(of configuration: [UInt8]) -> [UInt8]? {
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
