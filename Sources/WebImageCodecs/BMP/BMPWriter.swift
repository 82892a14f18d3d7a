import Foundation
import WebImageCore
import WebImageGraphics

/// Writes bitmaps with the bottom row first. An opaque image has 24 bits per pixel. An image with alpha has 32 bits per
/// pixel. Its channel masks are in a version 4 header.
enum BMPWriter {
    static func encode(_ image: Image, options: EncodingOptions) throws(WebImageError) -> Data {
        let pixels = try image.sRGBPixelsToEncode(options)
        let hasAlpha = image.hasAlpha && pixels.format.hasAlpha
        let rowBytes = hasAlpha ? pixels.width * 4 : (pixels.width * 3 + 3) / 4 * 4
        let headerBytes = 14 + (hasAlpha ? 108 : 40)
        let (pixelBytes, overflow) = rowBytes.multipliedReportingOverflow(by: pixels.height)
        guard !overflow, pixelBytes <= Int(UInt32.max) - headerBytes else {
            throw .cannotEncode("BMP", "the file is over 4 GiB", hint: "Set a maximum pixel size, or choose PNG.")
        }
        // Straight RGBA is written without another picture in the order of the file.
        let rows =
            hasAlpha || pixels.format == .rgba8
            ? try pixels.converted(to: .rgba8) : try pixels.converted(to: .bgra8Premultiplied, isOpaque: true)
        let header = header(pixels, hasAlpha: hasAlpha, offset: headerBytes, pixelBytes: pixelBytes)
        // Not cleared, because every byte is written below: new memory costs more than the copies.
        guard let file = malloc(headerBytes + pixelBytes) else { throw .posix(ENOMEM, stage: .encode) }
        header.copyBytes(to: file.assumingMemoryBound(to: UInt8.self), count: headerBytes)
        let usedBytes = pixels.width * (hasAlpha ? 4 : 3)
        for row in 0..<rows.height {
            if row % 64 == 0, WorkBudget.shouldStop() != 0 {
                free(file)
                try WorkBudget.checkCurrent()
                throw .cancelled
            }
            let target = file + headerBytes + (rows.height - 1 - row) * rowBytes
            PackedRows.pack(
                rows, row: row, alpha: hasAlpha, into: target.assumingMemoryBound(to: UInt8.self))
            memset(target + usedBytes, 0, rowBytes - usedBytes)
        }
        return Data(bytesNoCopy: file, count: headerBytes + pixelBytes, deallocator: .free)
    }

    private static func header(_ pixels: PixelBuffer, hasAlpha: Bool, offset: Int, pixelBytes: Int) -> Data {
        var file = Data("BM".utf8)
        file.add32(offset + pixelBytes)
        file.add32(0)
        file.add32(offset)
        file.add32(offset - 14)
        file.add32(pixels.width)
        file.add32(pixels.height)
        file.add16(1)
        file.add16(hasAlpha ? 32 : 24)
        file.add32(hasAlpha ? 3 : 0)
        file.add32(pixelBytes)
        // The first two values are the horizontal and vertical resolution: 2835 pixels per metre (72 dpi). The two
        // zeros mean that the file has no palette.
        for value in [2835, 2835, 0, 0] { file.add32(value) }
        guard hasAlpha else { return file }
        for mask in [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000] { file.add32(mask) }
        file.append(Data("BGRs".utf8))
        file.append(Data(count: 48))
        return file
    }
}

extension Data {
    fileprivate mutating func add32(_ value: Int) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    fileprivate mutating func add16(_ value: Int) {
        for shift in [0, 8] { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
