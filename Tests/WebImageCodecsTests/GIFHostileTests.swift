import Foundation
import Testing
import WebImageCodecs
import WebImageCore

@Suite(.timeLimit(.minutes(1)))
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

    private func error(_ data: Data, _ limits: DecodingLimits = .default) -> WebImageError? {
        var options = DecodingOptions()
        options.limits = limits
        do throws(WebImageError) {
            _ = try coder.decode(data, options: options)
            return nil
        } catch { return error }
    }

    private func limit(_ error: WebImageError?) -> DecodingLimits.Limit? {
        if case .limit(let limit, _, _) = error?.underlying { limit } else { nil }
    }

    @Test func truncatedFileIsAPictureOnceTheFirstFrameIsWhole() {
        for length in 0..<small.count {
            let refused = error(small.prefix(length))
            if length < endOfFirstFrame { #expect(refused?.code == .badImageData) } else { #expect(refused == nil) }
        }
    }

    @Test func damageAnywhereNeverTraps() {
        // The palette has nothing that could confuse a parser.
        for index in small.indices where !(30..<390).contains(index) {
            for value in [UInt8(0), 0x2C, 0x7F, 0x80, 0xFF] {
                var damaged = small
                damaged[index] = value
                _ = error(damaged, DecodingLimits(maxPixels: 1_000_000, maxDecodeTime: .seconds(1)))
                _ = try? coder.imageInfo(of: damaged, limits: .default)
            }
        }
    }

    @Test func filesWithoutPictureAreRefused() {
        for data in [
            Data(), Data("GIF89a".utf8), GIFBytes.file(GIFBytes.screen(4, 4)),
            GIFBytes.file(GIFBytes.screen(0, 4), first),
        ] {
            #expect(error(data)?.code == .badImageData)
            #expect(throws: WebImageError.self) { try coder.imageInfo(of: data, limits: .default) }
        }
    }

    @Test func screenAndAnimationAreLimitedByTheirHeaders() {
        #expect(limit(error(GIFBytes.file(GIFBytes.screen(60000, 60000), first))) == .pixels)
        #expect(limit(error(small, DecodingLimits(maxAnimationPixels: 31))) == .animationPixels)
        #expect(limit(error(small, DecodingLimits(maxEncodedBytes: 10))) == .encodedBytes)
        #expect(limit(error(small, DecodingLimits(maxDecodeTime: .zero))) == .decodeTime)
        let profile =
            [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + GIFBytes.blocks([UInt8](repeating: 1, count: 999)) + [0]
        let file = GIFBytes.file(GIFBytes.screen(4, 4), profile, first)
        #expect(limit(error(file, DecodingLimits(maxAncillaryChunkBytes: 999))) == .ancillaryChunkBytes)
    }

    @Test func hugeFrameOnASmallScreenCostsNoMemory() {
        let frame = GIFBytes.image(width: 65535, height: 65535, indices: [UInt8](repeating: 1, count: 65535 * 2))
        #expect(error(GIFBytes.file(GIFBytes.screen(2, 2), frame)) == nil)
    }

    @Test func decodersOfIndicesAreAllGivenBack() async throws {
        for length in 0...small.count { _ = error(small.prefix(length)) }
        let deadline = ContinuousClock.now + .seconds(30)
        // Other tests decode at the same time; handles that leak would never reach zero.
        while HandleLedger.live["gif_indices"] != nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(HandleLedger.live["gif_indices"] == nil)
    }
}
