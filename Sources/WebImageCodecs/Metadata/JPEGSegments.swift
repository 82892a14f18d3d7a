import Foundation
import WebImageCore

/// The metadata segments of a JPEG file before its first scan (ITU-T T.81 §B.1.1). This type parses them without
/// libjpeg.
struct JPEGSegments {
    private(set) var exif: Data?
    private(set) var xmp: Data?
    /// The density that JFIF declares (ITU-T T.871 §10.1).
    private(set) var density: PixelDensity?
    private var profileParts = JPEGProfileParts()
    /// The payload of the first segment of ISO 21496-1, behind its name. If the JPEG is not the first JPEG in its file, this
    /// segment marks the JPEG as a gain map.
    private(set) var isoPayload: Range<Int>?
    /// The position of the marker of the first scan.
    private(set) var firstScan: Int?
    /// The byte ranges of the JPEGs after the first JPEG. The ranges come from the multi-picture index.
    private(set) var furtherPictures: [Range<Int>] = []

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        var budget = AncillaryBudget(limits)
        var offset = 2
        while bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1) {
            // Skip a fill byte. The next condition skips a marker that has no length field.
            if marker == 0xFF {
                offset += 1
                continue
            }
            if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                offset += 2
                continue
            }
            if marker == 0xDA { firstScan = offset }
            guard marker != 0xD9, marker != 0xDA, let length = bytes.bigEndian16(at: offset + 2), length >= 2,
                let payload = bytes.range(at: offset + 4, count: length - 2)
            else { return }
            try take(marker, payload, bytes, &budget)
            offset = payload.upperBound
        }
    }

    private mutating func take(
        _ marker: UInt8, _ payload: Range<Int>, _ bytes: UnsafeRawBufferPointer, _ budget: inout AncillaryBudget
    ) throws(WebImageError) {
        switch marker {
        case 0xE0 where density == nil && payload.count >= 12 && bytes.has("JFIF\0", at: payload.lowerBound):
            // 0 declares the shape of a pixel alone, 1 counts for an inch, 2 for a centimetre.
            let scale: [UInt8: Double] = [1: 1, 2: 2.54]
            let place = payload.lowerBound + 7
            guard let scale = scale[bytes[place]], let horizontal = bytes.bigEndian16(at: place + 1),
                let vertical = bytes.bigEndian16(at: place + 3)
            else { return }
            density = PixelDensity(horizontal: Double(horizontal) * scale, vertical: Double(vertical) * scale)
        case 0xE1 where exif == nil && bytes.has("Exif\0\0", at: payload.lowerBound):
            try budget.take(payload.count)
            exif = Data(bytes[payload].dropFirst(6))
        case 0xE1 where xmp == nil && bytes.has(Self.xmpSignature, at: payload.lowerBound):
            try budget.take(payload.count)
            xmp = Data(bytes[payload].dropFirst(29))
        // A name can reach beyond its segment, into the bytes that follow.
        case 0xE2 where payload.count > 4 && bytes.has("MPF\0", at: payload.lowerBound):
            try budget.take(payload.count)
            furtherPictures = MultiPictureIndex(bytes, payload.lowerBound + 4..<payload.upperBound)?.pictures ?? []
        case 0xE2 where isoPayload == nil && bytes.has(Self.isoSignature, at: payload.lowerBound):
            let content = payload.dropFirst(Self.isoSignature.utf8CodeUnitCount)
            if !content.isEmpty { isoPayload = content }
        case 0xE2 where bytes.has("ICC_PROFILE\0", at: payload.lowerBound) && payload.count > 14:
            try budget.take(payload.count)
            profileParts.add(UnsafeRawBufferPointer(rebasing: bytes[payload].dropFirst(12)))
        default: break
        }
    }

    static let xmpSignature: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    static let isoSignature: StaticString = "urn:iso:std:iso:ts:21496:-1\0"

    /// The colour profile, joined from its segments. Nil if the file has no profile or a segment is missing.
    var iccProfile: Data? { profileParts.profile }
}

/// The parts of an ICC profile in the segments of a JPEG (ICC.1:2022 annex B.4).
struct JPEGProfileParts {
    private var parts: [Int: Data] = [:]
    private var declaredCount = 0
    private var isConsistent = true

    /// Adds the content of a segment after its signature: the number of the segment, the count of segments, and a part of
    /// the profile.
    mutating func add(_ segment: UnsafeRawBufferPointer) {
        guard segment.count > 2 else { return }
        let number = Int(segment[0])
        if parts[number] != nil { isConsistent = false }
        parts[number] = Data(segment.dropFirst(2))
        declaredCount = Int(segment[1])
    }

    /// The joined profile. Nil if there is no profile, a segment is missing or a number occurs twice.
    ///
    /// The first segment has the number 1. Some programs start with 0; other decoders accept these files as well.
    var profile: Data? {
        guard isConsistent, !parts.isEmpty, parts.count == declaredCount else { return nil }
        let first = parts[0] == nil ? 1 : 0
        var profile = Data()
        for number in first..<first + declaredCount {
            guard let part = parts[number] else { return nil }
            profile.append(part)
        }
        return profile
    }
}
