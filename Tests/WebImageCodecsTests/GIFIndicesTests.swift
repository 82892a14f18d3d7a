import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

/// Decodes LZW data of the kinds that encoders write. The codes become wider, a code may be used before its string is
/// complete, and the code table may become full.
@Suite(.timeLimit(minutes: 2))
struct GIFIndicesTests {
    enum Pattern: CaseIterable { case oneColor, stripes, noise, ramps }

    /// With this width, the image has more than 64 KB of indices. Strings therefore continue from one batch of rows
    /// into the next batch.
    private let width = 301
    private let height = 500

    @Test(arguments: Pattern.allCases, [1, 2, 7, 8])
    func indicesRoundTrip(pattern: Pattern, bits: Int) throws {
        for clearsWhenFull in [true, false] {
            let indices = indices(pattern, bits)
            let data = LZWBytes.encoded(indices, bits: bits, clearsWhenFull: clearsWhenFull)
            #expect(try decoded(data, bits) == indices, "\(clearsWhenFull)")
        }
    }

    /// The decoder ignores an invalid code and all codes after it, even if a clear code follows.
    @Test(arguments: [[250], [128, 250], [128, 130]])
    func rowsBeforeAnInvalidCodeAreShown(_ wrong: [Int]) throws {
        // The data contains two rows, an invalid code and two valid rows.
        let codes = [128] + [Int](repeating: 5, count: 2 * 8) + wrong + [128] + [Int](repeating: 5, count: 2 * 8)
        let data = LZWBytes.packed(codes.map { ($0, 8) }, bits: 7)
        let frame: [UInt8] = [0x2C] + [0, 0, 8, 4].flatMap(GIFBytes.littleEndian) + [0] + data
        let file = GIFBytes.file(GIFBytes.screen(8, 4), frame)
        let image = try ImageGIFCoder.shared.decode(file, options: DecodingOptions())
        #expect(Sample.values(image.pixels).prefix(64).allSatisfy { $0 == 10 || $0 == 255 })
        #expect(Sample.values(image.pixels).suffix(64).allSatisfy { $0 == 0 })
    }

    /// The code size can be larger than an index requires. Some encoders write such files, and other viewers show these
    /// files.
    @Test(arguments: Pattern.allCases, [9, 10, 11])
    func codesWiderThanAnIndexAreRead(pattern: Pattern, size: Int) throws {
        let indices = indices(pattern, 8)
        for clearsWhenFull in [true, false] {
            for startsWithClear in [true, false] {
                let data = LZWBytes.encoded(
                    indices, bits: size, clearsWhenFull: clearsWhenFull, startsWithClear: startsWithClear)
                #expect(try decoded(data, 8) == indices, "\(clearsWhenFull), \(startsWithClear)")
            }
        }
    }

    /// The decoder uses only the lower eight bits of an index. If the palette has no entry for an index, the pixel is
    /// black.
    @Test func indexTooLargeIsTruncatedAndOneBeyondThePaletteIsBlack() throws {
        let codes = [512, 300, 5, 1, 513].map { ($0, 10) }
        let data = LZWBytes.packed(codes, bits: 9)
        // One palette has 256 entries, the other palette has 2 entries.
        for (flags, count, reds) in [(0x87, 256, [44, 5, 1]), (0x80, 2, [0, 0, 1])] as [(UInt8, Int, [UInt8])] {
            let palette = (0..<count).flatMap { (index: Int) -> [UInt8] in [UInt8(index), 0, 0] }
            let frame: [UInt8] = [0x2C] + [0, 0, 3, 1].flatMap(GIFBytes.littleEndian) + [flags] + palette + data
            var options = DecodingOptions()
            options.pixelFormat = .rgba8
            let image = try ImageGIFCoder.shared.decode(
                GIFBytes.file(GIFBytes.screen(3, 1, hasPalette: false), frame), options: options)
            let pixels = image.pixels.withUnsafeBytes { Array($0[0..<12]) }
            #expect(pixels == reds.flatMap { [$0, 0, 0, 255] })
        }
    }

    @Test(arguments: [12, 255])
    func invalidCodeSizesAreRefused(bits: UInt8) {
        let frame: [UInt8] = [0x2C] + [0, 0, 1, 1].flatMap(GIFBytes.littleEndian) + [0, bits, 2, 0, 0, 0]
        let file = GIFBytes.file(GIFBytes.screen(1, 1), frame)
        let error = #expect(throws: WebImageError.self) {
            try ImageGIFCoder.shared.decode(file, options: DecodingOptions())
        }
        #expect(error?.code == .badImageData)
    }

    private func indices(_ pattern: Pattern, _ bits: Int) -> [UInt8] {
        var state: UInt64 = 7
        let mask = 1 << bits - 1
        return (0..<width * height).map { place in
            switch pattern {
            case .oneColor: return 1
            case .stripes: return UInt8(place / 3 & mask)
            case .ramps: return UInt8((place % width * place / width / 40) & mask)
            case .noise:
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(Int(truncatingIfNeeded: state >> 40) & mask)
            }
        }
    }

    /// Decodes LZW data and returns the red channel of each pixel. In the palette, the red value of each entry is its
    /// index.
    private func decoded(_ data: [UInt8], _ bits: Int) throws -> [UInt8] {
        let palette = (0..<1 << bits).flatMap { (index: Int) -> [UInt8] in [UInt8(index), 0, 0] }
        let place = [0, 0, width, height].flatMap(GIFBytes.littleEndian)
        let frame: [UInt8] = [0x2C] + place + [UInt8(0x7F + bits)] + palette + data
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let image = try ImageGIFCoder.shared.decode(
            GIFBytes.file(GIFBytes.screen(width, height, hasPalette: false), frame), options: options)
        let (pixels, rowBytes) = (image.pixels, image.pixels.bytesPerRow)
        return pixels.withUnsafeBytes { bytes in
            (0..<height).flatMap { y in (0..<width).map { x in bytes[y * rowBytes + x * 4] } }
        }
    }
}

/// An LZW encoder (GIF89a, appendix F).
enum LZWBytes {
    /// Encodes `indices`. Returns the code size (one byte) and the data blocks.
    static func encoded(
        _ indices: [UInt8], bits: Int, clearsWhenFull: Bool, startsWithClear: Bool = true
    ) -> [UInt8] {
        let size = max(bits, 2)
        let clear = 1 << size
        var codes = startsWithClear ? [(clear, size + 1)] : []
        var (next, width) = (clear + 2, size + 1)
        var known: [Int: Int] = [:]
        var current = Int(indices[0])
        func emit(_ code: Int) {
            codes.append((code, width))
            if next > 1 << width - 1, width < 12 { width += 1 }
        }
        for index in indices.dropFirst() {
            let key = current << 8 | Int(index)
            if let code = known[key] {
                current = code
                continue
            }
            emit(current)
            if next < 4096 {
                known[key] = next
                next += 1
            } else if clearsWhenFull {
                codes.append((clear, width))
                (next, width, known) = (clear + 2, size + 1, [:])
            }
            current = Int(index)
        }
        emit(current)
        codes.append((clear + 1, width))
        return packed(codes, bits: size)
    }

    static func packed(_ codes: [(Int, Int)], bits: Int) -> [UInt8] {
        var (bytes, pending, count): ([UInt8], Int, Int) = ([], 0, 0)
        for (code, width) in codes {
            pending |= code << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(pending & 255))
                (pending, count) = (pending >> 8, count - 8)
            }
        }
        if count > 0 { bytes.append(UInt8(pending & 255)) }
        return [UInt8(bits)] + GIFBytes.blocks(bytes) + [0]
    }
}
