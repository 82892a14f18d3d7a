import WebImageCore

/// Bounds a walk over a file's chunks or blocks: how many are remembered, and the time it takes.
///
/// A file of 100 MB can be eight million empty chunks.
struct ChunkWalk {
    private let deadline: DecodeDeadline
    private var stepCount = 0
    private var keptCount = 0
    /// Far more than any encoder writes, and 16 MB of ranges.
    static let mostKept = 1 << 20

    init(_ limits: DecodingLimits) { deadline = DecodeDeadline(limits) }

    /// One chunk or block further; looks at the clock now and then.
    mutating func step() throws(WebImageError) {
        stepCount &+= 1
        if stepCount & 4095 == 0 { try deadline.check() }
    }

    /// One chunk whose place is remembered.
    mutating func keep(_ library: String) throws(WebImageError) {
        keptCount += 1
        guard keptCount <= Self.mostKept else {
            throw .badData(
                library, "the picture is in more than \(Self.mostKept) pieces", hint: "Nobody writes such a file.")
        }
    }
}
