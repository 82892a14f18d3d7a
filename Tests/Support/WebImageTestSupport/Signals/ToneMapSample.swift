package import Foundation

/// A HEIF or AVIF file with a gain map in the form of ISO 21496-1: the base picture (item 1), its hidden map (item 2), and the
/// item `tmap` (item 3), assembled box by box.
package struct ToneMapSample {
    package var codec: HEIFBytes.Codec
    package var base: HEIFBytes.Coded
    package var map: HEIFBytes.Coded
    package var sizes: (base: (width: Int, height: Int), map: (width: Int, height: Int))
    /// The bytes behind the version of the item.
    package var metadata: Data
    package var version: UInt8 = 0
    /// The items from which the item `tmap` derives its picture.
    package var sources = [1, 2]
    /// The code points of the base and of the alternate picture, if the file declares them.
    package var baseColors: (primaries: Int, transfer: Int, matrix: Int)?
    package var alternateColors: (primaries: Int, transfer: Int, matrix: Int)?
    /// The quarter turns of base and map, counter-clockwise.
    package var turns = 0
    package var isMirrored = false
    /// Whether the map is also an auxiliary picture of this type, as iPhones write it.
    package var auxiliaryType: String?

    package init(
        _ codec: HEIFBytes.Codec, base: HEIFBytes.Coded, map: HEIFBytes.Coded,
        sizes: (base: (width: Int, height: Int), map: (width: Int, height: Int)), metadata: Data
    ) {
        (self.codec, self.base, self.map, self.sizes, self.metadata) = (codec, base, map, sizes, metadata)
    }

    package var boxes: HEIFBytes {
        let type = codec == .hevc ? "hvc1" : "av01"
        var picture = HEIFBytes.Item(
            number: 1, type: type, data: base.data, size: sizes.base, configuration: base.configuration)
        picture.colors = baseColors
        (picture.turns, picture.isMirrored) = (turns, isMirrored)
        var gains = HEIFBytes.Item(
            number: 2, type: type, data: map.data, size: sizes.map, configuration: map.configuration)
        gains.isHidden = true
        (gains.turns, gains.isMirrored) = (turns, isMirrored)
        gains.auxiliaryType = auxiliaryType
        // The samples of AV1 are red, green and blue. Colours have no meaning.
        if codec == .av1 { gains.colors = (2, 2, 0) }
        if auxiliaryType != nil { gains.references = ("auxl", [1]) }
        var derived = HEIFBytes.Item(
            number: 3, type: "tmap", data: [version] + metadata, size: sizes.base, references: ("dimg", sources))
        derived.colors = alternateColors
        var file = HEIFBytes(items: [picture, gains, derived])
        file.codec = codec
        file.brands = [codec.brand, codec.brand, "mif1", "miaf", "tmap"]
        file.alternatives = [3, 1]
        return file
    }

    package var file: Data { boxes.file }
}
