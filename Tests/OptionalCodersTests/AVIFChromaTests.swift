import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageTestSupport

/// AVIF files whose samples of chroma lie on those of luma.
struct AVIFChromaTests {
    /// Returns the file with another position of chroma: 1 on the left pixels, 2 on the top left pixels.
    ///
    /// The position is in the box `av1C` (the low bits of its third byte) and in the sequence header of AV1, which begins the
    /// picture's data. Behind its two bits are two further bits and the bit that ends the header (AV1 §5.5).
    private func marking(_ file: Data, position: UInt8) throws -> Data {
        var bytes = [UInt8](file)
        let box = try #require(file.range(of: Data("av1C".utf8))).upperBound + 2
        bytes[box] = bytes[box] & 0xFC | position
        let data = try #require(file.range(of: Data("mdat".utf8))).upperBound
        // A header of type 1 with the size of the rest.
        let start = try #require((data..<bytes.count - 12).first { bytes[$0] == 0x0A && bytes[$0 + 1] < 24 })
        var bit = (start + 2 + Int(bytes[start + 1])) * 8 - 1
        while bytes[bit / 8] >> (7 - bit % 8) & 1 == 0 { bit -= 1 }
        for (offset, value) in [(bit - 4, position >> 1), (bit - 3, position & 1)] {
            let mask: UInt8 = 0x80 >> UInt8(offset % 8)
            bytes[offset / 8] = value == 1 ? bytes[offset / 8] | mask : bytes[offset / 8] & ~mask
        }
        return Data(bytes)
    }

    /// The blue and the red difference of a decoded file.
    private func differences(_ file: Data) throws -> [IdealPicture] {
        let picture = IdealPicture(
            try ImageAVIFCoder.shared.decode(file, options: DecodingOptions()).pixels, hasAlpha: false)
        return [0, 1].map { index in
            let weights: [Float] = index == 0 ? [-0.1687, -0.3313, 0.5] : [0.5, -0.4187, -0.0813]
            let plane = picture.planes[0].indices.map { place in
                128 + (0..<3).reduce(Float(0)) { $0 + weights[$1] * picture.planes[$1][place] }
            }
            return IdealPicture(width: picture.width, height: picture.height, planes: [plane])
        }
    }

    @Test(arguments: [(UInt8(1), 0.5, 0.0), (2, 0.5, 0.5)])
    func samplesOfChromaAreWhereTheFileSays(position: UInt8, x: Double, y: Double) throws {
        var options = EncodingOptions()
        options.quality = 0.8
        let plain = try ImageAVIFCoder.shared.encode(
            try IdealPicture.waves(width: 201, height: 143), format: .avif, options: options)
        let marked = try marking(plain, position: position)
        for (centred, moved) in zip(try differences(plain), try differences(marked)) {
            // The same samples, which lie half a pixel further to the left.
            let region = PixelRegion(left: x, top: y, width: 201, height: 143)
            let ideal = centred.scaled(to: centred.size, from: region, border: .mirrored)
            let drift = try #require(ideal.drift(of: moved))
            #expect(drift < 0.05, "\(position): \(drift) px")
        }
    }
}
