import Foundation
import WebImageCore

/// What the boxes of a JP2 file (ISO/IEC 15444-1 Annex I) and the main header of the codestream (Annex A) declare.
///
/// The library is not asked: it allocates the tables of all tiles, up to 65,535, while it reads the header.
struct JPEG2000Header {
    struct Component {
        let bits: Int
        let isSigned: Bool
        /// The distance of two samples on the reference grid.
        let dx: Int
        let dy: Int
    }

    enum ColorSpace {
        case sRGB, gray, sYCC, ink
        /// The file has a profile, or says nothing.
        case unnamed
    }

    /// Whether the codestream is inside boxes.
    let isBoxed: Bool
    /// The position of the picture on the reference grid.
    let origin: (x: Int, y: Int)
    /// The channels of the codestream, before a palette is applied.
    let components: [Component]
    private(set) var colorSpace = ColorSpace.unnamed
    /// The channel that is alpha by the file's definition of channels; nil if none is.
    private(set) var alphaChannel: Int?
    /// Whether the colours are multiplied by alpha, by the file's definition of channels.
    private(set) var isPremultiplied = false
    /// Whether the file says which channels are colours. In a file that does not, a second or fourth channel is alpha.
    private(set) var definesChannels = false
    private(set) var paletteColumns: Int?
    private(set) var paletteBits = 8
    private(set) var profileBytes: Range<Int>?
    private(set) var info: ImageInfo
    /// The bytes that OpenJPEG needs for its tables, without samples.
    private let tableBytes: Int

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        var start: Int? = 0
        var header: Range<Int>?
        isBoxed = bytes.starts(with: [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20])
        if isBoxed {
            start = nil
            for box in try Self.boxes(bytes, in: 0..<bytes.count) {
                if box.type == 0x6A70_3268, header == nil { header = box.content }
                if box.type == 0x6A70_3263 {
                    start = box.content.lowerBound
                    break
                }
            }
        }
        guard let start else { throw Self.unreadable("there is no codestream") }
        let size = try JPEG2000Size(bytes, at: start)
        (origin, components) = (size.origin, size.components)
        let (across, down) = size.tileCounts
        let count = size.components.count
        // OpenJPEG 2.5 takes 5,696 bytes for each tile and 1,080 for each channel of it.
        tableBytes = across * down * (6_000 + 1_100 * count)
        info = ImageInfo(format: .jpeg2000, storedSize: size.picture)
        try limits.checkPixels(size.picture)
        guard count <= 4 else { throw .unsupportedJPEG2000("\(count) channels") }
        guard components.allSatisfy({ $0.bits <= 31 }) else { throw .unsupportedJPEG2000("samples of over 31 bits") }
        try limits.checkDecodeBytes(tableBytes)
        if let header { try read(bytes, header, limits: limits) }
        let channels = paletteColumns ?? count
        if !definesChannels, channels == 2 || channels == 4 && colorSpace != .ink { alphaChannel = channels - 1 }
        info.hasAlpha = alphaChannel != nil
        info.isGray = paletteColumns == nil && channels - (alphaChannel == nil ? 0 : 1) == 1
        info.bitDepth = paletteColumns == nil ? components.map(\.bits).max() ?? 8 : paletteBits
        info.hasICCProfile = profileBytes != nil
        info.workingMemory.fixedBytes = tableBytes + bytes.count
        info.workingMemory.bytesPerSourcePixel = 4 * max(count, channels)
        info.workingMemory.shrinksWhileReading = true
    }

    /// Reads the boxes in `jp2h`.
    private mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, limits: DecodingLimits
    ) throws(WebImageError) {
        var hasColor = false
        for box in try Self.boxes(bytes, in: range) {
            let content = bytes[box.content]
            func byte(_ index: Int) throws(WebImageError) -> Int {
                guard index < content.count else { throw Self.unreadable("a box is too short") }
                return Int(content[content.startIndex + index])
            }
            func short(_ index: Int) throws(WebImageError) -> Int { try byte(index) << 8 | byte(index + 1) }
            switch box.type {
            case 0x636F_6C72 where !hasColor:  // colr: the first one counts, as in OpenJPEG.
                hasColor = true
                if try byte(0) == 1 {
                    switch try short(3) << 16 | short(5) {
                    case 12: colorSpace = .ink
                    case 16: colorSpace = .sRGB
                    case 17: colorSpace = .gray
                    case 18: colorSpace = .sYCC
                    case let other: throw .unsupportedJPEG2000("colour space \(other)")
                    }
                } else if box.content.count > 3 + 128 {
                    profileBytes = box.content.dropFirst(3)
                    // The colour space of the profile, at byte 16.
                    if bytes[box.content.dropFirst(3 + 16).prefix(4)].elementsEqual("CMYK".utf8) { colorSpace = .ink }
                }
            case 0x7063_6C72 where paletteColumns == nil:  // pclr
                let columns = try byte(2)
                guard 1...4 ~= columns else { throw .unsupportedJPEG2000("a palette of \(columns) channels") }
                paletteColumns = columns
                paletteBits = 1
                for index in 0..<columns { paletteBits = try max(paletteBits, byte(3 + index) & 0x7F + 1) }
            case 0x6364_6566:  // cdef
                definesChannels = true
                for index in 0..<(try min(short(0), 16)) {
                    let kind = try short(2 + 6 * index + 2)
                    guard [1, 2].contains(kind) else { continue }
                    alphaChannel = try short(2 + 6 * index)
                    isPremultiplied = kind == 2
                }
            default: continue
            }
        }
    }

    /// The boxes in a range. Their number is limited by their least size of 8 bytes.
    private static func boxes(
        _ bytes: UnsafeRawBufferPointer, in range: Range<Int>
    ) throws(WebImageError) -> [(type: UInt32, content: Range<Int>)] {
        var boxes: [(type: UInt32, content: Range<Int>)] = []
        var place = range.lowerBound
        func number(_ at: Int, _ count: Int) -> UInt64 { bytes[at..<at + count].reduce(0) { $0 << 8 | UInt64($1) } }
        while range.upperBound - place >= 8, boxes.count < 1000 {
            var (length, head) = (number(place, 4), 8)
            if length == 1 {
                guard range.upperBound - place >= 16 else { throw unreadable("a box is too short") }
                (length, head) = (number(place + 8, 8), 16)
            }
            // 0: up to the end. A last box that is longer than the file is cut off.
            let rest = range.upperBound - place
            let size = length == 0 ? rest : Int(min(length, UInt64(rest)))
            guard size >= head else { throw unreadable("a box is too short") }
            boxes.append((UInt32(number(place + 4, 4)), place + head..<place + size))
            place += size
        }
        return boxes
    }

    static func unreadable(_ message: String) -> WebImageError {
        .badData("JPEG 2000", "the header is unreadable: \(message)", hint: "Fetch the file again.")
    }
}

