import CWebImageSQLite
import Dispatch
import Foundation
import WebImageCore
import WebImageLoading

/// The implementation of ``DiskCache``. It is a separate object, because background work may retain it after the cache
/// was released. Closing waits for a running commit or checkpoint.
final class DiskStore: Sendable {
    let path: String
    let clock: @Sendable () -> Date
    let fileSystemType: StoreFolder.FileSystemType
    let state: Locked<State>
    /// Lock order: writer, reader, state.
    let writer = Locked<StoreWriter?>(nil)
    let reader = Locked<StoreReader?>(nil)
    let queue = DispatchQueue(label: "webimage.disk-cache.flush", qos: .utility)
    let warning: FailureLog
    /// The queue for checkpoints of the log. Because they run here, a commit usually does not wait for the disk.
    let checkpointQueue = DispatchQueue(label: "webimage.disk-cache.fold", qos: .utility)
    /// Whether checkpoints are allowed. The lock is held during a checkpoint, so that closing waits for the end
    /// of the checkpoint.
    let checkpointing = Locked(true)

    struct State {
        var config: ImageCacheConfig
        var pending = PendingWrites()
        /// The batch that is being committed. Reads use it until the commit has ended.
        var committing = PendingWrites()
        var isFlushScheduled = false
        var isAccessFlushScheduled = false
        var isCheckpointScheduled = false
        /// Whether the cache contains imported files. If it does, an entry that is not found under its key may be
        /// stored under a provisional key.
        var hasImports = false
        var nextOpening = Date.distantPast
        var nextMaintenance = Date.distantPast
        /// The shard whose orphaned files were removed last. The initial shard is random, so that short-lived processes
        /// together cover all shards.
        var shard = UInt8.random(in: .min ... .max)
    }

    /// The maximum number of bytes that wait for a commit (16 MiB). Above this limit, the thread that stores a value
    /// performs the commit.
    static let pendingLimit = 16 << 20
    /// The part of ``pendingLimit`` that a cache with a small size limit uses.
    private static func pendingLimit(of config: ImageCacheConfig) -> Int {
        config.maxDiskSize > 0 ? FolderBudget(limit: config.maxDiskSize).pendingBytes : pendingLimit
    }
    static let pendingAccessLimit = 512
    /// The time for which changes are collected before a commit. One commit for several changes costs less, because
    /// each commit writes several pages and wakes a thread.
    static let collectingTime = DispatchTimeInterval.milliseconds(50)

    init?(
        cachePath: String, config: ImageCacheConfig, clock: @escaping @Sendable () -> Date,
        fileSystemType: @escaping StoreFolder.FileSystemType = StoreFolder.realFileSystemType
    ) {
        guard cachePath.hasPrefix("/"), !cachePath.utf8.contains(0) else { return nil }
        path = cachePath
        self.clock = clock
        self.fileSystemType = fileSystemType
        state = Locked(State(config: config))
        warning = FailureLog(subject: "disk cache \(cachePath)")
        writer.withLock { openIfNeeded(&$0) }
    }

    // MARK: Reading

    func containsData(forKey key: String) -> Bool {
        contains(KeyHash(key)) || containsImport(key)
    }

    func contains(_ hash: KeyHash) -> Bool {
        if let waiting = waiting(hash) { return waiting.data != nil && !waiting.isExpired(at: clock()) }
        let now = milliseconds()
        return read { reader throws(DatabaseError) in try reader.contains(hash, now: now) } ?? false
    }

    func data(forKey key: String) -> Data? { entry(forKey: key)?.data }

    /// Returns an entry: bytes, record, extended data and metadata. Costs one digest of the key and one query.
    func entry(forKey key: String) -> EncodedResource? { stored(KeyHash(key)) ?? adopt(key) }

