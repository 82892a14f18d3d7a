import CWebImageCodecShim
import WebImageCore
import WebImageGraphics

extension PNGDecoding {
    /// Averages a huge picture to a small size while it is read, so that the whole picture is never in memory.
    ///
    /// nil when a normal decode is as good, and for interlaced pictures: those need all pixels before a row is final.
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

    /// The layout and factor for averaging the picture while it is read; nil for a normal decode.
    func shrinking(hasAlpha: Bool) -> (layout: CPNGLayout, format: PixelFormat, factor: Int)? {
        let size = chunks.header.size
        let (layout, format) = shrinkingLayout(hasAlpha: hasAlpha)
        let (rowBytes, overflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, !chunks.header.isInterlaced else { return nil }
        let (byteCount, isHuge) = rowBytes.multipliedReportingOverflow(by: size.height)
        guard isHuge || byteCount > Self.wholeByteCount else { return nil }
        return shrinkingFactor(rowBytes: rowBytes).map { (layout, format, $0) }
    }

    /// The most bytes of pixels of a picture that is decoded whole.
    private static let wholeByteCount = 32 << 20
    /// The most bytes of one band of rows.
    private static let bandByteCount = 8 << 20

    /// The factor of the averaging; nil under two. It leaves twice the wanted size, so that a better filter does the rest.
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
    /// Decodes all rows through a shrinker, band by band.
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
