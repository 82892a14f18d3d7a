import CWebImageCodecShim
import WebImageCore
import WebImageGraphics

extension PNGDecoding {
    /// Decodes a huge picture to a small size. Rows are averaged while they are read, so that the whole picture is
    /// never in memory.
    ///
    /// Returns nil if the picture is small enough to be decoded normally, or if averaging would divide its sides by
    /// less than 2. Also returns nil for an interlaced picture, because its rows become final only after all pixels
    /// were read.
    func shrunkPicture(
        _ reader: PNGReader, profile: ColorProfile?, hasAlpha: Bool
    ) throws(WebImageError) -> DecodedPicture? {
        guard let (layout, format, factor) = shrinking(hasAlpha: hasAlpha) else { return nil }
        let size = chunks.header.size
        let shrinker = try RowShrinker(size, format: format, factor: factor)
        try reader.read(layout, through: shrinker, premultiplies: hasAlpha, deadline: deadline)
        return DecodedPicture(
            pixels: shrinker.result, orientation: orientation, profile: profile, hasAlpha: hasAlpha, format: .png)
    }

    /// Decodes and scales a picture that ``PNGInflatedRows`` supports. An inflated row is converted only when the
    /// scaler reads it. Therefore the memory contains all inflated rows but never all converted pixels. The pixels are
    /// the same as if the picture were decoded normally.
    ///
    /// Returns nil if the picture must be decoded normally.
    func scaledPicture(
        _ bytes: UnsafeRawBufferPointer, _ reader: PNGReader, _ plan: PNGRowLayout, profile: ColorProfile?,
        hasAlpha: Bool
    ) throws(WebImageError) -> DecodedPicture? {
        let size = chunks.header.size
        let target = options.targetSize(for: size.oriented(orientation)).oriented(orientation)
        guard plan.format.isScaledByRows(from: size, to: target, isOpaque: !hasAlpha),
            let (rows, palette) = try chunks.inflatedRows(bytes, reader, format: plan.format, limits: options.limits)
        else { return nil }
        let source = try PNGInflatedRows.Source(rows, plan, palette: palette, deadline: deadline)
        guard let pixels = try source.scaled(to: target, isOpaque: !hasAlpha) else {
            try deadline.check()
            return nil
        }
        return DecodedPicture(
            pixels: pixels, orientation: orientation, profile: profile, hasAlpha: hasAlpha, format: .png)
    }

    /// Returns the layout and the factor for averaging rows while they are read. Returns nil if the picture must be
    /// decoded normally.
    func shrinking(hasAlpha: Bool) -> (layout: CPNGLayout, format: PixelFormat, factor: Int)? {
        let size = chunks.header.size
        let (layout, format) = shrinkingLayout(hasAlpha: hasAlpha)
        let (rowBytes, overflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, !chunks.header.isInterlaced else { return nil }
        let (byteCount, isHuge) = rowBytes.multipliedReportingOverflow(by: size.height)
        guard isHuge || byteCount > Self.wholeByteCount else { return nil }
        return shrinkingFactor(rowBytes: rowBytes).map { (layout, format, $0) }
    }

    /// The maximum size of a picture that is decoded whole: 32 MiB of pixels. A larger picture is averaged if possible.
    private static let wholeByteCount = 32 << 20
    /// The maximum size of one band of rows that are averaged together: 8 MiB.
    private static let bandByteCount = 8 << 20

    /// Returns the factor by which averaging divides both sides of the picture, or nil if the factor would be below 2.
    /// The averaged picture has at least twice the requested size. A filter of better quality then scales the averaged
    /// picture to the requested size.
    private func shrinkingFactor(rowBytes: Int) -> Int? {
        let size = chunks.header.size
        let target = options.targetSize(for: size.oriented(orientation)).oriented(orientation)
        let factor = min(
            size.width / (2 * target.width), size.height / (2 * target.height), Self.bandByteCount / max(rowBytes, 1))
        return factor >= 2 ? factor : nil
    }

    private func shrinkingLayout(hasAlpha: Bool) -> (CPNGLayout, PixelFormat) {
        if hasAlpha { return (CPNG_BGRA8, .bgra8Premultiplied) }
        return chunks.header.isGray ? (CPNG_GRAY8, .gray8) : (CPNG_RGB8, .rgb8)
    }
}

extension PNGReader {
    /// Decodes all rows in bands and passes each band to the shrinker.
    func read(
        _ layout: CPNGLayout, through shrinker: RowShrinker, premultiplies: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) {
        try start(layout, fitting: shrinker.target.stride)
        while !shrinker.isDone {
            let (rows, stride) = shrinker.target
            try readRows(rows, stride: stride, count: shrinker.wantedRowCount)
            if premultiplies { shrinker.bandPixels.premultiplyInPlace(rows: 0..<shrinker.wantedRowCount) }
            shrinker.finishBand()
            try deadline.check()
        }
        try finish()
    }
}
