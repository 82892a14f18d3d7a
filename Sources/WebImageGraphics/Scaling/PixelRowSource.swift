package import WebImageCore

/// A picture that computes its rows on request, so that memory never contains the pixels of the whole picture.
package protocol PixelRowSource {
    var size: PixelSize { get }
    var format: PixelFormat { get }

    /// Writes a part of a row to `target`. Returns false if the row cannot be computed.
    ///
    /// Callers can request the same part more than once. They can request an earlier row after a later row.
    func read(row: Int, columns: Range<Int>, into target: UnsafeMutableRawPointer) -> Bool
}

extension PixelRowSource {
    /// Returns a part of the picture scaled to `size`. The pixels equal those of
    /// `PixelBuffer.scaled(to:from:isOpaque:)`. Returns nil if a row cannot be computed. Call this function only if
    /// ``PixelFormat/isScaledByRows(from:to:isOpaque:)`` is true.
    package func scaled(
        to size: PixelSize, from region: PixelRegion, isOpaque: Bool
    ) throws(WebImageError) -> PixelBuffer? {
        let plan = ScalingCall(source: format, target: format, isOpaque: isOpaque)
        let near = plan.firstSize(from: region, to: size)
        let shape = try plan.shorteningShape(from: self.size, region, to: near.height)
        let short = try PixelBuffer(width: self.size.width, height: near.height, format: format)
        var isComplete = true
        try ResampleGraphPool.withGraph(shape) { graph throws(WebImageError) in
            let ring = try PlaneRing(
                plan: ScalingCall(source: .gray8, target: .gray8, isOpaque: true), width: shape.source.width,
                height: shape.source.height, rowCount: graph.inputRowCount)
            let reading = try RowReading(self, into: ring)
            do throws(WebImageError) {
                try graph.run(source: ring, target: PlaneRing(borrowing: short), callbacks: reading)
            } catch {
                guard reading.hasFailed else { throw error }
                isComplete = false
            }
        }
        guard isComplete else { return nil }
        let part = PixelRegion(left: region.left, top: 0, width: region.width, height: Double(near.height))
        return try short.scaled(to: near, from: part, isOpaque: isOpaque).scaled(to: size, isOpaque: isOpaque)
    }
}

extension PixelFormat {
    /// Whether a ``PixelRowSource`` of this format can be scaled row by row. False for grey pictures, for 16 bits per
    /// channel, for straight alpha, and for a result with more than a third of the region's rows. Such pictures are
    /// scaled from a buffer with all their pixels.
    package func isScaledByRows(from region: PixelRegion, to target: PixelSize, isOpaque: Bool) -> Bool {
        let plan = ScalingCall(source: self, target: self, isOpaque: isOpaque)
        return plan.sample == .byte && plan.isShortenedFirst(from: region, to: target)
    }
}

/// Copies rows of a source into the ring that zimg reads. zimg requests ranges of samples. Such a range can begin
/// inside a pixel.
private final class RowReading: ResampleCallbacks {
    private let source: any PixelRowSource
    private let ring: PlaneRing
    private let pixels: PixelBuffer
    private(set) var hasFailed = false

    init(_ source: any PixelRowSource, into ring: PlaneRing) throws(WebImageError) {
        self.source = source
        self.ring = ring
        pixels = try PixelBuffer(width: source.size.width, height: 1, format: source.format)
    }

    override func unpack(row: Int, left: Int, right: Int) -> Bool {
        let size = source.format.bytesPerPixel
        let columns = left / size..<min((right + size - 1) / size, source.size.width)
        guard source.read(row: row, columns: columns, into: pixels.baseAddress) else {
            hasFailed = true
            return false
        }
        let end = min(right, columns.upperBound * size)
        (ring.row(row, plane: 0) + left).copyMemory(
            from: pixels.baseAddress + (left - columns.lowerBound * size), byteCount: end - left)
        return true
    }
}
