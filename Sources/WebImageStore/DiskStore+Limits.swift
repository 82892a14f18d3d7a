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
            let trimmer = StoreTrimmer(writer, by: config.diskCacheExpireType)
            try trimmer.prepareOrder()
            while try trimmer.removeExpiredByOwnDate(now: now) {}
            if let deadline = config.deadline(now) {
                while try trimmer.removeExpired(deadline: deadline) {}
            }
            if let budget = try FolderBudget(config, writer), try trimmer.usedBytes(within: budget) > budget.limit {
                try trimmer.trim(to: max(budget.limit / 2 - 1, 0), of: budget)
            }
            for shard in 0...UInt8.max { try StoreSweep(writer, shard: shard).removeExcessPixelSizes() }
            try trimmer.releaseFreePages(above: 0)
        }
    }

    /// Runs after each commit. Trims the cache if the size limit is exceeded. Once a minute, removes a batch of expired
    /// entries, removes the orphaned files and excess pixel sizes of one shard, and releases free pages.
    func keepLimits(_ writer: StoreWriter) throws(DatabaseError) {
        let config = state.withLock { $0.config }
        let trimmer = StoreTrimmer(writer, by: config.diskCacheExpireType)
        if let budget = try FolderBudget(config, writer) {
            try writer.boundLog(budget.logBytes)
            if try trimmer.usedBytes(within: budget) > budget.limit {
                try trimmer.prepareOrder()
                // Trim to 1/16 below the limit. If the cache stayed at the limit, every later write would need another
                // transaction to trim.
                try trimmer.trim(to: budget.limit - budget.limit / 16, of: budget)
                try trimmer.releaseFreePages(above: budget.freeBytes)
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
        try trimmer.prepareOrder()
        if let deadline = config.deadline(milliseconds()), try trimmer.removeExpired(deadline: deadline) {
            // More entries have expired, so the next commit continues without waiting a minute.
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        if try trimmer.removeExpiredByOwnDate(now: milliseconds()) {
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        let sweep = StoreSweep(writer, shard: shard)
        try sweep.removeOrphanedFiles()
        try sweep.removeExcessPixelSizes()
        try trimmer.releaseFreePages(above: FolderBudget.mostFreeBytes)
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
