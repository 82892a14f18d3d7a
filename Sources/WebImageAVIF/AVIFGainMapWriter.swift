import Foundation
import WebImageCore
import WebImageGraphics

/// Adds a gain map to an AVIF still image: a hidden item with the coded map, and an item `tmap`, which derives the alternate
/// picture from both (ISO/IEC 23008-12 §6.6.2.4).
///
/// libavif writes gain maps from version 1.2 on. This type joins two files that libavif has written, so that the bytes are the
/// same kind with every version. Boxes of a form that libavif does not write are an error.
struct AVIFGainMapWriter {
    private let base: AVIFParts
    private let map: AVIFParts
    /// The numbers of the new items.
    private var mapItem: Int { base.lastItem + 1 }
    private var toneItem: Int { base.lastItem + 2 }

    /// - Parameters:
    ///   - base: The file of the base picture. Both arguments must outlive this value.
    ///   - map: The file of the map, with one item.
    init(base: UnsafeRawBufferPointer, map: UnsafeRawBufferPointer) throws(WebImageError) {
        (self.base, self.map) = (try AVIFParts(base), try AVIFParts(map))
    }

    /// Returns the file of the base with the map.
    ///
    /// - Parameters:
    ///   - metadata: The meaning of the map's values.
    ///   - alternate: The content of the box `colr` of the alternate picture.
    func file(_ metadata: GainMapMetadata, alternate: [UInt8]) throws(WebImageError) -> Data {
        // The first byte is the version of the item's own syntax.
        let payload = [0] + Array(metadata.isoPayload)
        let data = Array(base.file.bytes[base.data])
        let values = Array(map.file.bytes[map.data])
        let head = try brands()
        func meta(start: Int) throws(WebImageError) -> [UInt8] {
            var content = Array(base.file.bytes[base.meta.prefix(4)])
            var hasReferences = false
            for part in base.parts {
                let whole = Array(base.file.bytes[part.content])
                switch part.type {
                case "iloc":
                    let places = [
                        (mapItem, start + data.count, values.count),
                        (toneItem, start + data.count + values.count, payload.count),
                    ]
                    content += AVIFParts.box(
                        "iloc", try base.locations(part, moved: start - base.data.lowerBound, places))
                case "iinf": content += AVIFParts.box("iinf", try entries(part))
                case "iref":
                    hasReferences = true
                    content += AVIFParts.box("iref", whole + (try reference(part)))
                case "iprp":
                    content += AVIFParts.box("iprp", try properties(part, alternate: alternate))
                default: content += AVIFParts.box(part.type, whole)
                }
            }
            if !hasReferences {
                content += AVIFParts.box("iref", AVIFParts.big(0, 4) + (try reference(nil)))
            }
            // A reader shows the first of these items that it knows.
            let group =
                AVIFParts.big(0, 4) + [toneItem + 1, 2, toneItem, base.primary].flatMap { AVIFParts.big($0, 4) }
            return AVIFParts.box("meta", content + AVIFParts.box("grpl", AVIFParts.box("altr", group)))
        }
        // The length of the box does not depend on the places in it.
        let start = head.count + (try meta(start: base.data.lowerBound).count) + 8
        guard start + data.count + values.count < 1 << 31 else {
            throw .cannotEncode("libavif", "a file with a gain map would be over 2 GiB")
        }
        return Data(head + (try meta(start: start)) + AVIFParts.box("mdat", data + values + payload))
    }

    private func brands() throws(WebImageError) -> [UInt8] {
        AVIFParts.box("ftyp", Array(base.file.bytes[base.brands]) + Array("tmap".utf8))
    }

    /// The box `iinf` with the two new items. Viewers do not show the map by itself.
    private func entries(_ box: HEIFBoxReader.Box) throws(WebImageError) -> [UInt8] {
        guard try base.file.version(of: box) == 0 else { throw AVIFParts.unknown }
        var bytes = Array(base.file.bytes[box.content])
        let count = try base.file.number(at: box.content.lowerBound + 4, bytes: 2, in: box)
        bytes.replaceSubrange(4..<6, with: AVIFParts.big(count + 2, 2))
        for (item, type, isHidden) in [(mapItem, "av01", true), (toneItem, "tmap", false)] {
            bytes += AVIFParts.box(
                "infe",
                AVIFParts.big(2 << 24 | (isHidden ? 1 : 0), 4) + AVIFParts.big(item, 2) + AVIFParts.big(0, 2)
                    + Array(type.utf8) + [0])
        }
        return bytes
    }

