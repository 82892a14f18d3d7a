import Foundation
package import WebImageCore

/// The item `tmap` of a HEIF or AVIF file (ISO/IEC 23008-12 §6.6.2.4): it derives the alternate picture from the base, which
/// is the primary item, and from a hidden item with the gain map. Its data is the metadata of ISO 21496-1.
///
/// libavif before version 1.2 and all versions of libheif up to 1.23 do not read the item. They decode the map from a copy of
/// the file in which it is the primary picture: see ``fileOfMap``.
package struct ToneMapItem {
    package let metadata: GainMapMetadata
    /// The profile of the alternate picture, if the item declares one.
    package let alternateProfile: ColorProfile?
    /// The number of the item with the map.
    package let map: Int
    private let bytes: UnsafeRawBufferPointer
    private let primaryPlace: Range<Int>
    private let flagPlace: Int

    /// Finds the item in the boxes of a file. Returns nil if there is none that can be used: the base picture is there,
    /// whatever the fault of the item is. `bytes` must outlive the result.
    ///
    /// The boxes of a file without such an item are not parsed.
    package init?(findingIn bytes: UnsafeRawBufferPointer) {
        let file = HEIFBoxReader(bytes)
        guard let metas = try? file.boxes(in: 0..<bytes.count).filter({ $0.type == "meta" }), metas.count == 1,
            UnsafeRawBufferPointer(rebasing: bytes[metas[0].content]).offset(of: "tmap") != nil,
            let items = try? HEIFItems(bytes)
        else { return nil }
        self.init(items, bytes)
    }

    /// Finds the item among the items of a file.
    package init?(_ items: HEIFItems, _ bytes: UnsafeRawBufferPointer) {
        guard items.primary.count == 1, let base = items.primary.first, let place = items.primaryPlaces.first else {
            return nil
        }
        for number in items.types.filter({ $0.value == ["tmap"] }).keys.sorted() {
            var budget = Self.mostPayloadBytes
            // The first byte is the version of the item's own syntax.
            guard let sources = items.sources[number], sources.count == 2, sources[0] == base, sources[1] != base,
                let kind = items.types[sources[1]], kind != ["tmap"], let flags = items.flagPlaces[sources[1]],
                sources[1] < 1 << (8 * place.count),
                let payload = try? items.data(of: number, budget: &budget).first, payload.first == 0,
                let metadata = try? GainMapMetadata(iso: Data(payload.dropFirst()))
            else { continue }
            (self.metadata, self.bytes, map, primaryPlace, flagPlace) = (metadata, bytes, sources[1], place, flags)
            alternateProfile =
                metadata.usesBaseColorSpace
                ? nil : (try? items.properties("colr", of: number))?.lazy.compactMap { Self.profile(bytes[$0]) }.first
            return
        }
        return nil
    }

    private static let mostPayloadBytes = 4096
    private static let mostProfileBytes = 1 << 20

    /// The profile in the content of a box `colr`: code points, or an ICC profile.
    private static func profile(_ box: Slice<UnsafeRawBufferPointer>) -> ColorProfile? {
        let content = Data(box.prefix(mostProfileBytes + 4))
        switch String(decoding: content.prefix(4), as: UTF8.self) {
        case "nclx" where content.count >= 8:
            let numbers = [4, 6].map { Int(content[$0]) << 8 | Int(content[$0 + 1]) }
            // sRGB has no profile, but the factors need its primaries if those of the base are others.
            return ColorProfile(primaries: numbers[0], transfer: numbers[1])
                ?? (numbers[0] == 1 ? ICCProfile.sRGB()?.saved.map(ColorProfile.init(iccData:)) : nil)
        case "prof", "rICC": return ColorProfile(iccData: Data(content.dropFirst(4)))
        default: return nil
        }
    }

    /// A copy of the file whose primary picture is the map, which is no longer hidden. libheif refuses to decode hidden
    /// items.
    package var fileOfMap: PinnedBytes {
        PinnedBytes(copying: bytes) { copy in
            for (index, place) in primaryPlace.reversed().enumerated() {
                copy[place] = UInt8(truncatingIfNeeded: map >> (8 * index))
            }
            copy[flagPlace] &= 0xFE
        }
    }
}
