import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 2))
struct PNGHostileTests {
    private let coder = ImagePNGCoder.shared
    private let small = PNGBytes.file(
        header: PNGBytes.header(3, 3), before: PNGBytes.chunk("eXIf", PNGBytes.exif(orientation: 6)),
        rows: (0..<3).map { [UInt8](repeating: UInt8($0), count: 12) })

    @Test func everyTruncationIsATypedError() {
        #expect(coder.refusal(of: small) == nil)
        // The compressed rows end four bytes before the end of `IDAT`, with zlib's checksum. The end of the file can be
        // missing.
        let rowsEnd = small.count - 12 - 4 - 4
        for length in 0..<rowsEnd { #expect(coder.refusal(of: small.prefix(length))?.code == .badImageData) }
        for length in rowsEnd + 4..<small.count { #expect(coder.refusal(of: small.prefix(length)) == nil) }
    }

    /// Returns the values of a picture that is decoded whole, and of one that arrives in pieces; nil for a refusal.
    private func shown(_ file: Data, _ format: PixelFormat = .rgba8) throws -> (whole: [Int]?, arrived: [Int]?) {
        var options = DecodingOptions()
        options.pixelFormat = format
        let whole = try? coder.decode(file, options: options)
        let stream = try #require(
            ImageCodersManager.shared.makeIncrementalCoder(for: file, options: options)
                as? any StreamingImageCoder)
        var arrived: Image?
        if (try? stream.append(file, finished: true)) != nil { arrived = stream.incrementalImage(options: nil) }
        return (whole.map { Sample.values($0.pixels) }, arrived.map { Sample.values($0.pixels) })
    }

    enum Kind: CaseIterable, Sendable { case plain, interlaced, palette, deep }

    private func file(_ kind: Kind, _ change: (Data) -> Data = { $0 }, after: Data = PNGBytes.chunk("IEND")) -> Data {
        let (width, height) = (40, 30)
        let channels = kind == .palette ? 1 : kind == .deep ? 8 : 4
        let rows = (0..<height).map { y in (0..<width * channels).map { UInt8(truncatingIfNeeded: $0 * 7 + y * 13) } }
        let raw: [[UInt8]]
        if kind == .interlaced {
            let passes = [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
            ]
            raw = passes.flatMap { pass in
                stride(from: pass.1, to: height, by: pass.3).map { y in
                    stride(from: pass.0, to: width, by: pass.2).flatMap { rows[y][4 * $0..<4 * $0 + 4] }
                }
            }
        } else {
            raw = rows
        }
        let header = PNGBytes.header(
            width, height, depth: kind == .deep ? 16 : 8, color: kind == .palette ? 3 : 6,
            interlaced: kind == .interlaced)
        let palette = PNGBytes.chunk("PLTE", Data((0..<768).map { UInt8(truncatingIfNeeded: $0 * 89) }))
        let pixels = change(PNGBytes.chunk("IDAT", PNGBytes.deflated(raw)))
        return PNGBytes.signature + header + (kind == .palette ? palette : Data()) + pixels + after
    }

    /// Damage after which every pixel is still proved or at least present. Pillow, libvips and ffmpeg read these files.
    @Test(arguments: Kind.allCases) func damageBesideThePixelsIsRead(kind: Kind) throws {
        let whole = try shown(file(kind))
        #expect(whole.whole != nil && whole.whole == whole.arrived)
        let wrongChecksum = file(kind, { $0.dropLast() + Data([$0[$0.endIndex - 1] ^ 1]) })
        let noEnd = file(kind, after: Data())
        for damaged in [wrongChecksum, noEnd, noEnd.dropLast(4), noEnd + Data([0, 0, 0, 0, 0x49])] {
            let shown = try shown(Data(damaged))
            #expect(shown.whole == whole.whole && shown.arrived == whole.whole)
        }
    }

    /// A file that was cut off near its end, or whose last chunk declares more bytes than the file has, is shown if its
    /// pixels are complete: at once and in pieces.
    @Test(arguments: Kind.allCases) func endOfTheFileMattersTheSameInPieces(kind: Kind) throws {
        let whole = file(kind)
        let pixels = try shown(whole).whole
        let start = try #require(whole.firstRange(of: Data("IDAT".utf8))).lowerBound
        var long = file(kind, after: Data())
        long[start - 4] = 0x40
        for file in [long, long.dropLast(1), long.dropLast(4), long + Data(repeating: 0, count: 30_000)] {
            let shown = try shown(Data(file))
            #expect(shown.whole == pixels && shown.arrived == pixels, "\(file.count) bytes")
        }
        for file in [whole, long] {
            for count in file.count - 60...file.count {
                let shown = try shown(Data(file.prefix(count)))
                #expect(shown.whole == shown.arrived, "\(count) of \(file.count) bytes")
                #expect(shown.whole == nil || shown.whole == pixels)
            }
        }
    }

    /// Some encoders declare a window of 256 bytes and use a larger one (libpng issues 125 and 183).
    @Test(arguments: [PixelFormat.rgb8, .rgba16]) func windowCanBeLargerThanDeclared(format: PixelFormat) throws {
        // Each row repeats the row 7 rows above, thousands of bytes away.
        let pixels = try Sample.buffer(500, 40, format) { x, y, channel in
            (x * 31 + y % 7 * 101 + channel * 53 + x * x % 17) % 256 * (format == .rgba16 ? 257 : 1)
        }
        let file = try coder.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
        let name = try #require(file.firstRange(of: Data("IDAT".utf8)))
        let length = file[name.lowerBound - 4..<name.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        let stream = file[name.upperBound..<name.upperBound + length]
        let damaged =
            file[..<(name.lowerBound - 4)] + PNGBytes.chunk("IDAT", Data([0x08, 0x1D]) + stream.dropFirst(2))
            + file[(name.upperBound + length + 4)...]
        let (whole, shown) = (try shown(file, format), try shown(Data(damaged), format))
        #expect(whole.whole != nil && shown.whole == whole.whole && shown.arrived == whole.whole)
    }

    /// Damage of the pixels themselves, or of chunks that change their meaning.
    @Test(arguments: Kind.allCases) func damageOfThePixelsIsATypedError(kind: Kind) throws {
        let whole = file(kind)
        let start = try #require(whole.firstRange(of: Data("IDAT".utf8))).upperBound
        for place in stride(from: start + 4, to: whole.count - 16, by: 7) {
            var damaged = whole
            damaged[place] ^= 0x10
            let shown = try shown(damaged)
            #expect(shown.whole == nil && shown.arrived == nil, "byte \(place)")
        }
        var header = whole
        header[29] ^= 1
        #expect(try shown(header).whole == nil && shown(header).arrived == nil)
        if kind == .palette {
            var palette = whole
            palette[start - 12 - 1] ^= 1
            #expect(try shown(palette).whole == nil && shown(palette).arrived == nil)
        }
        for count in [start, start + 20, whole.count - 100] {
            #expect(try shown(whole.prefix(count)).whole == nil && shown(whole.prefix(count)).arrived == nil)
        }
    }

    @Test func damageAnywhereNeverTraps() {
        for index in small.indices {
            for value in [UInt8(0), 0x7F, 0x80, 0xFF] {
                var damaged = small
                damaged[index] = value
                _ = coder.refusal(of: damaged)
                _ = try? coder.imageInfo(of: damaged, limits: .default)
            }
        }
    }

    @Test(arguments: [Data(), Data("no picture".utf8), PNGBytes.signature, Data(repeating: 0xFF, count: 4096)])
    func garbageIsRefused(data: Data) {
        #expect(coder.refusal(of: data)?.code == .badImageData)
        #expect(throws: WebImageError.self) { try coder.imageInfo(of: data, limits: .default) }
    }

    @Test func hugeHeaderIsRefusedBeforeAnythingIsAllocated() {
        let file =
            PNGBytes.signature + PNGBytes.header(60000, 60000, depth: 1, color: 0)
            + PNGBytes.chunk("IDAT", Data(repeating: 0, count: 437_000))
        var refused: WebImageError?
        let units = ProcessorTime.units { refused = coder.refusal(of: file) }
        #expect(units < 100)
        #expect(refused?.firedLimit == .pixels && refused?.code == .limitExceeded)
        #expect(throws: WebImageError.self) { try coder.imageInfo(of: file, limits: .default) }
    }

    @Test func sidesBeyondTheFormatAreRefused() {
        for (width, height) in [(0, 1), (1, 0), (0x8000_0000, 1), (0xFFFF_FFFF, 0xFFFF_FFFF)] {
            let file = PNGBytes.file(header: PNGBytes.header(width, height), rows: [[0, 0, 0, 0]])
            #expect(coder.refusal(of: file)?.code == .badImageData)
        }
    }

    /// The caller has not asked for this metadata, so its length does not matter.
    @Test func metadataOverTheLimitIsLeftOut() throws {
        let xmp = PNGBytes.chunk("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Data(count: 5 << 20))
        let exif = PNGBytes.chunk("eXIf", Data(count: 5 << 20))
        for metadata in [xmp, exif, xmp + exif] {
            for file in [
                PNGBytes.file(header: PNGBytes.header(1, 1), before: metadata, rows: [[1, 2, 3, 4]]),
                PNGBytes.file(header: PNGBytes.header(1, 1), rows: [[1, 2, 3, 4]], after: metadata),
            ] {
                let shown = try shown(file)
                #expect(shown.whole == [1, 2, 3, 4] && shown.arrived == [1, 2, 3, 4])
                #expect(try coder.imageInfo(of: file, limits: .default).pixelSize == PixelSize(width: 1, height: 1))
                #expect {
                    try coder.imageProperties(of: file, limits: .default)
                } throws: { ($0 as? WebImageError)?.code == .limitExceeded }
            }
        }
    }

    @Test func profileOverTheLimitThrowsThatLimit() {
        let profile = PNGBytes.chunk("iCCP", Data("icc\0\0".utf8) + Data(count: 2000))
        let file = PNGBytes.file(header: PNGBytes.header(1, 1), before: profile, rows: [[1, 2, 3, 4]])
        #expect(
            coder.refusal(of: file, DecodingLimits(maxAncillaryChunkBytes: 1999))?.firedLimit == .ancillaryChunkBytes)
        #expect(coder.refusal(of: file, DecodingLimits(maxAncillaryBytes: 1999))?.firedLimit == .ancillaryBytes)
        #expect(coder.refusal(of: file) == nil)
    }

    @Test func unreadChunksCostNothing() {
        let text = PNGBytes.chunk("tEXt", Data(repeating: 65, count: 3 << 20))
        let file = PNGBytes.file(header: PNGBytes.header(1, 1), before: text, rows: [[1, 2, 3, 4]])
        #expect(coder.refusal(of: file) == nil)
    }

    @Test func encodedBytesAndTimeAreLimited() {
        #expect(coder.refusal(of: small, DecodingLimits(maxEncodedBytes: small.count - 1))?.firedLimit == .encodedBytes)
        #expect(coder.refusal(of: small, DecodingLimits(maxDecodeTime: .zero))?.firedLimit == .decodeTime)
    }

    @Test func wrongChecksumFailsOnlyPixelChunks() throws {
        var pixels = small
        pixels[try #require(small.range(of: Data("IDAT".utf8))).upperBound + 12] ^= 1
        #expect(coder.refusal(of: pixels)?.code == .badImageData)
        var metadata = small
        metadata[try #require(small.range(of: Data("eXIf".utf8))).upperBound + 25] ^= 1
        #expect(coder.refusal(of: metadata) == nil)
    }

    @Test func everyLibpngHandleIsReleased() async throws {
        for length in 0...small.count { _ = coder.refusal(of: small.prefix(length)) }
        // Wait until no handle is open, because other tests decode at the same time. With a leak, the number of
        // handles never becomes 0.
        try await LiveHandles.expectNone(within: .seconds(60)) { $0 == "png_reader" }
    }
}