    func stored(_ hash: KeyHash) -> EncodedResource? {
        var failed: Int?
        while true {
            let (waiting, beside) = state.withLock { ($0.waiting(hash), $0.companions(hash)) }
            if let waiting {
                guard !waiting.isExpired(at: clock()), let data = waiting.data else { return nil }
                return resource(data, waiting.record, beside: beside, row: nil)
            }
            guard let (folder, entry) = find(hash), !entry.isExpired(at: clock()) else { return nil }
            // Read again if the pending companions have changed. In this case, a commit or a new write happened between
            // the two reads, so `beside` and the row may belong to different states of the entry.
            guard state.withLock({ $0.companions(hash) }) == beside else { continue }
            switch entry.value(in: folder) {
            case .data(let data): return resource(recordAccess(hash, data), entry.record, beside: beside, row: entry)
            case .unavailable: return nil
            // The entry may have been replaced after its row was read. The new row then names a new file. Read again.
            case .wrong where failed != entry.generation: failed = entry.generation
            case .wrong:
                write { writer throws(DatabaseError) in try writer.remove(row: entry.id, generation: entry.generation) }
                return nil
            }
        }
    }

    /// Returns an entry with its pending companions. A companion without a pending change is taken from the row.
    private func resource(
        _ data: Data, _ record: EntryRecord, beside: PendingWrites.Companions, row: StoredEntry?
    ) -> EncodedResource {
        var resource = EncodedResource(
            data: data, metadata: beside.metadata.data(else: row?.metadata),
            extended: beside.extended.data(else: row?.extended))
        resource.record = record
        return resource
    }

    func record(forKey key: String) -> EntryRecord? {
        let hash = KeyHash(key)
        if let waiting = waiting(hash) { return waiting.data == nil ? nil : waiting.record }
        return read { reader throws(DatabaseError) in try reader.record(hash) } ?? nil
    }

    /// Returns the path of the file that contains the bytes of an entry. Nil if there is no entry, or if the bytes
    /// are small and therefore stored in the index.
    func cachePath(forKey key: String) -> String? {
        let hash = KeyHash(key)
        if waiting(hash) != nil { flush() }
        guard let found = find(hash) else { return nil }
        return found.entry.file.flatMap(found.folder.file)
    }

    // MARK: Writing

    func setData(_ data: Data?, forKey key: String, record: EntryRecord = .named, metadata: Data? = nil) {
        guard let data else { return removeData(forKey: key) }
        enqueue(data, forKey: key, record: record, metadata: metadata)
        forgetImport(key)
    }

    func removeData(forKey key: String) {
        enqueue(nil, forKey: key)
        forgetImport(key)
    }

    func awaitsRemoval(ofKey key: String) -> Bool { waiting(KeyHash(key)).map { $0.data == nil } ?? false }

    func removeVariants(of source: KeyFingerprint) {
        // Commit first, because only the index finds entries by their original.
        flush()
        write { writer throws(DatabaseError) in try writer.removeVariants(of: source) }
    }

    func removeAllData() {
        writer.withLock { slot in
            state.withLock { $0.pending = PendingWrites() }
            if attempt(&slot, { writer throws(DatabaseError) in try writer.removeAll() }) == nil { return }
            // On a full disk, SQLite has no space to log a removal, but the files can still be removed.
            discard(&slot)
        }
    }

    var config: ImageCacheConfig { state.withLock { $0.config } }

    /// Sets new limits. They apply from the next commit.
    func configDidChange(_ config: ImageCacheConfig) {
        state.withLock {
            $0.config = config
            $0.nextMaintenance = .distantPast
        }
    }

    // MARK: Parts

    func waiting(_ key: KeyHash) -> PendingWrite? {
        state.withLock { $0.waiting(key) }
    }

    private func find(_ key: KeyHash) -> (folder: StoreFolder, entry: StoredEntry)? {
        read { reader throws(DatabaseError) in try reader.entry(key).map { (reader.folder, $0) } } ?? nil
    }

    private func recordAccess(_ key: KeyHash, _ data: Data) -> Data {
        let time = milliseconds()
        let (isFirst, isMany) = state.withLock { state in
            state.pending.noteAccess(key, at: time)
            let isFirst = !state.isAccessFlushScheduled
            state.isAccessFlushScheduled = true
            return (isFirst, state.pending.accesses.count >= Self.pendingAccessLimit)
        }
        if isMany { scheduleFlush() }
        if isFirst { queue.asyncAfter(deadline: .now() + 5) { [weak self] in self?.flush() } }
        return data
    }