    /// The alternate picture is made of the base and the map, in this order.
    private func reference(_ box: HEIFBoxReader.Box?) throws(WebImageError) -> [UInt8] {
        let isWide = if let box { try base.file.version(of: box) != 0 } else { false }
        let numbers = [base.primary, mapItem].flatMap { AVIFParts.big($0, isWide ? 4 : 2) }
        return AVIFParts.box("dimg", AVIFParts.big(toneItem, isWide ? 4 : 2) + AVIFParts.big(2, 2) + numbers)
    }

    /// The box `iprp` with the properties of the new items. The boxes that turn the base also turn the map, because each is
    /// turned before the factors apply.
    private func properties(_ box: HEIFBoxReader.Box, alternate: [UInt8]) throws(WebImageError) -> [UInt8] {
        let parts = try base.file.boxes(in: box.content)
        guard parts.count == 2, parts[0].type == "ipco", parts[1].type == "ipma" else { throw AVIFParts.unknown }
        var container = Array(base.file.bytes[parts[0].content])
        var count = base.properties.count
        func add(_ type: String, _ content: [UInt8]) -> UInt8 {
            container += AVIFParts.box(type, content)
            count += 1
            return UInt8(truncatingIfNeeded: count)
        }
        var own: [UInt8] = []
        for (index, isEssential) in map.associations {
            let property = map.properties[index - 1]
            var content = Array(map.file.bytes[property.content])
            if property.type == "colr", content.count == 11, content.starts(with: "nclx".utf8) {
                // Primaries and curve of a map are unspecified. Its matrix is needed for the decode.
                content.replaceSubrange(4..<8, with: [0, 2, 0, 2])
            }
            own.append(add(property.type, content) | (isEssential ? 0x80 : 0))
        }
        var tone: [UInt8] = []
        for (index, isEssential) in base.associations {
            let property = base.properties[index - 1]
            switch property.type {
            case "irot", "imir", "clap": own.append(UInt8(index) | (isEssential ? 0x80 : 0))
            // libavif demands the size of the base before it is turned.
            case "ispe": tone.append(UInt8(index))
            default: break
            }
        }
        tone.append(add("pixi", [0, 0, 0, 0, 3, 10, 10, 10]))
        tone.append(add("colr", alternate))
        guard count < 128, try base.file.number(at: parts[1].content.lowerBound, bytes: 4, in: parts[1]) == 0 else {
            throw AVIFParts.unknown
        }
        var list = Array(base.file.bytes[parts[1].content])
        let items = try base.file.number(at: parts[1].content.lowerBound + 4, bytes: 4, in: parts[1])
        list.replaceSubrange(4..<8, with: AVIFParts.big(items + 2, 4))
        for (item, indices) in [(mapItem, own), (toneItem, tone)] {
            list += AVIFParts.big(item, 2) + [UInt8(indices.count)] + indices
        }
        return AVIFParts.box("ipco", container) + AVIFParts.box("ipma", list)
    }
}

extension GainMap {
    /// Returns the AVIF file of an opaque image with this map.
    func added(to file: Data, of image: Image, _ options: EncodingOptions) throws(WebImageError) -> Data {
        guard let written = try written(of: image.pixelSize, options) else { return file }
        let values = try AVIFEncoder().encode(
            frameCount: 1, loopCount: 0, options: written.options, writesAlpha: false, isMap: true
        ) { _ in ImageFrame(image: written.values, duration: 0) }
        guard let values else { throw AVIFParts.unknown }
        // Factors for the channels of unknown colours are those of the base.
        var own = metadata
        own.usesBaseColorSpace = metadata.usesBaseColorSpace || alternateProfile == nil
        let (numbers, colors) = (own, alternateColors(of: image.colorProfile))
        return try file.withFileBytes { base throws(WebImageError) in
            try values.withFileBytes { map throws(WebImageError) in
                try AVIFGainMapWriter(base: base, map: map).file(numbers, alternate: colors)
            }
        }
    }
}
