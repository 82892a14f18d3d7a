import WebImageCore

/// Adds up the ancillary chunks a decoder means to read; the others are skipped and cost nothing.
struct AncillaryBudget {
    private let limits: DecodingLimits
    private var total = 0

    init(_ limits: DecodingLimits) { self.limits = limits }

    mutating func take(_ byteCount: Int) throws(WebImageError) {
        guard byteCount <= limits.maxAncillaryChunkBytes else {
            throw .limit(.ancillaryChunkBytes, actual: byteCount, allowed: limits.maxAncillaryChunkBytes)
        }
        total += byteCount
        guard total <= limits.maxAncillaryBytes else {
            throw .limit(.ancillaryBytes, actual: total, allowed: limits.maxAncillaryBytes)
        }
    }
}
