import WebImageCore

/// The positions of the chunks of a PNG or APNG file (PNG third edition, §5 and §11). The scan that finds these
/// positions inflates nothing.
///
/// Offsets are counted from the first byte of the file. The scan stops at the first truncated chunk. The chunks before
/// the end of the scan are available.
struct PNGChunks: Sendable {
    var header: PNGHeader
    /// The payload of `PLTE`.
    var palette: Range<Int>?
    /// The payload of `tRNS`, which makes some pixels transparent.
    var transparency: Range<Int>?
    /// Whether `tRNS` is stored before `PLTE`. libpng ignores such a `tRNS`.
    var isTransparencyMisplaced = false
    /// The animation if the file has a valid `acTL` chunk before the pixels. Nil for a still.
    var animation: PNGAnimation?
    /// The payload of `iCCP`. It contains the profile name, the compression method and the compressed profile.
    var iccProfile: Range<Int>?
    /// The payload of `gAMA`. The next two properties are the payloads of `cHRM` and `cICP`. These chunks describe the
    /// colours without an ICC profile.
    private var gamma: Range<Int>?
    private var chromaticities: Range<Int>?
    private var codePoints: Range<Int>?
    /// The payloads of `cLLI` and `mDCV`: the brightest light of the picture, and that of the display on which it was made.
    private var lightLevel: Range<Int>?
    private var masteringDisplay: Range<Int>?
    var isMarkedSRGB = false
    /// The colours in `gAMA`, `cHRM` and `cICP`.
    var colors: PNGColors?
    /// The payload of `eXIf`.
    var exif: Range<Int>?
    /// The range of the XMP text, which is in an uncompressed `iTXt` chunk.
    var xmp: Range<Int>?
    /// The payloads of the `IDAT` chunks.
    var imageData: [Range<Int>] = []
    /// Whether the scan reached `IEND`, which is the last chunk of a complete file.
    var isComplete = false

    private var animationControlCount = 0
    /// The `fcTL` payload of the default image if this chunk is stored before `acTL`. The format allows this order.
    private var earlyFrameControl: Range<Int>?

    var hasAlpha: Bool { header.hasAlphaChannel || transparency != nil }

