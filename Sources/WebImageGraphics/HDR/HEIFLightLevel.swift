package import WebImageCore

extension HEIFBoxReader {
    /// The light level of the primary item of a HEIF or AVIF file: `clli`, or else the brightest light of the display in
    /// `mdcv` (ISO/IEC 14496-12 §12.1.5). Nil if the item has none of the properties, or the boxes cannot be read.
    package var contentLight: ContentLightLevel? { try? readContentLight() }

    private func readContentLight() throws(WebImageError) -> ContentLightLevel? {
        for meta in try boxes(in: 0..<bytes.count) where meta.type == "meta" {
            var primary: Int?
            var properties: [Box] = []
            var places: [Int: [Int]] = [:]
            for box in try boxes(in: rest(of: meta.content, after: 4)) {
                if box.type == "pitm" {
                    primary = try number(at: box.content.lowerBound + 4, bytes: version(of: box) == 0 ? 2 : 4, in: box)
                }
                guard box.type == "iprp" else { continue }
                for part in try boxes(in: box.content) {
                    if part.type == "ipco" { properties = try boxes(in: part.content) }
                    if part.type == "ipma" { try places.merge(associations(part)) { first, _ in first } }
                }
            }
            guard let primary else { continue }
            let own = (places[primary] ?? []).compactMap {
                properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil
            }
            if let box = own.first(where: { $0.type == "clli" }) {
                let start = box.content.lowerBound
                let level = ContentLightLevel(
                    maximum: try number(at: start, bytes: 2, in: box),
                    average: try number(at: start + 2, bytes: 2, in: box))
                if level.maximum > 0 { return level }
            }
            // The chromaticities take 16 bytes. The light follows in units of 0.0001 nits.
            if let box = own.first(where: { $0.type == "mdcv" }) {
                let units = try number(at: box.content.lowerBound + 16, bytes: 4, in: box)
                return units > 0 ? ContentLightLevel(maximum: (units + 9999) / 10_000) : nil
            }
        }
        return nil
    }

    /// Returns the numbers of the properties of each item, counted from 1 (ISO/IEC 23008-12 §9.3.2).
    private func associations(_ box: Box) throws(WebImageError) -> [Int: [Int]] {
        let isWideItem = try version(of: box) >= 1
        let isWideIndex = try number(at: box.content.lowerBound + 3, bytes: 1, in: box) & 1 != 0
        var offset = box.content.lowerBound + 4
        func next(_ count: Int) throws(WebImageError) -> Int {
            defer { offset += count }
            return try number(at: offset, bytes: count, in: box)
        }
        var found: [Int: [Int]] = [:]
        for _ in 0..<(try next(4)) {
            let item = try next(isWideItem ? 4 : 2)
            for _ in 0..<(try next(1)) {
                found[item, default: []].append(try isWideIndex ? next(2) & 0x7FFF : next(1) & 0x7F)
            }
        }
        return found
    }
}
