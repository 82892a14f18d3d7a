import Foundation
import WebImageCore
import WebImageGraphics

/// The gain map in a JPEG file: another JPEG behind the picture, and the meaning of its values (Ultra HDR, ISO 21496-1,
/// Apple).
struct JPEGGainMap {
    /// The map's JPEG.
    let range: Range<Int>
    let metadata: GainMapMetadata
    /// Whether the map is one of Apple, whose values have another curve.
    private(set) var isApple = false
    /// The profile in the map's JPEG, which describes the alternate picture.
    private(set) var profile: Data?

    /// Finds the gain map. Returns nil if the file has none.
    ///
    /// - Throws: `.badImageData` if the map's metadata is damaged. `.limitExceeded` if metadata exceeds a limit.
    static func find(in bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) -> JPEGGainMap? {
        guard mayExist(in: bytes) else { return nil }
        let primary = try JPEGSegments(bytes, limits: limits)
        var fault: WebImageError?
        for range in primary.candidates(in: bytes) where bytes[range].starts(with: [0xFF, 0xD8, 0xFF]) {
            let picture = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let segments = try? JPEGSegments(picture, limits: limits) else { continue }
            do throws(WebImageError) {
                if let map = try JPEGGainMap(segments, of: primary, in: picture, at: range) { return map }
            } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        return nil
    }

    /// Whether the segments before the first scan name a gain map or further pictures. Copies nothing.
    private static func mayExist(in bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 2
        while bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1) {
            if marker == 0xFF || marker == 0x01 || (0xD0...0xD8).contains(marker) {
                offset += marker == 0xFF ? 1 : 2
                continue
            }
            guard marker != 0xD9, marker != 0xDA, let length = bytes.bigEndian16(at: offset + 2), length >= 2,
                let payload = bytes.range(at: offset + 4, count: length - 2)
            else { return false }
            let start = payload.lowerBound
            if marker == 0xE2, bytes.has("MPF\0", at: start) || bytes.has(JPEGSegments.isoSignature, at: start) {
                return true
            }
            if marker == 0xE1, bytes.has("http://ns.adobe.com/xap/1.0/\0", at: start),
                UnsafeRawBufferPointer(rebasing: bytes[payload]).offset(of: "http://ns.adobe.com/hdr-gain-map/1.0/")
                    != nil
            {
                return true
            }
            offset = payload.upperBound
        }
        return false
    }

    /// Reads the metadata of a picture behind the primary one. ISO 21496-1 applies before Adobe's form, and both before
    /// Apple's. Returns nil if the picture has none.
    private init?(
        _ segments: JPEGSegments, of primary: JPEGSegments, in picture: UnsafeRawBufferPointer, at range: Range<Int>
    ) throws(WebImageError) {
        self.range = range
        profile = segments.iccProfile
        if let payload = segments.isoPayload, payload.count > 4 {
            metadata = try GainMapMetadata(iso: Data(picture[payload]))
        } else if let xmp = segments.xmp, let found = try GainMapMetadata(xmp: xmp) {
            metadata = found
        } else if let xmp = segments.xmp, let headroom = AppleGainMap.headroom(xmp: xmp, exif: primary.exif) {
            metadata = AppleGainMap.metadata(headroom: headroom)
            isApple = true
        } else {
            return nil
        }
    }

    /// Reads the size of the map from its header.
    func description(in bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) -> GainMap {
        let decoder = try JPEGDecoder(UnsafeRawBufferPointer(rebasing: bytes[range]), limits: limits)
        try limits.checkPixels(decoder.size)
        return GainMap(metadata: metadata, size: decoder.size, channelCount: decoder.isGray ? 1 : 3)
    }

    /// Decodes the part of the map that belongs to a result of the base, turned upright with it.
    func decoded(
        in bytes: UnsafeRawBufferPointer, options: DecodingOptions, base info: ImageInfo
    ) throws(WebImageError) -> GainMap {
        let file = UnsafeRawBufferPointer(rebasing: bytes[range])
        let decoder = try JPEGDecoder(file, limits: options.limits)
        decoder.ignoreOrientation()
        let size = decoder.size
        try options.limits.checkPixels(size)
        let (own, orientation) = GainMap(metadata: metadata, size: size, channelCount: decoder.isGray ? 1 : 3)
            .decoding(options, in: info)
        try own.checkMemory(for: decoder.info)
        let image = try decoder.picture(file, own).finished(options: own, fullSize: size)
        let pixels = isApple ? try AppleGainMap.logarithms(of: image.pixels, metadata) : image.pixels
        var map = GainMap(metadata: metadata, pixels: try pixels.oriented(orientation))
        map.alternateProfile = profile.map(ColorProfile.init(iccData:))
        return map
    }
}

extension JPEGSegments {
    /// The byte ranges at which a gain map can be, the most reliable first: those of the multi-picture index, the one that
    /// the XMP of the primary picture names, and the JPEG behind the primary one.
    ///
    /// The last two are computed only if they are asked for: the last one reads the whole file.
    fileprivate func candidates(in bytes: UnsafeRawBufferPointer) -> some Sequence<Range<Int>> {
        let further: [() -> Range<Int>?] = [
            {
                // A map is behind the segments of the primary picture.
                guard let length = containerLength, length < bytes.count - (firstScan ?? 0) else { return nil }
                return bytes.count - length..<bytes.count
            },
            {
                // Programs that change metadata can leave the index behind. The end of the picture is then the only guide.
                guard let start = firstScan, let place = Self.endOfPicture(in: bytes, from: start) else { return nil }
                return place..<bytes.count
            },
        ]
        return (furtherPictures.map { range in { range } } + further).lazy.compactMap { $0() }
    }

    /// The sum of the lengths of the items from the gain map to the end of the file, as the XMP of the primary picture
    /// declares them (Google's container format).
    private var containerLength: Int? {
        guard let xmp, let items = XMPProperties(xmp, namespace: "http://ns.google.com/photos/1.0/container/item/")
        else {
            return nil
        }
        let (names, lengths) = (items.all("Semantic").compactMap(\.first), items.all("Length").compactMap { $0.first })
        // The first item is the primary picture. It has no length.
        guard let place = names.firstIndex(of: "GainMap"), place > 0, lengths.count == names.count - 1 else {
            return nil
        }
        var sum = 0
        for text in lengths[(place - 1)...] {
            guard let length = Int(text), (0..<1 << 40).contains(length) else { return nil }
            sum += length
        }
        return sum > 0 ? sum : nil
    }

    /// Returns the position behind the first end of image that a start of image follows.
    private static func endOfPicture(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var offset = start
        while offset < bytes.count - 5, let found = memchr(base + offset, 0xFF, bytes.count - 5 - offset) {
            let place = UnsafeRawPointer(found) - base
            if bytes[place + 1] == 0xD9, bytes[place + 2] == 0xFF, bytes[place + 3] == 0xD8, bytes[place + 4] == 0xFF {
                return place + 2
            }
            offset = place + 1
        }
        return nil
    }
}
