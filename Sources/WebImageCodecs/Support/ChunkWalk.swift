import WebImageCore

/// Limits the scan of a file's chunks or blocks. Limits the number of stored chunk ranges and the time of the scan.
///
/// Without these limits, the scan of a hostile file is expensive. A file of 100 MB can contain eight million empty
/// chunks.
struct ChunkWalk {
    private let deadline: DecodeDeadline
    private var stepCount = 0
    private var keptCount = 0
    /// The maximum number of stored chunk ranges: about one million, which need 16 MB. No known encoder writes so many
    /// chunks.
    static let maxKeptChunks = 1 << 20

    init(_ limits: DecodingLimits) { deadline = DecodeDeadline(limits) }

    /// Counts one chunk or block. Checks the deadline every 4096 chunks.
    mutating func step() throws(WebImageError) {
        stepCount &+= 1
        if stepCount & 4095 == 0 { try deadline.check() }
    }

    /// Counts one chunk whose range is stored. Throws an error if the number exceeds ``maxKeptChunks``.
    mutating func keep(_ library: String) throws(WebImageError) {
        keptCount += 1
        guard keptCount <= Self.maxKeptChunks else {
            throw .badData(
                library, "the picture is in more than \(Self.maxKeptChunks) pieces",
                hint: "No encoder writes such a file.")
        }
    }
}
