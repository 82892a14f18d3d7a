import Foundation
import Testing
import WebImage
import WebImageAVIF

/// The `clap` box of an AVIF file crops the image before the `irot` box rotates it and the `imir` box mirrors it.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)))
struct CleanApertureTests {
    @Test func onlyTheCleanApertureIsShown() throws {
        // The coded image has 12 × 34 px. The `clap` box shows a part of 8 × 10 px, and `irot` rotates this part by
        // 90°. The centre of the part is 2 px to the right of the coded image's centre and 6 px above it.
        // Newer versions of the AVIF library refuse the file unless `clap`, `irot` and `imir` are marked as essential.
        let data = try Self.withEssentialProperties(Conformance.data("avif/libavif/clap_irot_imir_non_essential.avif"))
        let coder = ImageAVIFCoder.shared
        let info = try coder.imageInfo(of: data, limits: .default)
        #expect(info.storedSize == PixelSize(width: 8, height: 10))
        let image = try coder.decode(data, options: DecodingOptions())
        #expect(image.pixelSize == info.pixelSize)
    }

    /// Marks every property association in the `ipma` box as essential (ISO/IEC 23008-12 §9.3.1) and returns the
    /// changed file.
    private static func withEssentialProperties(_ file: Data) throws -> Data {
        var file = Data(file)
        let box = try #require(file.range(of: Data("ipma".utf8)))
        // The `ipma` box starts with version and flags (4 bytes) and the number of items (4 bytes). Each item consists
        // of its ID (2 bytes), the number of its associations (1 byte) and the associations (1 byte each).
        var place = box.upperBound + 4
        let items = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        place += 4
        for _ in 0..<items {
            let count = Int(file[place + 2])
            for index in place + 3..<place + 3 + count { file[index] |= 0x80 }
            place += 3 + count
        }
        return file
    }
}
