import WebImageLoading

/// Divides the size limit of a cache among the parts of its folder: the files of values, the index with small values,
/// the free pages of the index, and the write-ahead log.
///
/// Without this division, a cache with a limit of 2 MB had a log of up to 16 MB, and the unused parts of pages did not
/// count. A limit below ``smallest`` counts only the bytes of values, because an empty index already has 180 KB.
struct FolderBudget {
    /// The limit from which on the whole folder counts, in bytes (1 MiB).
    static let smallest = 1 << 20
    /// The maximum size of free pages of the index in bytes (16 MiB).
    static let mostFreeBytes = 16 << 20
    /// The pages of the index that a commit writes in addition to the pages of values.
    private static let pagesOfCommit = 12

    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Nil means no limit. If the configured limit is 0, the limit is the smaller of 2 GB and 5 % of the sum of the free
    /// space and the size of this cache.
    init?(_ config: ImageCacheConfig, _ writer: StoreWriter) throws(DatabaseError) {
        switch config.maxDiskSize {
        case 0:
            let (free, bytes) = (writer.folder.freeBytes / 20, try writer.totals().bytes / 20)
            self.init(limit: min(2_000_000_000, free.addingReportingOverflow(bytes).partialValue))
        case .max, ..<0: return nil
        default: self.init(limit: config.maxDiskSize)
        }
    }

    /// Whether the whole folder counts.
    var countsFolder: Bool { limit >= Self.smallest }

    /// The size of the log in bytes at which a commit copies the log into the index.
    var logBytes: Int { countsFolder ? max(min(limit / 16, StoreFormat.longestLog), 1) : StoreFormat.longestLog }

    /// The maximum size of the values of one commit in bytes.
    var pendingBytes: Int { countsFolder ? min(limit / 16, DiskStore.pendingLimit) : DiskStore.pendingLimit }

    /// The size of free pages in bytes that the index may keep. Later values use these pages.
    var freeBytes: Int { countsFolder ? min(limit / 16, Self.mostFreeBytes) : Self.mostFreeBytes }

    /// The bytes that are kept for the log and for free pages. The log can exceed ``logBytes`` by one commit.
    var reservedBytes: Int {
        logBytes + pendingBytes + freeBytes + Self.pagesOfCommit * StoreFormat.pageSize
    }
}
