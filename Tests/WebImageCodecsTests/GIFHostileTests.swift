import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct GIFHostileTests {
    private let coder = ImageGIFCoder.shared
    private let first = GIFBytes.image(width: 4, height: 4, indices: [UInt8](repeating: 3, count: 16))
    private let small: Data
    private let endOfFirstFrame: Int

    init() {
        let start = GIFBytes.screen(4, 4) + GIFBytes.loop(0) + GIFBytes.control(delay: 5) + first
        small = GIFBytes.file(start, GIFBytes.control(delay: 5), first)
        endOfFirstFrame = start.count
    }

    @Test func truncatedFileIsAPictureOnceTheFirstFrameIsWhole() {
        for length in 0..<small.count {
            let refused = coder.refusal(of: small.prefix(length))
            if length < endOfFirstFrame { #expect(refused?.code == .badImageData) } else { #expect(refused == nil) }
        }
    }

    @Test func damageAnywhereNeverTraps() {
        // Skip the palette, because every byte value is valid in a palette.
        for index in small.indices where !(30..<390).contains(index) {
            for value in [UInt8(0), 0x2C, 0x7F, 0x80, 0xFF] {
                var damaged = small
                damaged[index] = value
                _ = coder.refusal(of: damaged, DecodingLimits(maxPixels: 1_000_000, maxDecodeTime: .seconds(1)))
                _ = try? coder.imageInfo(of: damaged, limits: .default)
            }
        }
    }

    @Test func filesWithoutPictureAreRefused() {
        for data in [Data(), Data("GIF89a".utf8), GIFBytes.file(GIFBytes.screen(4, 4))] {
            #expect(coder.refusal(of: data)?.code == .badImageData)
            #expect(throws: WebImageError.self) { try coder.imageInfo(of: data, limits: .default) }
        }
    }

    @Test func screenAndAnimationAreLimitedByTheirHeaders() {
        #expect(coder.refusal(of: GIFBytes.file(GIFBytes.screen(60000, 60000), first))?.firedLimit == .pixels)
        #expect(coder.refusal(of: small, DecodingLimits(maxAnimationPixels: 31))?.firedLimit == .animationPixels)
        #expect(coder.refusal(of: small, DecodingLimits(maxEncodedBytes: 10))?.firedLimit == .encodedBytes)
        #expect(coder.refusal(of: small, DecodingLimits(maxDecodeTime: .zero))?.firedLimit == .decodeTime)
        let profile =
            [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + GIFBytes.blocks([UInt8](repeating: 1, count: 999)) + [0]
        let file = GIFBytes.file(GIFBytes.screen(4, 4), profile, first)
        #expect(
            coder.refusal(of: file, DecodingLimits(maxAncillaryChunkBytes: 999))?.firedLimit == .ancillaryChunkBytes)
    }

    @Test func hugeFrameOnASmallScreenCostsNoMemory() {
        let frame = GIFBytes.image(width: 65535, height: 65535, indices: [UInt8](repeating: 1, count: 65535 * 2))
        let small = GIFBytes.image(width: 2, height: 2, indices: [1, 1, 1, 1])
        #expect(coder.refusal(of: GIFBytes.file(GIFBytes.screen(2, 2), small, frame)) == nil)
        // A first frame enlarges the screen, so that its size counts.
        #expect(coder.refusal(of: GIFBytes.file(GIFBytes.screen(2, 2), frame))?.firedLimit == .pixels)
    }

    @Test func everyIndexDecoderIsReleased() async throws {
        for length in 0...small.count { _ = coder.refusal(of: small.prefix(length)) }
        // Wait until no handle is open, because other tests decode at the same time. With a leak, the number of
        // handles never becomes 0.
        try await LiveHandles.expectNone(within: .seconds(60)) { $0 == "gif_indices" }
    }
}