/// The marker segment SIZ, with which each codestream starts.
private struct JPEG2000Size {
    let origin: (x: Int, y: Int)
    let picture: PixelSize
    let tileCounts: (across: Int, down: Int)
    let components: [JPEG2000Header.Component]

    init(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(WebImageError) {
        let content = bytes[start...]
        guard content.count >= 42, content.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) else {
            throw JPEG2000Header.unreadable("the codestream has no size")
        }
        func number(_ at: Int) -> Int { content[(start + at)..<(start + at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        let (right, bottom, left, top) = (number(8), number(12), number(16), number(20))
        let (tileWidth, tileHeight, tileLeft, tileTop) = (number(24), number(28), number(32), number(36))
        let count = Int(content[start + 40]) << 8 | Int(content[start + 41])
        guard right > left, bottom > top, right <= Int(Int32.max), bottom <= Int(Int32.max), tileWidth > 0,
            tileHeight > 0,
            tileLeft <= left, tileTop <= top, tileLeft + tileWidth > left, tileTop + tileHeight > top, count > 0,
            content.count >= 42 + 3 * count
        else { throw JPEG2000Header.unreadable("its sizes contradict each other") }
        origin = (left, top)
        picture = PixelSize(width: right - left, height: bottom - top)
        tileCounts = (
            (right - tileLeft + tileWidth - 1) / tileWidth, (bottom - tileTop + tileHeight - 1) / tileHeight
        )
        guard tileCounts.across * tileCounts.down <= 65_535 else { throw JPEG2000Header.unreadable("too many tiles") }
        components = (0..<count).map { index in
            let at = start + 42 + 3 * index
            return .init(
                bits: Int(bytes[at] & 0x7F) + 1, isSigned: bytes[at] & 0x80 != 0, dx: Int(bytes[at + 1]),
                dy: Int(bytes[at + 2]))
        }
        guard components.allSatisfy({ $0.dx > 0 && $0.dy > 0 }) else {
            throw JPEG2000Header.unreadable("a channel has no samples")
        }
    }
}

extension WebImageError {
    static func unsupportedJPEG2000(_ what: String) -> WebImageError {
        WebImageError(
            .unsupportedFormat, stage: .decode,
            underlying: .codec(library: "JPEG 2000", message: "not supported: \(what)"),
            hint: nil)
    }
}
