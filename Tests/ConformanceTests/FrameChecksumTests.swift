import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// Compares the checksum of every composited frame of SDWebImage's test images with the expected checksum.
///
/// The checksum is the CRC-32 of the straight RGBA pixels. A fully transparent pixel counts as four zero bytes.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 5))
struct FrameChecksumTests {
    static let sums: [(name: String, sums: String)] = [
        ("TestImage.gif", "e9f95e82 368d5adb 26cccacd ee2ea5de c85daca4"),
        ("TestImageLarge.png", "14e59d55 39ca0d81 bbf8595b e3901a11"),
        ("TestImageAnimated.webp", "6ed54a2e 897da3c6 324600ad 1c7bd6e2 09103b7d 8e19d84f d6d2533c 2f0fbfd4"),
        (
            "TestAnimatedImageMemory.webp",
            """
            ee501ce2 a2f3ba8f ad530c60 bf27de67 a2eda4e5 1fc6b3e8 0e490050 113b8310 3f5f77c6 e418f05d 27dec662 95324db4
            14005102 a5498d26 7d44168c 4d719e99
            """
        ),
        ("TestImageStatic.webp", "d1ecbbd8"),
        ("TestImage.png", "10b8ca3b"),
        ("IndexedPNG.png", "f0f4a9a7"),
        (
            "1@2x.gif",
            """
            55fbd033 60eb0004 bb637302 52fb02cb 0bb3e3e5 29e404f3 fd32a1a0 bf4e26ca c5b08a76 8a435097 79ec5ddb ae3ffdb0
            8554b23d 51e5ab64 47fc5105 05d78ade 6f203e24 b8694d45 31144951 3bf7f9c9 fb7a76fc 5feafa13 33f0265c 4d9ed332
            6b487795 422cfebf 58102ffe 41a4f4a3 b073f4a2 e04af1a8 c7e645c5 11b1de87 382cdd82 099d637a e31f8938 a1baebce
            e80edaba 33400aee cb67c7be a8fa7e58 ae1b962a 75930a7b 05fac2b7 b1e2984c
            """
        ),
    ]

    @Test(arguments: sums.map(\.name))
    func everyFrameHasTheOriginalsChecksum(_ name: String) throws {
        let expected = try #require(Self.sums.first { $0.name == name }).sums.split { $0 == " " || $0 == "\n" }
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        let data = try Conformance.data("sdwebimage/\(name)")
        let animation = try #require(try ImageCodersManager.shared.animation(of: data, options: options))
        #expect(animation.animatedImageFrameCount == expected.count)
        for (index, sum) in expected.enumerated() {
            let frame = try #require(animation.animatedImageFrame(at: index))
            #expect(Self.checksum(frame.pixels) == UInt32(sum, radix: 16), "frame \(index)")
        }
    }

    /// The CRC-32 of the pixels, of which transparent ones count as zeros. In loops with indices, which take a fifth of the
    /// time of closures in a debug build.
    private static func checksum(_ pixels: PixelBuffer) -> UInt32 {
        var sum = UInt32.max
        table.withUnsafeBufferPointer { table in
            pixels.withUnsafeBytes { bytes in
                for y in 0..<pixels.height {
                    var place = y * pixels.bytesPerRow
                    let end = place + pixels.width * 4
                    while place < end {
                        let isTransparent = bytes[place + 3] == 0
                        for offset in 0..<4 {
                            let byte = isTransparent ? 0 : bytes[place + offset]
                            sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
                        }
                        place += 4
                    }
                }
            }
        }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }
}
