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
            let bytes = try writer.totals().bytes
            if let limit = sizeLimit(config, bytes: bytes, in: writer.folder), bytes > limit {
                while try writer.removeOldest(by: order, downTo: max(limit / 2 - 1, 0)) {}
            }
            for shard in 0...UInt8.max { try writer.prunePixelSizes(shard: shard) }
            try writer.releaseFreePages()
        }
    }

    /// Runs after each commit. Trims the cache if the size limit is exceeded. Once a minute, removes a batch of expired
    /// entries, removes the orphaned files and excess pixel sizes of one shard, and releases free pages.
    func keepLimits(_ writer: StoreWriter) throws(DatabaseError) {
        let config = state.withLock { $0.config }
        let order = config.diskCacheExpireType.column
        let bytes = try writer.totals().bytes
        if let limit = sizeLimit(config, bytes: bytes, in: writer.folder), bytes > limit {
            try writer.prepareOrder(by: order)
            // Trim to 1/16 below the limit. If the cache stayed at the limit, every later write would need another
            // transaction to trim.
            while try writer.removeOldest(by: order, downTo: limit - limit / 16) {}
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
        try writer.releaseFreePages()
    }

    /// Returns the maximum number of bytes of all entries; nil means no limit. If the configured limit is 0, returns
    /// the smaller of 2 GB and 5 % of the sum of the free space and the size of this cache.
    private func sizeLimit(_ config: ImageCacheConfig, bytes: Int, in folder: StoreFolder) -> Int? {
        switch config.maxDiskSize {
        case 0: min(2_000_000_000, (folder.freeBytes / 20).addingReportingOverflow(bytes / 20).partialValue)
        case .max, ..<0: nil
        default: config.maxDiskSize
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
