import Foundation
import WebImage
import WebImageCodecs

/// The entry points of the fuzzer for the writers of PNG and JPEG: every buffer of pixels can be written, and all readers
/// read the same pixels.
enum WriterFuzzing {
    /// A picture made from the bytes of an input: its first four bytes choose layout, width, settings and repetition.
    private struct Input {
        let pixels: PixelBuffer
        let settings: UInt8
        let quality: UInt8

        init?(_ data: Data, layouts: [PixelFormat]) {
            let head = Array(data.prefix(4)), body = Array(data.dropFirst(4))
            guard head.count == 4 else { return nil }
            let format = layouts[Int(head[0] & 7) % layouts.count]
            let width = Int(head[1]) + 1
            let rowBytes = width * format.bytesPerPixel
            // Rows that repeat make pictures that are large enough for the samples of the writers.
            let turns = 1 + Int(head[0] >> 3) % 16
            let height = min(max(body.count / rowBytes, 1) * turns, 2048)
            guard !body.isEmpty, let pixels = try? PixelBuffer(width: width, height: height, format: format) else {
                return nil
            }
            for y in 0..<height {
                let row = pixels.baseAddress.advanced(by: y * pixels.bytesPerRow)
                for x in 0..<rowBytes {
                    row.storeBytes(of: body[(y * rowBytes + x) % body.count], toByteOffset: x, as: UInt8.self)
                }
            }
            self.pixels = pixels
            settings = head[2]
            quality = head[3]
        }
    }

    /// Writes a PNG and reads it whole (libdeflate) and as it arrives (libpng). Ends the process if a reader does not read the
    /// pixels of the picture.
    static func writePNG(_ data: Data) {
        guard let input = Input(data, layouts: [.gray8, .rgb8, .rgba8, .bgra8Premultiplied, .rgba16]) else { return }
        let hasAlpha = input.settings & 1 == 1 && input.pixels.format.hasAlpha
        var options = EncodingOptions()
        options.effort = 1 + Int(input.settings >> 1) % 9
        options.keepsPixelLayout = input.settings & 128 != 0
        let image = Image(pixels: input.pixels, hasAlpha: hasAlpha)
        guard let file = try? ImagePNGCoder.shared.encode(image, format: .png, options: options) else {
            fatalError("the picture was not written")
        }
        let format: PixelFormat = input.pixels.format == .rgba16 ? .rgba16 : .rgba8
        guard let straight = try? input.pixels.converted(to: format, isOpaque: !hasAlpha) else {
            fatalError("out of memory")
        }
        let expected = bytes(of: straight, isOpaque: !hasAlpha)
        var reading = DecodingOptions()
        reading.pixelFormat = format
        let whole = try? ImagePNGCoder.shared.decode(file, options: reading)
        precondition(whole.map { bytes(of: $0.pixels) } == expected, "the whole file has other pixels")
        let arriving = ImagePNGCoder(incremental: reading)
        try? arriving.update(file, finished: true)
        let last = arriving.incrementalImage(options: reading)
        precondition(last.map { bytes(of: $0.pixels) } == expected, "the arriving file has other pixels")
    }

    /// Writes a JPEG with Huffman codes of a sample and one with libjpeg's own, optimal ones (progressive). Ends the process if
    /// they have different pixels, as they have the same coefficients.
    static func writeJPEG(_ data: Data) {
        guard let input = Input(data, layouts: [.gray8, .rgb8, .rgba8, .bgra8Premultiplied]) else { return }
        let image = Image(pixels: input.pixels, hasAlpha: false)
        var options = EncodingOptions()
        options.quality = Double(input.quality % 101) / 100
        options.halvesChroma = [nil, true, false][Int(input.settings % 3)]
        let both = [false, true].map { isProgressive -> [UInt8]? in
            options.progressive = isProgressive
            guard let file = try? ImageJPEGCoder.shared.encode(image, format: .jpeg, options: options) else {
                fatalError("the picture was not written")
            }
            return (try? ImageJPEGCoder.shared.decode(file, options: DecodingOptions())).map { bytes(of: $0.pixels) }
        }
        precondition(both[0] != nil && both[0] == both[1], "the codes of the sample change the picture")
    }

    /// The bytes of all rows without padding. With `isOpaque`, alpha has its greatest value.
    private static func bytes(of pixels: PixelBuffer, isOpaque: Bool = false) -> [UInt8] {
        let rowBytes = pixels.width * pixels.format.bytesPerPixel
        var all = [UInt8]()
        all.reserveCapacity(rowBytes * pixels.height)
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height { all += bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + rowBytes] }
        }
        if isOpaque {
            let (pixel, sample) = (pixels.format.bytesPerPixel, pixels.format.bytesPerPixel / 4)
            for end in stride(from: pixel, through: all.count, by: pixel) {
                for place in end - sample..<end { all[place] = 255 }
            }
        }
        return all
    }
}
