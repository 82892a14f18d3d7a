import WebImageLoading

/// Removes expired and excess entries, the oldest first, in batches of limited cost.
struct StoreTrimmer {
    private let writer: StoreWriter
    /// The column of the index with the date that decides which entries are the oldest.
    private let column: String

    init(_ writer: StoreWriter, by date: ImageCacheConfig.ExpireType) {
        self.writer = writer
        column = date.column
    }

    /// The maximum number of rows that one transaction removes. Keys are not in the order of age, so even few rows
    /// change most pages of the tree of keys. A commit writes each changed page once, so a large batch costs little
    /// more than a small batch. The batch is limited because other processes can write only between transactions.
    static let rowsPerBatch = 16_384
    /// The maximum number of rows with files that one transaction removes. If the process is killed between the
    /// commit and the removal of the files, at most this number of files remains until a sweep removes them.
    static let filesPerBatch = 512

    /// Creates the SQL index that sorts entries by the date. The SQL index of the access date always exists.
    func prepareOrder() throws(DatabaseError) {
        try writer.database.execute("CREATE INDEX IF NOT EXISTS entry_\(column) ON entry(\(column))")
    }

    // MARK: Removing

    /// Removes up to one batch of entries whose date is at or before `deadline`, in milliseconds since 1970. Returns
    /// whether more such entries may remain.
    func removeExpired(deadline: Int) throws(DatabaseError) -> Bool {
        try removeOldest { date, _ in date > deadline }
    }

    /// Removes up to one batch of entries whose own expiry time is at or before `now`, in milliseconds since 1970.
    /// Returns whether more such entries may remain.
    func removeExpiredByOwnDate(now: Int) throws(DatabaseError) -> Bool {
        var rows: [RemovableRow] = []
        try writer.transaction { effects throws(DatabaseError) in
            rows = try writer.database.prepareOnce(
                "SELECT \(RemovableRow.columns) FROM entry WHERE expires <= ? ORDER BY expires LIMIT \(Self.filesPerBatch)"
            ).all(.integer(now), read: RemovableRow.init)
            try writer.remove(rows, &effects)
        }
        return rows.count == Self.filesPerBatch
    }

    /// Removes the oldest entries until the bytes that count are at most `target`.
    func trim(to target: Int, of budget: FolderBudget) throws(DatabaseError) {
        while true {
            let excess = try usedBytes(within: budget) - target
            let before = try writer.totals()
            guard excess > 0, before.count > 0 else { return }
            let left = max(before.bytes - excess, 0)
            while try removeOldest(until: { _, bytes in bytes <= left }) {}
            // Nothing is left to remove, or all remaining values are empty.
            guard try writer.totals().count < before.count else { return }
        }
    }

    /// Removes up to one batch of the oldest entries, but none from the first one on for which `isEnough` returns true.
    /// Returns whether more entries may have to be removed.
    ///
    /// - Parameter isEnough: Receives the date of the next entry and the total size in bytes of the remaining values.
    private func removeOldest(until isEnough: (_ date: Int, _ bytes: Int) -> Bool) throws(DatabaseError) -> Bool {
        var isFull = false
        try writer.transaction { effects throws(DatabaseError) in
            var bytes = try writer.totals().bytes
            var rows: [RemovableRow] = []
            var files = 0
            let oldest = try writer.database.prepareOnce(
                "SELECT \(RemovableRow.columns), \(column) FROM entry ORDER BY \(column)")
            try oldest.each { statement in
                isFull = rows.count == Self.rowsPerBatch || files == Self.filesPerBatch
                if isFull || isEnough(statement.integer(RemovableRow.columnCount), bytes) { return true }
                let row = RemovableRow(statement)
                rows.append(row)
                bytes -= row.size
                if row.file != nil { files += 1 }
                return false
            }
            try writer.remove(rows, &effects)
        }
        return isFull
    }

    // MARK: Sizes

    /// The bytes that count against a limit: those of the whole folder, or those of all values if the limit is small.
    func usedBytes(within budget: FolderBudget) throws(DatabaseError) -> Int {
        let values = try writer.totals().bytes
        guard budget.countsFolder else { return values }
        let others = try indexBytes + budget.reservedBytes
        // Small values are a part of the index, so this sum can only be too high. Count exactly only if it matters.
        guard values + others > budget.limit else { return values + others }
        return try fileBytes + others
    }

    /// The size of all used pages of the index in bytes. Reads only the header of the index.
    private var indexBytes: Int {
        get throws(DatabaseError) { (try pages("page_count") - pages("freelist_count")) * writer.pageSize }
    }

    /// The size of the files of all values in bytes, in whole blocks of 4 KiB. Reads only the SQL index of these sizes.
    private var fileBytes: Int {
        get throws(DatabaseError) {
            try writer.database.execute("CREATE INDEX IF NOT EXISTS entry_file ON entry(size) WHERE file IS NOT NULL")
            return try writer.database.prepareOnce(
                "SELECT ifnull(sum((size + 4095) / 4096 * 4096), 0) FROM entry WHERE file IS NOT NULL"
            ).first { $0.integer(0) } ?? 0
        }
    }

    // MARK: Free pages

    /// If the free pages of the index have more than `bytes` bytes, returns pages to the file system: at least enough
    /// of them, and at most 1,024 in one call.
    func releaseFreePages(above bytes: Int) throws(DatabaseError) {
        let excess = try pages("freelist_count") - bytes / writer.pageSize
        guard excess > 0 else { return }
        // Each call is a transaction, after which the log can be copied into the index. One large transaction would make
        // a long log, because it writes a page for each page that it frees.
        var left = min(max(excess, Self.releasedPages), 1024)
        while left > 0 {
            try writer.database.execute("PRAGMA incremental_vacuum(\(min(left, Self.releasedPages)))")
            left -= Self.releasedPages
        }
    }

    /// The number of pages that one transaction returns to the file system.
    private static let releasedPages = 32

    private func pages(_ pragma: String) throws(DatabaseError) -> Int {
        try writer.database.integer("PRAGMA \(pragma)") ?? 0
    }
}

extension ImageCacheConfig.ExpireType {
    /// The column of the index that contains this date.
    fileprivate var column: String {
        switch self {
        case .accessDate: "accessed"
        case .modificationDate: "modified"
        case .creationDate: "created"
        case .changeDate: "changed"
        }
    }
}