    static let signatureLength = 8

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        header = try PNGHeader(bytes)
        try limits.checkPixels(header.size)
        var budget = AncillaryBudget(limits)
        var walk = ChunkWalk(limits)
        // Skip the signature and `IHDR`. `IHDR` has 25 bytes: length, name, 13 bytes of payload, checksum.
        var offset = Self.signatureLength + 25
        while !isComplete, let length = bytes.bigEndian32(at: offset), let tag = bytes.tag(at: offset + 4),
            let payload = bytes.range(at: offset + 8, count: length)
        {
            try walk.step()
            if tag == "IDAT" || tag == "fdAT" { try walk.keep("PNG") }
            try take(tag, payload, in: bytes, limits: limits, budget: &budget)
            offset = payload.upperBound + 4
        }
        colors = PNGColors(bytes, gamma: gamma, chromaticities: chromaticities, codePoints: codePoints)
        colors?.setLight(bytes, level: lightLevel, display: masteringDisplay)
        // If the file has several `acTL` chunks or no frames, the animation is invalid. Read such a file as a still.
        if animationControlCount != 1 || animation?.frames.isEmpty == true { animation = nil }
    }

    private mutating func take(
        _ tag: FourCC, _ payload: Range<Int>, in bytes: UnsafeRawBufferPointer, limits: DecodingLimits,
        budget: inout AncillaryBudget
    ) throws(WebImageError) {
        switch tag {
        case "IDAT": imageData.append(payload)
        case "IEND": isComplete = bytes.range(at: payload.upperBound, count: 4) != nil
        case "PLTE":
            isTransparencyMisplaced = transparency != nil && imageData.isEmpty
            palette = palette ?? payload
        case "tRNS":
            guard imageData.isEmpty, transparency == nil else { return }
            transparency = payload
        case "acTL":
            guard imageData.isEmpty else { return }
            animationControlCount += 1
            animation = PNGAnimation(bytes, control: payload)
            if let earlyFrameControl { animation?.addFrame(bytes, control: earlyFrameControl, isDefaultImage: true) }
        case "fcTL":
            if animation == nil, imageData.isEmpty { earlyFrameControl = payload }
            animation?.addFrame(bytes, control: payload, isDefaultImage: imageData.isEmpty)
            try limits.checkAnimation(header.size, frameCount: animation?.frames.count ?? 0)
        case "fdAT": animation?.addData(payload)
        case "iCCP":
            try budget.take(payload.count)
            iccProfile = iccProfile ?? payload
        case "gAMA" where payload.count == 4: gamma = gamma ?? payload
        case "cHRM" where payload.count == 32: chromaticities = chromaticities ?? payload
        case "cICP" where payload.count == 4: codePoints = codePoints ?? payload
        // Programs before the third edition of PNG wrote the names of drafts.
        case "cLLI", "cLLi": if payload.count == 8 { lightLevel = lightLevel ?? payload }
        case "mDCV", "mDCv": if payload.count == 24 { masteringDisplay = masteringDisplay ?? payload }
        case "sRGB": isMarkedSRGB = true
        // Only the positions of metadata are stored, so its length has no limit here. `checkMetadata` checks it when the
        // metadata is requested.
        case "eXIf": exif = exif ?? payload
        case "iTXt": xmp = xmp ?? Self.xmpText(bytes, payload)
        default: break
        }
    }

    /// Throws if the metadata exceeds a limit.
    func checkMetadata(_ limits: DecodingLimits) throws(WebImageError) {
        var budget = AncillaryBudget(limits)
        for range in [iccProfile, exif, xmp] { try budget.take(range?.count ?? 0) }
    }

    /// Returns the range of the XMP text in an `iTXt` chunk. Returns nil for any other text. Compressed XMP is invalid
    /// and is ignored.
    private static func xmpText(_ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>) -> Range<Int>? {
        let keyword: StaticString = "XML:com.adobe.xmp\0"
        guard bytes.has(keyword, at: payload.lowerBound) else { return nil }
        // Two bytes follow the keyword: compression flag and compression method. A language and a translated keyword
        // follow, each with a zero byte at its end.
        var start = payload.lowerBound + keyword.utf8CodeUnitCount + 2
        guard start <= payload.upperBound, bytes[start - 2] == 0 else { return nil }
        for _ in 0..<2 {
            guard let end = bytes[start..<payload.upperBound].firstIndex(of: 0) else { return nil }
            start = end + 1
        }
        return start..<payload.upperBound
    }
}

/// The fields of `IHDR` (PNG third edition, §11.2.1).
struct PNGHeader: Sendable, Hashable {
    var size: PixelSize
    var bitDepth: Int
    var colorType: Int
    var isInterlaced: Bool

    var isGray: Bool { colorType & 2 == 0 }
    var isPalette: Bool { colorType == 3 }
    var hasAlphaChannel: Bool { colorType & 4 != 0 }

    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard bytes.starts(with: signature) else { throw .badData("PNG", "the signature is missing") }
        guard bytes.range(at: 8, count: 25) != nil else { throw .badData("PNG", "the file ends inside its header") }
        guard bytes.bigEndian32(at: 8) == 13, bytes.has("IHDR", at: 12), let width = bytes.bigEndian32(at: 16),
            let height = bytes.bigEndian32(at: 20)
        else { throw .badData("PNG", "the first chunk is not IHDR") }
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else {
            throw .badData("PNG", "the header declares a size of \(width)x\(height)")
        }
        size = PixelSize(width: width, height: height)
        bitDepth = Int(bytes[24])
        colorType = Int(bytes[25])
        isInterlaced = bytes[28] != 0
        guard [0, 2, 3, 4, 6].contains(colorType), [1, 2, 4, 8, 16].contains(bitDepth) else {
            throw .badData("PNG", "colour type \(colorType) with \(bitDepth) bits does not exist")
        }
    }
}
