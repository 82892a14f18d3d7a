import WebImageCore

/// Limits the scan of a file's chunks or blocks: the number of stored chunks, and the time.
///
/// A file of 100 MB can have eight million empty chunks.
struct ChunkWalk {
    private let deadline: DecodeDeadline
    private var stepCount = 0
    private var keptCount = 0
    /// The limit of stored chunks: far more than any encoder writes, and 16 MB of ranges.
    static let maxKeptChunks = 1 << 20

    init(_ limits: DecodingLimits) { deadline = DecodeDeadline(limits) }

    /// Counts one chunk or block; checks the deadline every 4096.
    mutating func step() throws(WebImageError) {
        stepCount &+= 1
        if stepCount & 4095 == 0 { try deadline.check() }
    }

    /// Counts one chunk whose range is stored.
    mutating func keep(_ library: String) throws(WebImageError) {
        keptCount += 1
        guard keptCount <= Self.maxKeptChunks else {
            throw .badData(
                library, "the picture is in more than \(Self.maxKeptChunks) pieces",
                hint: "No encoder writes such a file.")
        }
    }
}
