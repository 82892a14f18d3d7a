import CWebImageCodecShim
import WebImageCore
import WebImageGraphics

extension PNGDecoding {
    /// A huge picture that is wanted small, averaged while it is read, so that it is never in memory whole; nil where
    /// the plain way is as good.
    ///
    /// Interlaced pictures need all their pixels before the first row is final.
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

    /// Whether and how the picture is averaged while it is read.
    func shrinking(hasAlpha: Bool) -> (layout: CPNGLayout, format: PixelFormat, factor: Int)? {
        let size = chunks.header.size
        let (layout, format) = shrinkingLayout(hasAlpha: hasAlpha)
        let (rowBytes, overflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, !chunks.header.isInterlaced else { return nil }
        let (byteCount, isHuge) = rowBytes.multipliedReportingOverflow(by: size.height)
        guard isHuge || byteCount > Self.wholeByteCount else { return nil }
        return shrinkingFactor(rowBytes: rowBytes).map { (layout, format, $0) }
    }

    /// Bytes of pixels up to which a picture is decoded whole.
    private static let wholeByteCount = 32 << 20
    /// Bytes of one band of rows at most.
    private static let bandByteCount = 8 << 20

    /// How many times smaller, with twice the wanted size left to the better filter; nil under two.
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
