import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

/// Images that this package inflates in one step are equal to the images that libpng decodes.
@Suite(.timeLimit(minutes: 2))
struct PNGInflatedRowsTests {
    private let width = 37
    private let height = 12
    /// A zlib header that declares a window of 256 bytes, which is smaller than the image. Only libpng decodes such a
    /// stream.
    private let smallWindow: [UInt8] = [0x08, 0x1D]
    private let palette: Data

    init() {
        let colors = (0..<256).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index), UInt8(255 - index), UInt8(index / 2)]
        }
        let alphas = (0..<200).map { (index: Int) -> UInt8 in UInt8(index) }
        palette = PNGBytes.chunk("PLTE", Data(colors)) + PNGBytes.chunk("tRNS", Data(alphas))
    }

    @Test(arguments: [0, 2, 3, 6], 0..<5)
    func everyRowFilterIsReversed(color: Int, first: Int) throws {
        let bytes = color == 6 ? 4 : color == 2 ? 3 : 1
        let rows = pixels(bytesPerPixel: bytes, seed: UInt64(color * 5 + first + 1))
        let raw = filtered(rows, bytes) { ($0 + first) % 5 }
        for format in [PixelFormat.rgba8, .bgra8Premultiplied, .rgb8, .gray8] {
            let whole = try decoded(file(color, PNGBytes.deflated(raw: raw)), format)
            let streamed = try decoded(file(color, PNGBytes.deflated(raw: raw, header: smallWindow)), format)
            #expect(whole == streamed, "\(format)")
        }
        let straight = try decoded(file(color, PNGBytes.deflated(raw: raw)), .rgba8)
        #expect(straight == rows.flatMap { expanded($0, color) })
    }

    @Test func invalidFilterThrowsLibpngsMessage() throws {
        let rows = pixels(bytesPerPixel: 4, seed: 1)
        let raw = filtered(rows, 4) { $0 == 7 ? 5 : 0 }
        let data = file(6, PNGBytes.deflated(raw: raw))
        let error = #expect(throws: WebImageError.self) {
            try ImagePNGCoder.shared.decode(data, options: DecodingOptions())
        }
        guard case .codec("libpng", let words)? = error?.underlying else {
            Issue.record("the error is not from libpng: \(String(describing: error))")
            return
        }
        #expect(words.contains("filter"))
    }

    @Test func framesInSeveralChunksAreDecoded() throws {
        let rows = pixels(bytesPerPixel: 1, seed: 9)
        let stream = PNGBytes.deflated(raw: filtered(rows, 1) { $0 % 5 })
        let empty = [[UInt8]](repeating: [UInt8](repeating: 0, count: width), count: height)
        let parts: [Data] = [
            PNGBytes.signature, PNGBytes.header(width, height, color: 3), palette,
            PNGBytes.animationControl(frames: 2, plays: 0), PNGBytes.frameControl(0, width, height),
            PNGBytes.chunk("IDAT", PNGBytes.deflated(empty)), PNGBytes.frameControl(1, width, height),
            PNGBytes.chunk("fdAT", PNGBytes.bigEndian(2) + stream.prefix(100)),
            PNGBytes.chunk("fdAT", PNGBytes.bigEndian(3) + stream.dropFirst(100)), PNGBytes.chunk("IEND"),
        ]
        let data = parts.reduce(Data(), +)
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let animation = try ImagePNGCoder(animation: data, options: options)
        #expect(Sample.values(try animation.frame(at: 1).pixels) == rows.flatMap { expanded($0, 3) })
    }

    /// A back reference can reach beyond the window that the header of the stream declares.
    @Test func distanceBeyondTheWindowIsReadAsInLibpng() throws {
        let raw = (0..<height * (width + 1)).map { UInt8($0 % 300 % 5) }
        // The first 300 bytes are stored. Each later byte is a copy of the byte 300 positions before (RFC 1951,
        // §3.2.5-6).
        let rest = raw.count - 300
        var bits = DeflateBits()
        bits.append(0b011, count: 3)
        bits.appendCode(0b1100_0000 + 1, count: 8)
        bits.append(rest - 131, count: 5)
        bits.appendCode(16, count: 5)
        bits.append(300 - 257, count: 7)
        bits.appendCode(0, count: 7)
        let stored = PNGBytes.deflated(raw: Array(raw.prefix(300))).dropFirst(3).dropLast(4)
        let end = PNGBytes.deflated(raw: raw).suffix(4)
        for header in [[0x78, 0x01], smallWindow] {
            let stream = Data(header + [0]) + stored + Data(bits.bytes) + end
            let shown = try decoded(file(0, stream), .gray8)
            #expect(try shown == decoded(file(0, PNGBytes.deflated(raw: raw)), .gray8))
        }
    }

    /// If any one byte is damaged, this package and libpng must both reject the image or both return the same image.
    @Test func damageFailsAsInLibpng() throws {
        let raw = filtered(pixels(bytesPerPixel: 3, seed: 4), 3) { $0 % 5 }
        let whole = file(2, PNGBytes.deflated(raw: raw))
        let streamed = file(2, PNGBytes.deflated(raw: raw, header: smallWindow))
        #expect(whole.count == streamed.count)
        let start = try #require(whole.range(of: Data("IDAT".utf8))).upperBound
        for place in 33..<whole.count where !(start..<start + 2).contains(place) {
            var (first, second) = (whole, streamed)
            first[place] ^= 0x21
            second[place] ^= 0x21
            #expect((try? decoded(first, .rgba8)) == (try? decoded(second, .rgba8)), "byte \(place)")
        }
    }

    private func file(_ color: Int, _ stream: Data) -> Data {
        let parts: [Data] = [
            PNGBytes.signature, PNGBytes.header(width, height, color: color), color == 3 ? palette : Data(),
            PNGBytes.chunk("IDAT", stream.prefix(50)), PNGBytes.chunk("IDAT", stream.dropFirst(50)),
            PNGBytes.chunk("tEXt", Data("a\0b".utf8)), PNGBytes.chunk("IEND"),
        ]
        return parts.reduce(Data(), +)
    }

    private func decoded(_ data: Data, _ format: PixelFormat) throws -> [Int] {
        var options = DecodingOptions()
        options.pixelFormat = format
        return Sample.values(try ImagePNGCoder.shared.decode(data, options: options).pixels)
    }

    private func pixels(bytesPerPixel: Int, seed: UInt64) -> [[UInt8]] {
        var state = seed
        return (0..<height).map { _ in
            (0..<width * bytesPerPixel).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
        }
    }

    /// Returns the straight RGBA values of a row. `color` is the PNG colour type of the row.
    private func expanded(_ row: [UInt8], _ color: Int) -> [Int] {
        let values = row.map(Int.init)
        switch color {
        case 0: return values.flatMap { (grey: Int) -> [Int] in [grey, grey, grey, 255] }
        case 2:
            return stride(from: 0, to: values.count, by: 3).flatMap { (place: Int) -> [Int] in
                Array(values[place..<place + 3]) + [255]
            }
        case 3:
            return values.flatMap { (index: Int) -> [Int] in
                [index, 255 - index, index / 2, index < 200 ? index : 255]
            }
        default: return values
        }
    }

    /// Applies row filters and adds the filter byte before each row (PNG third edition, §9.2). An unknown filter leaves
    /// a row unchanged.
    private func filtered(_ rows: [[UInt8]], _ bytes: Int, filter: (Int) -> Int) -> [UInt8] {
        var raw: [UInt8] = []
        for (y, row) in rows.enumerated() {
            let kind = filter(y)
            raw.append(UInt8(kind))
            for x in row.indices {
                let left = x < bytes ? 0 : Int(row[x - bytes])
                let up = y == 0 ? 0 : Int(rows[y - 1][x])
                let corner = x < bytes || y == 0 ? 0 : Int(rows[y - 1][x - bytes])
                let guess = left + up - corner
                let nearest = [left, up, corner].min { abs(guess - $0) < abs(guess - $1) } ?? 0
                let predicted = [0, left, up, (left + up) / 2, nearest, 0][kind]
                raw.append(row[x] &- UInt8(predicted))
            }
        }
        return raw
    }
}

/// Writes bits in the order of deflate: numbers begin with their lowest bit, and codes begin with their highest bit.
private struct DeflateBits {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ value: Int, count: Int) { for place in 0..<count { appendBit(value >> place & 1) } }

    mutating func appendCode(_ code: Int, count: Int) {
        for place in (0..<count).reversed() { appendBit(code >> place & 1) }
    }

    private mutating func appendBit(_ bit: Int) {
        if count % 8 == 0 { bytes.append(0) }
        bytes[bytes.count - 1] |= UInt8(bit << (count % 8))
        count += 1
    }
}