    /// Records uses that need no read. The access dates are written with the next commit.
    func noteUses(ofKeys keys: [String]) {
        let time = milliseconds()
        state.withLock { state in
            for key in keys.map({ KeyHash($0) }) where state.pending.writes[key] == nil {
                state.pending.noteAccess(key, at: time)
            }
        }
    }

    func enqueue(_ data: Data?, forKey key: String, record: EntryRecord = .named, metadata: Data? = nil) {
        let hash = KeyHash(key)
        let time = milliseconds()
        let isTooMuch = state.withLock { state in
            let name = state.config.diskCacheStoresPlainKeys ? key : nil
            state.pending.put(PendingWrite(data: data, time: time, name: name, record: record), for: hash)
            if let metadata {
                state.pending.put(.init(data: metadata, time: time), at: .init(key: hash, companion: .metadata))
            }
            return state.pending.byteCount > Self.pendingLimit(of: state.config)
        }
        if isTooMuch { flush() } else { scheduleFlush() }
    }

    func totals() -> (count: Int, bytes: Int) {
        flush()
        return read { reader throws(DatabaseError) in try reader.totals() } ?? (0, 0)
    }

    func scheduleFlush() {
        let isFirst = state.withLock { state in
            defer { state.isFlushScheduled = true }
            return !state.isFlushScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.collectingTime) { [weak self] in self?.flush() } }
    }

    func milliseconds() -> Int { Int(clock().timeIntervalSince1970 * 1000) }
}

/// Reads and writes companions (the extended data and the metadata of an entry) and pixel sizes. A pixel size remains
/// after its entry was removed.
extension DiskStore {
    /// Returns the extended data or metadata of an entry.
    func companion(_ companion: Companion, forKey key: String) -> Data? {
        let hash = KeyHash(key)
        switch state.withLock({ $0.answer(companion, of: hash) }) {
        case .known(let data): return data
        case .knownForExistingEntry(let data): return contains(hash) ? data : nil
        case .unknown: return read { reader throws(DatabaseError) in try reader.companion(companion, of: hash) } ?? nil
        }
    }

    /// Stores the extended data or metadata of an existing entry; nil removes it. The change is committed together with
    /// earlier writes.
    func setCompanion(_ companion: Companion, _ data: Data?, forKey key: String) {
        let place = PendingWrites.CompanionKey(key: KeyHash(key), companion: companion)
        let addition = PendingWrites.Addition(data: data, time: milliseconds())
        let isTooMuch = state.withLock { state in
            state.pending.put(addition, at: place)
            return state.pending.byteCount > Self.pendingLimit
        }
        if isTooMuch { flush() } else { scheduleFlush() }
    }

    /// Stores the pixel size of a key's image. The key need not have an entry. If the key has an entry, the size
    /// remains after the entry was removed.
    func setPixelSize(_ size: PixelSize, forKey key: String) {
        let hash = KeyHash(key)
        state.withLock { $0.pending.put(size, for: hash) }
        scheduleFlush()
    }

    /// Returns the stored pixel size of a key's image. Costs one query in the index.
    func pixelSize(forKey key: String) -> PixelSize? {
        let hash = KeyHash(key)
        if let waiting = state.withLock({ $0.pending.sizes[hash] ?? $0.committing.sizes[hash] }) { return waiting }
        return read { reader throws(DatabaseError) in try reader.pixelSize(hash) } ?? nil
    }
}

extension DiskStore.State {
    /// Returns the uncommitted write of an entry; nil if there is none.
    func waiting(_ key: KeyHash) -> PendingWrite? { pending.writes[key] ?? committing.writes[key] }

    /// Returns the pending state of both companions of an entry.
    func companions(_ key: KeyHash) -> PendingWrites.Companions {
        PendingWrites.Companions(extended: answer(.extended, of: key), metadata: answer(.metadata, of: key))
    }

    /// Returns the pending state of one companion of an entry.
    func answer(_ companion: Companion, of key: KeyHash) -> PendingWrites.Answer {
        let place = PendingWrites.CompanionKey(key: key, companion: companion)
        if case .unknown = pending.answer(at: place) { return committing.answer(at: place) }
        return pending.answer(at: place)
    }
}
