// snippet: coder
import Foundation
import WebImage

/// Decodes farbfeld: a signature, width and height (32 bits each), then RGBA with 16 bits per channel, all big-endian.
struct FarbfeldCoder: ImageCoder {
    private static let signature = Array("farbfeld".utf8)

    // Without this line, the coder would be asked for every file.
    var signatures: [FileSignature]? { [.start(Self.signature)] }
    func canDecode(from data: Data?) -> Bool { data?.starts(with: Self.signature) ?? false }

    func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        guard let bytes = data.map([UInt8].init), bytes.count >= 16 else { return nil }
        let sides = [8, 12].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        let size = PixelSize(width: sides[0], height: sides[1])
        // Check the limits and the file's length before allocating memory.
        guard (try? DecodingOptions(options).limits.checkPixels(size)) != nil,
            size.pixelCount <= (bytes.count - 16) / 8,
            let pixels = try? PixelBuffer(width: size.width, height: size.height, format: .rgba8)
        else { return nil }
        pixels.withUnsafeMutableBytes { rows in
            for y in 0..<size.height {
                for x in 0..<size.width * 4 {
                    rows[y * pixels.bytesPerRow + x] = bytes[16 + (y * size.width * 4 + x) * 2]
                }
            }
        }
        return Image(pixels: pixels)
    }

    func canEncode(to format: ImageFormat) -> Bool { false }
    func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? { nil }
}

func addFarbfeld() { ImageCodersManager.shared.addCoder(FarbfeldCoder()) }
// end
