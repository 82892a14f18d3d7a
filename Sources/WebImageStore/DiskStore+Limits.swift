import Foundation
import WebImageCore

/// Age, size and tidiness, kept continuously: what was committed pays for what it pushed out.
extension DiskStore {
    /// Removes what is too old, then, when there is more than the limit, the oldest down to half of it.
    func removeExpiredData() {
        flush()
        let config = state.withLock { $0.config }
        let now = milliseconds()
        write { writer throws(DatabaseError) in
            let order = config.diskCacheExpireType.column
            try writer.prepareOrder(by: order)
            while try writer.removeOver(by: now) {}
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

    /// After a commit: down to the limit when over it, and once a minute a batch of expired entries and one shard's orphans.
    func keepLimits(_ writer: StoreWriter) throws(DatabaseError) {
        let config = state.withLock { $0.config }
        let order = config.diskCacheExpireType.column
        let bytes = try writer.totals().bytes
        if let limit = sizeLimit(config, bytes: bytes, in: writer.folder), bytes > limit {
            try writer.prepareOrder(by: order)
            // A little below, so that not every single write pays for a transaction of trimming.
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
            // More to do: the next commit goes on.
            state.withLock { $0.nextMaintenance = .distantPast }
        }
        if try writer.removeOver(by: milliseconds()) { state.withLock { $0.nextMaintenance = .distantPast } }
        try writer.sweep(shard: shard)
        try writer.prunePixelSizes(shard: shard)
        try writer.releaseFreePages()
    }

    /// Bytes the entries may have; nil is no limit. 0 is automatic: the lesser of 2 GB and 5 % of what is free to us.
    private func sizeLimit(_ config: ImageCacheConfig, bytes: Int, in folder: StoreFolder) -> Int? {
        switch config.maxDiskSize {
        case 0: min(2_000_000_000, (folder.freeBytes / 20).addingReportingOverflow(bytes / 20).partialValue)
        case .max, ..<0: nil
        default: config.maxDiskSize
        }
    }
}

extension ImageCacheConfig {
    /// Dates at or before this one are too old; nil when nothing ever is. Milliseconds.
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
