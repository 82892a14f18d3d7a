import CWebImageSQLite
import Foundation
import WebImageCore

/// Opens the store, commits changes, and recovers if opening or committing fails.
extension DiskStore {
    /// Commits all pending changes, then trims the cache to its size limit. Blocks until the commit and the trim have
    /// ended. If no changes are pending, only waits for a running commit.
    func flush() {
        writer.withLock { slot in
            let batch = state.withLock { state in
                state.committing = state.pending
                state.pending = PendingWrites()
                state.isFlushScheduled = false
                state.isAccessFlushScheduled = false
                return state.committing
            }
            guard !batch.isEmpty else { return }
            let failure = commit(batch, &slot)
            let left = failure.map { salvage(batch, after: $0, &slot) } ?? PendingWrites()
            if failure == nil { attempt(&slot) { writer throws(DatabaseError) in try self.keepLimits(writer) } }
            state.withLock { state in
                state.committing = PendingWrites()
                state.pending.restore(left)
            }
            if let folder = slot?.folder, folder.logBytes > StoreFormat.checkpointLogBytes {
                scheduleCheckpoint(folder)
            }
        }
    }

    private func commit(_ batch: PendingWrites, _ slot: inout StoreWriter?) -> DatabaseError? {
        attempt(&slot) { writer throws(DatabaseError) in
            let failure = try writer.apply(batch)
            if failure != 0 { self.warning.log(.posix(failure, stage: .store)) }
        }
    }

    /// Commits the changes of a failed batch one by one. Returns the removals that were not committed. A later commit
    /// must repeat these removals, because a removed entry must not reappear. Values that were not committed are
    /// dropped, because loads can fetch them again.
    private func salvage(
        _ batch: PendingWrites, after failure: DatabaseError, _ slot: inout StoreWriter?
    ) -> PendingWrites {
        var left = PendingWrites()
        // Skip the attempts if another process holds the lock or if the index cannot be opened. In these cases, each
        // attempt would also fail. While another process holds the lock, each attempt would first wait for the lock.
        var failures = failure.isWaiting || slot == nil ? Self.enoughFailures : 0
        for part in batch.parts {
            if failures < Self.enoughFailures {
                guard commit(part, &slot) != nil else { continue }
                failures += 1
            }
            if part.isRemoval { left.restore(part) }
        }
        return left
    }

    /// The number of failures in one batch after which the remaining changes of the batch are not committed.
    private static let enoughFailures = 8

    /// Copies the write-ahead log into the index (a checkpoint) in the background, without blocking reads or writes.
    private func scheduleCheckpoint(_ folder: StoreFolder) {
        let isFirst = state.withLock { state in
            defer { state.isCheckpointScheduled = true }
            return !state.isCheckpointScheduled
        }
        guard isFirst else { return }
        checkpointQueue.async { [weak self] in
            guard let self else { return }
            state.withLock { $0.isCheckpointScheduled = false }
            checkpointing.withLock { isAllowed in
                guard isAllowed else { return }
                // Ignore errors, because a later commit repeats a failed checkpoint and reports the error.
                let database = try? Database(path: folder.index, mode: .readWrite, busyMilliseconds: 0)
                try? database?.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(PASSIVE)")
            }
        }
    }

    /// Commits pending writes and closes the index permanently. After that, background work may retain this object
    /// for a short time.
    func close() {
        flush()
        checkpointing.withLock { $0 = false }
        writer.withLock { slot in
            close(&slot)
            state.withLock { $0.nextOpening = .distantFuture }
        }
    }

    /// Reads with the reading connection. Nil if there is no connection or if the read failed.
    func read<Result>(_ body: (StoreReader) throws(DatabaseError) -> Result) -> Result? {
        let (result, failed) = reader.withLock { slot -> (Result?, StoreReader?) in
            guard let reader = slot else { return (nil, nil) }
            do throws(DatabaseError) {
                return (try body(reader), nil)
            } catch let error {
                warning.log(error.asWebImageError)
                return (nil, error.isCorruption ? reader : nil)
            }
        }
        // Repair after the reader's lock was released, because the lock order requires the writer's lock before the
        // reader's lock.
        if failed != nil { writer.withLock { replaceDamagedIndex(&$0) } }
        return result
    }

    /// Writes with the writing connection, if there is one.
    func write(_ body: (StoreWriter) throws(DatabaseError) -> Void) {
        writer.withLock { _ = attempt(&$0, body) }
    }

    /// Writes with the writing connection. Returns the error of the write, or an error if there is no writing
    /// connection.
    @discardableResult
    func attempt(_ slot: inout StoreWriter?, _ body: (StoreWriter) throws(DatabaseError) -> Void) -> DatabaseError? {
        reopenIfReplaced(&slot)
        openIfNeeded(&slot)
        guard let writer = slot else { return DatabaseError(code: SQLITE_CANTOPEN, message: "not open") }
        do throws(DatabaseError) {
            try body(writer)
            return nil
        } catch let error {
            warning.log(error.asWebImageError)
            if error.isCorruption { replaceDamagedIndex(&slot) }
            return error
        }
    }

    func openIfNeeded(_ slot: inout StoreWriter?) {
        guard slot == nil else { return }
        let now = clock()
        let isDue = state.withLock { state in
            guard now >= state.nextOpening else { return false }
            state.nextOpening = now.addingTimeInterval(30)
            return true
        }
        guard isDue else { return }
        do throws(WebImageError) {
            let (folder, database) = try StoreOpening.open(path: path, fileSystemType: fileSystemType)
            let hasImports = access(folder.importedMark, F_OK) == 0
            state.withLock { $0.hasImports = hasImports }
            do throws(DatabaseError) {
                if folder.isReadOnly {
                    let opened = try StoreReader(folder: folder, database: database)
                    reader.withLock { $0 = opened }
                    throw DatabaseError(code: SQLITE_READONLY, message: "the folder is read-only")
                }
                let opened = try StoreWriter(folder: folder, database: database)
                let reading = try StoreReader(
                    folder: folder, database: Database(path: folder.index, mode: .readWrite))
                slot = opened
                reader.withLock { $0 = reading }
            } catch let error {
                throw error.asWebImageError
            }
        } catch let error {
            warning.log(error)
        }
    }

    /// Closes the index if its path no longer names the opened file. This happens if a person cleared the cache
    /// folder, or if another process renamed a damaged index.
    private func reopenIfReplaced(_ slot: inout StoreWriter?) {
        guard let writer = slot, writer.folder.indexInode != writer.indexInode else { return }
        close(&slot)
    }

    /// Renames a damaged index and opens a new index. Does not rename an index that another process has already
    /// replaced.
    private func replaceDamagedIndex(_ slot: inout StoreWriter?) {
        guard let (folder, inode) = slot.map({ ($0.folder, $0.indexInode) }) else { return }
        close(&slot)
        StoreOpening.setAside(folder, inode: inode)
        openIfNeeded(&slot)
    }

    /// Removes the index and every value, and opens a new index.
    func discard(_ slot: inout StoreWriter?) {
        guard let (folder, inode) = slot.map({ ($0.folder, $0.indexInode) }) else { return }
        close(&slot)
        StoreOpening.setAside(folder, inode: inode)
        unlink(folder.index + StoreFormat.damagedSuffix)
        openIfNeeded(&slot)
    }

    private func close(_ slot: inout StoreWriter?) {
        reader.withLock { $0 = nil }
        slot = nil
        state.withLock { $0.nextOpening = .distantPast }
    }
}
