import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

/// Tests loop counts in conversions. The loop extension of a GIF counts the repetitions after the first play, as browsers,
/// gif2webp and libvips read it. WebP and APNG count the plays. The tests read the numbers from the bytes of the files.
@Suite(.timeLimit(minutes: 1))
struct LoopCountTests {
    /// The loop count of a GIF (nil: no loop extension), the number of plays, and the count of a GIF that plays as often.
    static let counts: [(gif: Int?, plays: Int)] = [
        (nil, 1), (0, 0), (1, 2), (2, 3), (3, 4), (100, 101), (65_534, 65_535),
    ]

    private func gif(_ count: Int?) -> Data {
        let frames = [1, 100].flatMap {
            GIFBytes.control(delay: 10) + GIFBytes.image(width: 2, height: 1, indices: [$0, 50])
        }
        return GIFBytes.file(GIFBytes.screen(2, 1), count.map { GIFBytes.loop($0) } ?? [], frames)
    }

    private func number(_ file: Data, after mark: String, _ distance: Int, bytes: Int) -> Int? {
        guard let place = file.firstRange(of: Data(mark.utf8)) else { return nil }
        let number = file[(place.upperBound + distance)...].prefix(bytes)
        return mark == "acTL"
            ? number.reduce(0) { $0 << 8 | Int($1) } : number.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the stored number of a file.
    private func stored(_ file: Data, _ format: ImageFormat) -> Int? {
        switch format {
        case .gif: number(file, after: "NETSCAPE2.0", 2, bytes: 2)
        case .webP: number(file, after: "ANIM", 8, bytes: 2)
        default: number(file, after: "acTL", 4, bytes: 4)
        }
    }

    private func converted(_ data: Data, to format: ImageFormat) throws -> Data {
        let image = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
        return try ImageCodersManager.shared.encode(image, format: format, options: EncodingOptions())
    }

    @Test(arguments: counts) func conversionsKeepTheNumberOfPlays(row: (gif: Int?, plays: Int)) throws {
        let file = gif(row.gif)
        #expect(stored(try converted(file, to: .gif), .gif) == row.gif)
        for format in [ImageFormat.webP, .png] {
            let other = try converted(file, to: format)
            #expect(stored(other, format) == row.plays)
            #expect(stored(try converted(other, to: .gif), .gif) == row.gif)
            for further in [ImageFormat.webP, .png] {
                #expect(stored(try converted(other, to: further), further) == row.plays)
            }
        }
    }

    @Test func countsOutsideOfTheRangeOfAFormatBecomeItsLargest() throws {
        let largest = try converted(gif(65_535), to: .png)
        #expect(stored(largest, .png) == 65_536)
        #expect(stored(try converted(largest, to: .gif), .gif) == 65_535)
        #expect(stored(try converted(largest, to: .webP), .webP) == 65_535)
        let frames = [ImageFrame](
            repeating: ImageFrame(image: Image(pixels: try Sample.gradient(2, 2, .rgba8)), duration: 0.1), count: 2)
        for (plays, number) in [(-3, 0), (1_000_000, 65_535), (Int.max, 65_535)] {
            let file = try ImageGIFCoder.shared.encode(
                frames, loopCount: plays, format: .gif, options: EncodingOptions())
            #expect(stored(file, .gif) == number)
        }
    }

    /// SDWebImage plays a GIF as often as its loop extension says, and writes the count that it is given.
    @Test func namesOfSDWebImageKeepTheStoredNumber() throws {
        let frames = [ImageFrame](
            repeating: ImageFrame(image: Image(pixels: try Sample.gradient(2, 2, .rgba8)), duration: 0.1), count: 2)
        for (count, number) in [(0, 0), (1, nil), (2, 2), (7, 7), (Int.max, 65_535)] as [(Int, Int?)] {
            let file = try #require(
                ImageGIFCoder.shared.encodedData(with: frames, loopCount: UInt(count), format: .gif, options: nil))
            #expect(stored(file, .gif) == number)
            let image = try ImageCodersManager.shared.decode(file, options: DecodingOptions()) as? AnimatedImage
            #expect(image?.animatedImageLoopCount == number ?? 1)
            #expect(image?.animatedImagePlayCount == number.map { $0 == 0 ? 0 : $0 + 1 } ?? 1)
        }
    }
}
