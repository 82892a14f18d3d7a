import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 2))
struct WebPHostileTests {
    private let coder = ImageWebPCoder.shared
    private let still: Data
    private let animation: Data

    init() throws {
        let bits = try WebPBytes.bitstream(Sample.buffer(8, 8, .rgba8) { x, y, channel in x * 30 + y * channel })
        still = WebPBytes.riff(bits)
        let frame = WebPBytes.frame(x: 0, y: 0, width: 8, height: 8, delay: 5, bitstream: bits)
        animation = WebPBytes.riff(
            WebPBytes.extended(8, 8, flags: 0x12) + WebPBytes.animation(loops: 0) + frame + frame)
    }

    @Test func everyTruncationOfAStillIsATypedError() {
        #expect(coder.refusal(of: still) == nil)
        // The last byte may be padding, which the decoder does not need.
        for length in 0..<still.count - 1 { #expect(coder.refusal(of: still.prefix(length))?.code == .badImageData) }
    }

    @Test func truncatedAnimationIsAPictureOrATypedError() {
        #expect(coder.refusal(of: animation) == nil)
        for length in 0..<animation.count {
            let refused = coder.refusal(of: animation.prefix(length))
            #expect(refused == nil || refused?.code == .badImageData)
            if length < animation.count / 3 { #expect(refused != nil) }
        }
    }

    @Test func damageAnywhereNeverTraps() {
        for file in [still, animation] {
            for index in file.indices {
                for value in [UInt8(0), 0x7F, 0x80, 0xFF] {
                    var damaged = file
                    damaged[index] = value
                    _ = coder.refusal(of: damaged, DecodingLimits(maxPixels: 10_000))
                    _ = try? coder.imageInfo(of: damaged, limits: .default)
                }
            }
        }
    }

    @Test(arguments: [Data(), Data("RIFF\0\0\0\0WEBP".utf8), Data("RIFF".utf8) + Data(repeating: 0xFF, count: 4096)])
    func garbageIsRefused(data: Data) {
        #expect(coder.refusal(of: data)?.code == .badImageData)
        #expect(throws: WebImageError.self) { try coder.imageInfo(of: data, limits: .default) }
    }

    @Test func framesThatContradictTheirHeaderAreRefused() throws {
        let bits = Data(still.dropFirst(12))
        let head = WebPBytes.extended(8, 8, flags: 2) + WebPBytes.animation(loops: 0)
        let outside = WebPBytes.frame(x: 2, y: 0, width: 8, height: 8, delay: 5, bitstream: bits)
        #expect(coder.refusal(of: WebPBytes.riff(head + outside))?.code == .badImageData)
        let lying = WebPBytes.frame(x: 0, y: 0, width: 4, height: 4, delay: 5, bitstream: bits)
        #expect(coder.refusal(of: WebPBytes.riff(head + lying))?.code == .badImageData)
        #expect(coder.refusal(of: WebPBytes.riff(head))?.code == .badImageData)
    }

    @Test func sizesDeclaredInTheHeaderAreLimited() {
        let huge = WebPBytes.riff(WebPBytes.extended(1 << 24, 200, flags: 2) + WebPBytes.animation(loops: 0))
        #expect(coder.refusal(of: huge)?.firedLimit == .side)
        #expect(coder.refusal(of: huge, DecodingLimits(maxSide: 1 << 24))?.firedLimit == .pixels)
        #expect(coder.refusal(of: animation, DecodingLimits(maxAnimationPixels: 127))?.firedLimit == .animationPixels)
        #expect(coder.refusal(of: still, DecodingLimits(maxEncodedBytes: 10))?.firedLimit == .encodedBytes)
        #expect(coder.refusal(of: still, DecodingLimits(maxDecodeTime: .zero))?.firedLimit == .decodeTime)
        let profile = WebPBytes.extended(8, 8, flags: 32) + WebPBytes.chunk("ICCP", Data(count: 2000))
        let file = WebPBytes.riff(profile + Data(still.dropFirst(12)))
        #expect(
            coder.refusal(of: file, DecodingLimits(maxAncillaryChunkBytes: 1999))?.firedLimit == .ancillaryChunkBytes)
    }

    @Test func metadataOverTheLimitIsLeftOut() throws {
        let whole = try coder.decode(still, options: DecodingOptions())
        for (name, flag) in [("EXIF", UInt8(8)), ("XMP ", 4)] {
            let file = WebPBytes.riff(
                WebPBytes.extended(8, 8, flags: flag) + Data(still.dropFirst(12))
                    + WebPBytes.chunk(name, Data(count: 5 << 20)))
            let shown = try coder.decode(file, options: DecodingOptions())
            #expect(Sample.values(shown.pixels) == Sample.values(whole.pixels))
            #expect {
                try coder.imageProperties(of: file, limits: .default)
            } throws: { ($0 as? WebImageError)?.code == .limitExceeded }
        }
    }

    @Test func everyLibwebpHandleIsReleased() async throws {
        for length in 0...still.count { _ = coder.refusal(of: still.prefix(length)) }
        let kinds = ["webp_decoder", "webp_picture", "webp_mux"]
        // Wait until no handle is open, because other tests decode at the same time. With a leak, the number of
        // handles never becomes 0.
        try await LiveHandles.expectNone(within: .seconds(60)) { kinds.contains($0) }
    }
}
