import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// When the size of an image is known while its bytes arrive.
@Suite(.timeLimit(minutes: 1))
struct ProgressiveDecoderTests {
    /// A coder of files whose header has a given length.
    private struct HeaderCoder: ImageCoder {
        let headerLength: Int
        func canDecode(from data: Data) -> Bool { true }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            guard data.count >= headerLength else { throw .badData("test", "the header is cut off") }
            return ImageInfo(format: .undefined, storedSize: PixelSize(width: 30, height: 20))
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            throw .badData("test", "there are no pixels")
        }
    }

    /// Returns the number of bytes after which the size was known, if they arrive in pieces.
    private func bytesUntilSize(_ headerLength: Int, pieces: Int) -> Int? {
        let decoding = ImageDecoding(coder: HeaderCoder(headerLength: headerLength), options: DecodingOptions())
        var decoder = ProgressiveDecoder(decoding, makesPartialImages: false, findsSize: true)
        for count in stride(from: pieces, through: 1 << 20, by: pieces)
        where decoder.append([Data(count: pieces)]).size != nil { return count }
        return nil
    }

    /// A short header is found with its last byte, however it is cut into pieces.
    @Test(arguments: [1, 4, 6, 500, 4095]) func shortHeaderIsFoundWithItsLastPiece(headerLength: Int) {
        for pieces in [1, 2, 3, 4, 5, 100] {
            let wanted = (headerLength + pieces - 1) / pieces * pieces
            #expect(bytesUntilSize(headerLength, pieces: pieces) == wanted, "pieces of \(pieces)")
        }
    }

    /// A long one, such as that of a photo with a preview in its metadata, at most a quarter later.
    @Test(arguments: [5000, 70_000, 400_000]) func longHeaderIsFoundSoon(headerLength: Int) throws {
        let count = try #require(bytesUntilSize(headerLength, pieces: 1460))
        #expect(count >= headerLength && count <= headerLength * 5 / 4 + 2 * 1460)
    }
}
