import Foundation
import WebImageCore

/// Enforces age and size limits and removes leftovers, a little with each commit.
extension DiskStore {
    /// Removes expired entries. Then, when the size limit is exceeded, evicts the oldest entries down to half of the
    /// limit.
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

    /// Runs after a commit: trims to the limit when it is exceeded, and once a minute removes a batch of expired
    /// entries and one shard's orphans.
    func keepLimits(_ writer: StoreWriter) throws(DatabaseError) {
        let config = state.withLock { $0.config }
        let order = config.diskCacheExpireType.column
        let bytes = try writer.totals().bytes
        if let limit = sizeLimit(config, bytes: bytes, in: writer.folder), bytes > limit {
            try writer.prepareOrder(by: order)
            // Trims a little below the limit, so that not every write needs a trimming transaction.
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
            // More is expired: the next commit continues.
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        if try writer.removeExpiredByOwnDate(by: milliseconds()) {
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        try writer.sweep(shard: shard)
        try writer.prunePixelSizes(shard: shard)
        try writer.releaseFreePages()
    }

    /// The maximum number of bytes of all entries; nil is no limit. 0 is automatic: the smaller of 2 GB and 5 % of the
    /// free space plus our own.
    private func sizeLimit(_ config: ImageCacheConfig, bytes: Int, in folder: StoreFolder) -> Int? {
        switch config.maxDiskSize {
        case 0: min(2_000_000_000, (folder.freeBytes / 20).addingReportingOverflow(bytes / 20).partialValue)
        case .max, ..<0: nil
        default: config.maxDiskSize
        }
    }
}

extension ImageCacheConfig {
    /// Entries dated at or before this time (milliseconds) are expired; nil when none ever is.
    fileprivate func deadline(_ now: Int) -> Int? {
        guard maxDiskAge >= 0, maxDiskAge.isFinite, maxDiskAge < 1e11 else { return nil }
        return now - Int(maxDiskAge * 1000)
    }
}

extension ImageCacheConfig.ExpireType {
    /// The index's column of this date.
    var column: String {
        switch self {
        case .accessDate: "accessed"
        case .modificationDate: "modified"
        case .creationDate: "created"
        case .changeDate: "changed"
        }
    }
}
