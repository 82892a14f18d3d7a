import Foundation
import WebImageCore
import WebImageLoading

/// Enforces the age and size limits and removes orphaned files, in small batches after commits.
extension DiskStore {
    /// Removes expired entries. If the size limit is still exceeded, evicts the oldest entries until half of the
    /// limit is reached.
    func removeExpiredData() {
        flush()
        let config = state.withLock { $0.config }
        let now = milliseconds()
        write { writer throws(DatabaseError) in
            let order = config.diskCacheExpireType.column
            try writer.prepareOrder(by: order)
            while try writer.removeExpiredByOwnDate(by: now) {}
            if let deadline = config.deadline(now) {
                while try writer.removeExpired(by: order, deadline: deadline) {}
            }
            if let budget = try folderBudget(config, writer), try writer.usedBytes(within: budget) > budget.limit {
                try writer.trim(to: max(budget.limit / 2 - 1, 0), of: budget, by: order)
            }
            for shard in 0...UInt8.max { try writer.prunePixelSizes(shard: shard) }
            try writer.releaseFreePages(above: 0)
        }
    }

    /// Runs after each commit. Trims the cache if the size limit is exceeded. Once a minute, removes a batch of expired
    /// entries, removes the orphaned files and excess pixel sizes of one shard, and releases free pages.
    func keepLimits(_ writer: StoreWriter) throws(DatabaseError) {
        let config = state.withLock { $0.config }
        let order = config.diskCacheExpireType.column
        if let budget = try folderBudget(config, writer) {
            try writer.boundLog(budget.logBytes)
            if try writer.usedBytes(within: budget) > budget.limit {
                try writer.prepareOrder(by: order)
                // Trim to 1/16 below the limit. If the cache stayed at the limit, every later write would need another
                // transaction to trim.
                try writer.trim(to: budget.limit - budget.limit / 16, of: budget, by: order)
                try writer.releaseFreePages(above: budget.freeBytes)
            }
        }
        let now = clock()
        let shard = state.withLock { state -> UInt8? in
            guard now >= state.nextMaintenance else { return nil }
            state.nextMaintenance = now.addingTimeInterval(60)
            state.shard &+= 1
            return state.shard
        }
        guard let shard else { return }
        try writer.prepareOrder(by: order)
        if let deadline = config.deadline(milliseconds()),
            try writer.removeExpired(by: order, deadline: deadline)
        {
            // More entries have expired, so the next commit continues without waiting a minute.
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        if try writer.removeExpiredByOwnDate(by: milliseconds()) {
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        try writer.sweep(shard: shard)
        try writer.prunePixelSizes(shard: shard)
        try writer.releaseFreePages(above: FolderBudget.mostFreeBytes)
    }

    /// Returns the parts of the size limit; nil means no limit. If the configured limit is 0, the limit is the smaller of
    /// 2 GB and 5 % of the sum of the free space and the size of this cache.
    private func folderBudget(_ config: ImageCacheConfig, _ writer: StoreWriter) throws(DatabaseError) -> FolderBudget?
    {
        switch config.maxDiskSize {
        case 0:
            let (free, bytes) = (writer.folder.freeBytes / 20, try writer.totals().bytes / 20)
            return FolderBudget(limit: min(2_000_000_000, free.addingReportingOverflow(bytes).partialValue))
        case .max, ..<0: return nil
        default: return FolderBudget(limit: config.maxDiskSize)
        }
    }
}

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

extension StoreWriter {
    /// The bytes that count against a limit: those of the whole folder, or those of all values if the limit is small.
    func usedBytes(within budget: FolderBudget) throws(DatabaseError) -> Int {
        let values = try totals().bytes
        guard budget.countsFolder else { return values }
        let others = try indexBytes + budget.reservedBytes
        // Small values are a part of the index, so this sum can only be too high. Count exactly only if it matters.
        guard values + others > budget.limit else { return values + others }
        return try fileBytes + others
    }

    /// Removes the oldest entries until the bytes that count are at most `target`.
    func trim(to target: Int, of budget: FolderBudget, by column: String) throws(DatabaseError) {
        while true {
            let excess = try usedBytes(within: budget) - target
            let before = try totals()
            guard excess > 0, before.count > 0 else { return }
            while try removeOldest(by: column, downTo: max(before.bytes - excess, 0)) {}
            // Nothing is left to remove, or all remaining values are empty.
            guard try totals().count < before.count else { return }
        }
    }
}

extension ImageCacheConfig {
    /// Returns a time in milliseconds since 1970. An entry whose date is at or before this time has expired. Nil if
    /// entries never expire by age.
    fileprivate func deadline(_ now: Int) -> Int? {
        guard maxDiskAge >= 0, maxDiskAge.isFinite, maxDiskAge < 1e11 else { return nil }
        return now - Int(maxDiskAge * 1000)
    }
}

extension ImageCacheConfig.ExpireType {
    /// The column of the index that contains this date.
    var column: String {
        switch self {
        case .accessDate: "accessed"
        case .modificationDate: "modified"
        case .creationDate: "created"
        case .changeDate: "changed"
        }
    }
}
