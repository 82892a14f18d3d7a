package import Foundation
package import WebImageCore

/// Apple's gain maps, which iPhones wrote alone before iOS 18.
package enum AppleGainMap {
    /// Returns the headroom of the picture, as a multiple of the white of standard dynamic range. Nil if the packet of the
    /// map does not have Apple's properties.
    package static func headroom(xmp: Data, exif: Data?) -> Double? {
        guard XMPProperties(xmp, namespace: "http://ns.apple.com/HDRGainMap/1.0/")?.texts("HDRGainMapVersion") != nil
        else { return nil }
        let own = XMPProperties(xmp, namespace: "http://ns.apple.com/HDRGainMap/1.0/")?.texts("HDRGainMapHeadroom")
        if let own = own?.first.flatMap(Double.init), (1...1024).contains(own) { return own }
        return exif.flatMap { headroom(exif: $0) }
    }

    /// Returns the headroom from two numbers in the maker note (Apple, "Applying Apple HDR effect to your photos").
    package static func headroom(exif: Data) -> Double? {
        guard let numbers = makerNote(exif), let first = numbers[33], let second = numbers[48] else { return nil }
        let stops =
            first < 1
            ? (second <= 0.01 ? 1.8 - 20 * second : 1.601 - 0.101 * second)
            : (second <= 0.01 ? 3 - 70 * second : 2.303 - 0.303 * second)
        let headroom = exp2(max(stops, 0))
        return headroom.isFinite && headroom <= 1024 ? headroom : nil
    }

    /// The fractions in the maker note: a TIFF directory behind a head of 14 bytes, with offsets from the note's start.
    private static func makerNote(_ exif: Data) -> [Int: Double]? {
        guard let start = exif.range(of: Data("Apple iOS\0\0\u{1}MM".utf8))?.lowerBound else { return nil }
        let note = Array(exif[start...].prefix(65_536))
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= 0, offset <= note.count - count else { return nil }
            return note[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        guard let count = number(14, 2) else { return nil }
        var numbers: [Int: Double] = [:]
        for index in 0..<min(count, 256) {
            let entry = 16 + 12 * index
            // A signed fraction has the type 10.
            guard let tag = number(entry, 2), number(entry + 2, 2) == 10,
                let offset = number(entry + 8, 4), let numerator = number(offset, 4),
                let denominator = number(offset + 4, 4), denominator != 0
            else { continue }
            numbers[tag] =
                Double(Int32(truncatingIfNeeded: numerator)) / Double(Int32(truncatingIfNeeded: denominator))
        }
        return numbers
    }

    /// The metadata with which ISO 21496-1 gives the same factors for the values of ``logarithms(of:_:)``.
    package static func metadata(headroom: Double) -> GainMapMetadata {
        let stops = log2(headroom)
        return GainMapMetadata(
            channels: [.init(minimum: 0, maximum: stops, gamma: 1, baseOffset: 0, alternateOffset: 0)],
            alternateHeadroom: stops)
    }

    /// Returns the values that ISO 21496-1 stores for the factors of Apple's rule: 1 + (headroom − 1) × light. The values of
    /// Apple's map have the curve of ITU-R BT.709.
    package static func logarithms(of map: PixelBuffer, _ metadata: GainMapMetadata) throws(WebImageError)
        -> PixelBuffer
    {
        let table = (0..<256).map { index -> UInt8 in
            let value = Double(index) / 255
            let light = value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
            let stops = log2(1 + (metadata.headroom - 1) * light)
            return UInt8((min(max(stops / max(metadata.alternateHeadroom, 1e-6), 0), 1) * 255).rounded())
        }
        let result = try PixelBuffer(width: map.width, height: map.height, format: map.format)
        let count = map.width * map.format.bytesPerPixel
        map.withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                for row in 0..<map.height {
                    let start = row * map.bytesPerRow
                    for index in start..<start + count { target[index] = table[Int(source[index])] }
                }
            }
        }
        return result
    }
}
