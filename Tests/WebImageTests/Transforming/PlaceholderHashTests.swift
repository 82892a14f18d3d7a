import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Compares BlurHash and ThumbHash strings with the strings of other implementations for the same pixels.
@Suite(.timeLimit(minutes: 1))
struct PlaceholderHashTests {
    /// Returns an image of 24 × 16 px. Red grows to the right, green grows downwards, blue is irregular.
    private func pattern() throws -> Image {
        try Image.generated(width: 24, height: 16) { x, y in
            (UInt8((x * x + y * 7) * 5 % 256), UInt8(y * 255 / 15), UInt8(x * 255 / 23), 255)
        }
    }

    private func bytes(_ image: Image?, _ x: Int, _ y: Int) -> [Int] {
        guard let color = image?.color(at: CGPoint(x: x, y: y)) else { return [] }
        return [color.red, color.green, color.blue, color.alpha].map { Int(($0 * 255).rounded()) }
    }

    private func distance(_ a: [Int], _ b: [Int]) -> Int {
        a.count == b.count ? zip(a, b).map { abs($0 - $1) }.max() ?? 0 : .max
    }

    @Test func blurHashesEqualTheReference() throws {
        let image = try pattern()
        #expect(image.blurHash()?.description == "L$HoLB2twwbbqSWCjre.gIfhfOfi")
        #expect(image.blurHash(horizontalComponents: 1, verticalComponents: 1)?.description == "00HoLB")
        let finest = try #require(image.blurHash(horizontalComponents: 9, verticalComponents: 9)?.description)
        #expect(finest.hasPrefix("|$HoLB2twwbbWpofSKs;SLqSWCjre.fPjFa{jGa{gIfhfOfifPfkfOfkfRs;WmjsfNfOjra_jsa{"))
        #expect(finest.utf8.count == 166)
    }

    @Test func blurHashDecodesToTheReferencePixels() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        #expect(hash.horizontalComponents == 4 && hash.verticalComponents == 3)
        let image = hash.image(size: PixelSize(width: 8, height: 6))
        let theirs = [
            (0, 0, [135, 164, 177]), (4, 3, [158, 125, 108]), (7, 5, [139, 143, 146]), (1, 2, [131, 153, 165]),
        ]
        for (x, y, color) in theirs { #expect(distance(bytes(image, x, y), color + [255]) <= 1, "at \(x), \(y)") }
        #expect(image?.hasAlpha == false)
    }

    @Test func thumbHashEqualsTheReference() throws {
        let hash = try #require(try pattern().thumbHash())
        #expect(hash.description == "H/gJPZxwd3dwd3d3d3d3d4CACPiI")
        #expect(ThumbHash(hash.description) == hash && ThumbHash(hash.data) == hash)
        #expect(!hash.hasAlpha && abs(hash.aspectRatio - 1.5) < 0.15)
    }

    @Test func decodedHashIsCloseToItsImage() throws {
        let image = try Image.generated(width: 60, height: 90) { x, y in
            (UInt8(40 + y), UInt8(200 - x), UInt8(30 + x * 2), 255)
        }
        let blur = image.blurHash(horizontalComponents: 5, verticalComponents: 5)?
            .image(size: PixelSize(width: 60, height: 90))
        let thumb = image.thumbHash()?.image()
        #expect(thumb?.pixels.height == 32)
        for (x, y) in [(10, 10), (30, 45), (50, 80)] {
            #expect(distance(bytes(image, x, y), bytes(blur, x, y)) < 20)
            #expect(distance(bytes(image, x, y), bytes(thumb, x * 32 / 90, y * 32 / 90)) < 30)
        }
        let mean = try #require(image.averageColor())
        let means = [image.blurHash()?.averageColor, image.thumbHash()?.averageColor].compactMap { $0 }
        #expect(means.count == 2)
        for other in means {
            #expect(abs(other.red - mean.red) < 0.06 && abs(other.green - mean.green) < 0.06)
            #expect(abs(other.blue - mean.blue) < 0.06)
        }
    }

    @Test func thumbHashKeepsTransparency() throws {
        // The left half is red. The right half is transparent.
        let image = try Image.generated(width: 40, height: 40) { x, _ in x < 20 ? (0, 0, 255, 255) : (0, 0, 0, 0) }
        let hash = try #require(image.thumbHash())
        #expect(hash.hasAlpha && abs(hash.averageColor.alpha - 0.5) < 0.05 && hash.averageColor.red > 0.9)
        let shown = hash.image()
        #expect(bytes(shown, 3, 16).last ?? 0 > 200 && bytes(shown, 28, 16).last ?? 255 < 60)
        #expect(shown?.hasAlpha == true)
    }

    @Test(arguments: [
        "", "L", "LEHV6n", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdnjj",
        "L HV6nWB2yk8pyo0adR*.7kCMdnj",
        "~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "00~~~~", "LEHV6nWB2yk8pyo0adR*.7kCMd~~", "äöü",
        "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ])
    func invalidBlurHashReturnsNil(_ string: String) {
        #expect(BlurHash(string) == nil)
    }

    @Test func hostileStringsReturnAHashOrNil() {
        #expect(BlurHash(String(repeating: "L", count: 100_000)) == nil)
        var generator = SeededRandom.printingSeed()
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
        for round in 0..<600 {
            let text = String((0..<(round % 60)).map { _ in digits.randomElement(using: &generator) ?? "0" })
            if let hash = BlurHash(text) { #expect(hash.image(size: PixelSize(width: 3, height: 3)) != nil) }
            let data = Data((0..<(round % 40)).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            if let hash = ThumbHash(data) { #expect(hash.image() != nil && hash.aspectRatio > 0) }
        }
    }

    @Test func aThumbHashThatIsCutOffIsNone() throws {
        let whole = try #require(try pattern().thumbHash()).data
        for count in 0..<whole.count { #expect(ThumbHash(whole.prefix(count)) == nil, "\(count)") }
        #expect(ThumbHash(Data(count: 30)) == nil && ThumbHash("not base 64!") == nil)
    }

    @Test func invalidSizesAndComponentCountsReturnNil() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        for size in [(0, 4), (4, -1), (Int.max, 1), (4096, 4096)] {
            #expect(hash.image(size: PixelSize(width: size.0, height: size.1)) == nil)
        }
        #expect(hash.image(punch: .nan) == nil && hash.image(punch: 1e300) != nil)
        #expect(try pattern().blurHash(horizontalComponents: 0, verticalComponents: 3) == nil)
        #expect(try pattern().blurHash(horizontalComponents: 10, verticalComponents: 3) == nil)
        for (width, height) in [(1, 1), (1, 10_000), (10_000, 1)] {
            let thin = try TestImages.solid(width: width, height: height)
            #expect(thin.blurHash()?.image() != nil && thin.thumbHash()?.image() != nil && thin.averageColor() != nil)
        }
    }
}
