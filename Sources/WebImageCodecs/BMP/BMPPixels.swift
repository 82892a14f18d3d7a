import Foundation
import WebImageCore
import WebImageGraphics

/// Converts the stored rows of a bitmap to pixels.
///
/// libyuv converts the common layouts. Swift loops convert unusual bit masks and indices of less than 8 bits.
struct BMPPixels {
    let header: BMPHeader
    let bytes: UnsafeRawBufferPointer
    let deadline: DecodeDeadline

    /// Returns BGRA pixels with straight alpha, and whether any pixel can be transparent. The buffer's format is
    /// `bgra8Premultiplied`, although the pixels are not yet premultiplied.
    func decode() throws(WebImageError) -> (PixelBuffer, hasAlpha: Bool) {
        if header.bitCount <= 8 { return try palettePixels() }
        let buffer = try PixelBuffer(
            width: header.size.width, height: header.size.height, format: .bgra8Premultiplied)
        try eachRow { row, line throws(WebImageError) in expand(line, row, buffer) }
        guard let masks = header.masks, masks.alpha != 0 else {
            try PackedRows.setOpaque(buffer)
            return (buffer, false)
        }
        return (buffer, true)
    }

    /// Calls `body` once per row. The arguments are the row number, counted from the top of the picture, and the stored
    /// bytes of the row.
    private func eachRow(
        _ body: (Int, UnsafePointer<UInt8>) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        let (total, overflow) = header.rowBytes.multipliedReportingOverflow(by: header.size.height)
        // Accept a last row without padding, because many files omit this padding.
        let least = total - header.rowBytes + (header.size.width * header.bitCount + 7) / 8
        guard !overflow, bytes.range(at: header.pixels, count: least) != nil,
            let base = bytes.bindMemory(to: UInt8.self).baseAddress
        else { throw BMPHeader.cutOff }
        for stored in 0..<header.size.height {
            if stored % 64 == 0 { try deadline.check() }
            let row = header.isTopDown ? stored : header.size.height - 1 - stored
            try body(row, base + header.pixels + stored * header.rowBytes)
        }
    }

    // MARK: Colours

    private func expand(_ line: UnsafePointer<UInt8>, _ row: Int, _ buffer: PixelBuffer) {
        if let layout { return PackedRows.expand(line, stride: 0, layout, into: buffer, top: row, rows: 1) }
        let target = (buffer.baseAddress + row * buffer.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        guard let masks = header.masks else { return }
        let channels = [masks.blue, masks.green, masks.red, masks.alpha].map(BMPChannel.init)
        let step = header.bitCount / 8
        for x in 0..<header.size.width {
            var word: UInt32 = 0
            for byte in 0..<step { word |= UInt32(line[x &* step &+ byte]) << UInt32(8 &* byte) }
            for channel in 0..<4 { target[x &* 4 &+ channel] = channels[channel].value(word) }
        }
    }

    private var layout: PackedRows.Layout? {
        guard let masks = header.masks else { return .bgr24 }
        if header.bitCount == 16 {
            switch masks {
            case BMPHeader.Masks(red: 0xF800, green: 0x7E0, blue: 0x1F): return .rgb565
            case BMPHeader.Masks(red: 0x7C00, green: 0x3E0, blue: 0x1F): return .xrgb1555
            default: return nil
            }
        }
        func place(_ mask: UInt32) -> UInt8? {
            let index = mask.trailingZeroBitCount / 8
            return index < 4 && mask == 0xFF << UInt32(8 * index) ? UInt8(index) : nil
        }
        // If there is no alpha mask, `decode` later overwrites alpha with 255. Therefore any byte can be copied to
        // alpha here.
        let alphaPlace = masks.alpha == 0 ? 3 : place(masks.alpha)
        guard let blue = place(masks.blue), let green = place(masks.green), let red = place(masks.red),
            let alpha = alphaPlace
        else { return nil }
        return .bytes32(blue: blue, green: green, red: red, alpha: alpha)
    }

    // MARK: Palettes

    private func palettePixels() throws(WebImageError) -> (PixelBuffer, hasAlpha: Bool) {
        let indices = try PixelBuffer(width: header.size.width, height: header.size.height, format: .gray8)
        var drawn: PixelBuffer?
        switch header.packing {
        case .plain: try unpackIndices(into: indices)
        case .runs8, .runs4:
            drawn = try BMPRuns(header: header, bytes: bytes, deadline: deadline).decode(into: indices)
        }
        let buffer = try PixelBuffer(
            width: header.size.width, height: header.size.height, format: .bgra8Premultiplied)
        let table = PaletteTable(rgb: header.colors(in: bytes), transparentIndex: nil, format: .bgra8Premultiplied)
        table.expand(
            indices.baseAddress.assumingMemoryBound(to: UInt8.self), stride: indices.bytesPerRow,
            width: indices.width, rowCount: indices.height, into: buffer.baseAddress, targetStride: buffer.bytesPerRow)
        guard let drawn else { return (buffer, false) }
        try PackedRows.setAlpha(of: buffer, from: drawn)
        return (buffer, true)
    }

    private func unpackIndices(into indices: PixelBuffer) throws(WebImageError) {
        let bits = header.bitCount
        let perByte = 8 / bits
        let mask = UInt8(truncatingIfNeeded: (1 << bits) - 1)
        let width = header.size.width
        try eachRow { row, line throws(WebImageError) in
            let target = (indices.baseAddress + row * indices.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            if bits == 8 {
                memcpy(target, line, width)
                return
            }
            var x = 0
            while x < width {
                let shift = 8 &- bits &- (x % perByte) &* bits
                target[x] = (line[x / perByte] >> UInt8(truncatingIfNeeded: shift)) & mask
                x &+= 1
            }
        }
    }
}

/// Extracts one channel from a pixel by the channel's bit mask. The result has 8 bits. A channel with fewer bits is
/// widened to 8 bits. A channel with more bits is reduced to its 8 high bits.
struct BMPChannel {
    private let mask: UInt32
    private let shift: UInt32
    private let most: UInt64

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        most = UInt64(mask >> shift)
    }

    func value(_ word: UInt32) -> UInt8 {
        guard most > 0 else { return 0 }
        let bits = UInt64((word & mask) >> shift)
        if most > 255 { return UInt8(truncatingIfNeeded: bits >> UInt64(most.bitWidth - most.leadingZeroBitCount - 8)) }
        // Repeat the bits until 8 bits are filled. The smallest value then becomes 0, and the largest value becomes
        // 255.
        let width = UInt64(most.bitWidth - most.leadingZeroBitCount)
        var value = bits << (8 - width)
        var filled = width
        while filled < 8 {
            value |= value >> filled
            filled &*= 2
        }
        return UInt8(truncatingIfNeeded: value)
    }
}
