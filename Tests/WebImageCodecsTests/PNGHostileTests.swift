import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 2))
struct PNGHostileTests {
    private let coder = ImagePNGCoder.shared
    private let small = PNGBytes.file(
        header: PNGBytes.header(3, 3), before: PNGBytes.chunk("eXIf", PNGBytes.exif(orientation: 6)),
        rows: (0..<3).map { [UInt8](repeating: UInt8($0), count: 12) })

    @Test func everyTruncationIsATypedError() {
        #expect(coder.refusal(of: small) == nil)
        for length in 0..<small.count { #expect(coder.refusal(of: small.prefix(length))?.code == .badImageData) }
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
