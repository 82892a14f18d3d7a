/// Compares the sizes of ancillary chunks with the limits. Chunks that the decoder skips are not counted.
package struct AncillaryBudget {
    private let limits: DecodingLimits
    private var total = 0

    package init(_ limits: DecodingLimits) { self.limits = limits }

    package mutating func take(_ byteCount: Int) throws(WebImageError) {
        guard byteCount <= limits.maxAncillaryChunkBytes else {
            throw .limit(.ancillaryChunkBytes, actual: byteCount, allowed: limits.maxAncillaryChunkBytes)
        }
        total += byteCount
        guard total <= limits.maxAncillaryBytes else {
            throw .limit(.ancillaryBytes, actual: total, allowed: limits.maxAncillaryBytes)
        }
    }
}
