import Foundation
import WebImageCore
import WebImageLoading

/// The received bytes of one body. They are in memory up to a limit; a longer body is moved to an unnamed
/// file.
///
/// Only one caller at a time may append. Writing to a file does not block readers. Any thread may read the
/// received bytes.
final class ReceivedBody: Sendable {
    /// The maximum number of bytes in memory, the allocator of that memory, and the folder of the files for longer
    /// bodies.
    struct Storage: Sendable {
        var maxBytesInMemory: Int
        var folder: String
        var blocks: BodyBlockPool
    }

    private struct State {
        var count = 0
        var block: BodyBlock?
        var file: UnnamedFile?
        /// Whether writing to a file failed. If true, the bytes stay in memory, without the limit `maxBytesInMemory`.
        var hasNoFile = false
        var listeners: [@Sendable () -> Void] = []

        var memory: Data { block?.data(0..<count) ?? Data() }

        /// Appends bytes in memory. Returns false if no memory is available.
        mutating func keep(_ bytes: UnsafeRawBufferPointer, _ blocks: BodyBlockPool) -> Bool {
            let needed = count + bytes.count
            if needed > block?.capacity ?? 0 {
                // At least double the capacity, so that a body of unknown length is copied only a few times.
                guard let longer = blocks.block(max(needed, 2 * (block?.capacity ?? 0))) else { return false }
                if let block { longer.write(UnsafeRawBufferPointer(start: block.start, count: count), at: 0) }
                block = longer
            }
            block?.write(bytes, at: count)
            count = needed
            return true
        }
    }

    private enum Step {
        case isTaken
        /// Move the received bytes and the new bytes to a file.
        case move(Data)
        case write(UnnamedFile, at: Int)
    }

    private static let maxSetAside = 1 << 30
    private let storage: Storage
    private let state = Locked(State())

    /// - Parameter expected: The declared length in bytes. If the length is within the limit for memory, address space
    ///   for all bytes is reserved. The system provides memory only for pages that are written.
    init(_ storage: Storage, expected: Int = 0) {
        self.storage = storage
        // A server may declare a very large length. Reserve nothing if the length exceeds 1 GiB.
        guard expected > 0, expected <= min(storage.maxBytesInMemory, Self.maxSetAside) else { return }
        state.withLock { $0.block = storage.blocks.block(expected) }
    }

    var count: Int { state.withLock { $0.count } }

    /// Appends bytes in memory or in the file. If the disk is full or read-only, all bytes stay in memory.
    ///
    /// - Throws: `.fileSystem` if written bytes cannot be read back, or if neither a file nor memory is available.
    func append(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        try store(bytes)
        for listener in state.withLock({ $0.listeners }) { listener() }
    }

    /// This body for readers that follow its growth.
    var growing: GrowingBody {
        GrowingBody(
            id: ObjectIdentifier(self), count: { self.count }, piece: { self.piece(from: $0) },
            whenGrown: { listener in self.state.withLock { $0.listeners.append(listener) } })
    }

    private func store(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let step = state.withLock { state -> Step in
            if let file = state.file { return .write(file, at: state.count) }
            let mayStay = state.hasNoFile || state.count + bytes.count <= storage.maxBytesInMemory
            return mayStay && state.keep(bytes, storage.blocks) ? .isTaken : .move(state.memory)
        }
        switch step {
        case .isTaken: break
        case .move(let memory): try move(memory, and: bytes)
        case .write(let file, let offset):
            if file.write(bytes, at: offset) { return state.withLock { $0.count += bytes.count } }
            try moveToMemory(try file.read(0..<offset), and: bytes)
        }
    }

    private func move(_ memory: Data, and bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        if let file = UnnamedFile(in: storage.folder),
            memory.withUnsafeBytes({ file.write($0, at: 0) }) && file.write(bytes, at: memory.count)
        {
            return state.withLock { state in
                (state.file, state.block) = (file, nil)
                state.count += bytes.count
            }
        }
        let isKept = state.withLock { state in
            state.hasNoFile = true
            return state.keep(bytes, storage.blocks)
        }
        if !isKept { throw Self.noRoom }
    }

    /// Moves the bytes of a file back into memory after a write to the file failed, and appends the new bytes.
    private func moveToMemory(_ memory: Data, and bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let isKept = state.withLock { state in
            (state.file, state.count, state.hasNoFile) = (nil, 0, true)
            return memory.withUnsafeBytes { state.keep($0, storage.blocks) } && state.keep(bytes, storage.blocks)
        }
        if !isKept { throw Self.noRoom }
    }

    private static var noRoom: WebImageError {
        .posix(ENOMEM, stage: .download, url: nil, hint: "Neither memory nor a file is available for the body.")
    }

    /// Returns the bytes that were received after the first `offset` bytes; empty if there are none. For a body in a
    /// file, one call returns at most 256 KiB, so call this function repeatedly to read all bytes.
    func piece(from offset: Int) -> Data {
        let (block, file, end) = state.withLock { ($0.block, $0.file, $0.count) }
        guard offset < end else { return Data() }
        guard let file else { return block?.data(offset..<end) ?? Data() }
        return (try? file.read(offset..<min(end, offset + Self.maxPiece))) ?? Data()
    }

    private static let maxPiece = 256 * 1024

    /// Returns the first `count` received bytes, or all received bytes if `count` is nil. Bytes in a file are
    /// memory-mapped and not copied.
    ///
    /// - Throws: `.fileSystem` if the file cannot be mapped.
    func data(_ count: Int? = nil) throws(WebImageError) -> Data {
        let (block, file, all) = state.withLock { ($0.block, $0.file, $0.count) }
        let wanted = min(count ?? all, all)
        guard let file else { return block?.data(0..<wanted) ?? Data() }
        return try file.mapped(wanted)
    }
}

/// Allocates memory for bodies. While transfers run, it keeps large freed blocks and reuses them for later
/// bodies.
///
/// For each page of new memory, the system handles a page fault and clears the page. For a body of several megabytes,
/// this work takes longer than receiving the body. All members may be used on any thread.
final class BodyBlockPool: Sendable {
    private struct Spare {
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }

    private struct State {
        var spares: [Spare] = []
        var bytes = 0
        var keepsSpares = false
    }

    /// The minimum size in bytes of blocks that are allocated with `mmap`. `malloc` is fast enough for smaller blocks.
    private static let minMapped = 256 * 1024
    private static let hugePage = 2 << 20
    private static let maxSpareBytes = 32 << 20
    private let state = Locked(State())

    init() { _ = Self.allocatorKnowsSizes }

    /// Raises the minimum size of blocks for which `malloc` uses `mmap`, by allocating and freeing one block.
    ///
    /// For blocks larger than `M_MMAP_THRESHOLD`, `malloc` uses `mmap`, which is slow. Images often need such blocks.
    /// When such a block is freed, the threshold rises to the size of the block (mallopt(3)).
    private static let allocatorKnowsSizes: Void = {
        // Do not use `malloc`, because the compiler removes a `malloc` that is directly followed by `free`.
        var block: UnsafeMutableRawPointer?
        if posix_memalign(&block, 16, minMapped) == 0 { free(block) }
    }()

    /// Whether freed blocks are kept for reuse, up to a total of 32 MiB. Setting this property to false frees the kept
    /// blocks.
    var keepsSpares: Bool {
        get { state.withLock { $0.keepsSpares } }
        set {
            let spares = state.withLock { state in
                state.keepsSpares = newValue
                guard !newValue else { return [Spare]() }
                defer { (state.spares, state.bytes) = ([], 0) }
                return state.spares
            }
            for spare in spares { Self.unmap(spare) }
        }
    }

    /// Returns memory for at least `count` bytes; nil if no memory is available.
    func block(_ count: Int) -> BodyBlock? {
        if count < Self.minMapped { return malloc(count).map { BodyBlock($0, capacity: count, pool: nil) } }
        if let spare = takeSpare(count) { return BodyBlock(spare.start, capacity: spare.capacity, pool: self) }
        let page = 4096
        let capacity = (count + page - 1) / page * page
        guard let start = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return nil }
        // With huge pages, one page fault provides 2 MiB. This has no effect if the kernel does not support them.
        if capacity >= Self.hugePage { madvise(start, capacity, MADV_HUGEPAGE) }
        HandleLedger.opened("body block")
        return BodyBlock(start, capacity: capacity, pool: self)
    }

    /// Removes and returns the smallest kept block that has at least `count` and at most twice `count` bytes; nil if
    /// there is none.
    private func takeSpare(_ count: Int) -> Spare? {
        state.withLock { state in
            let fitting = state.spares.indices.filter { count...count * 2 ~= state.spares[$0].capacity }
            guard let best = fitting.min(by: { state.spares[$0].capacity < state.spares[$1].capacity }) else {
                return nil
            }
            state.bytes -= state.spares[best].capacity
            return state.spares.remove(at: best)
        }
    }

    fileprivate func takeBack(_ start: UnsafeMutableRawPointer, capacity: Int) {
        let spare = Spare(start: start, capacity: capacity)
        let isKept = state.withLock { state in
            guard state.keepsSpares, state.bytes + capacity <= Self.maxSpareBytes else { return false }
            state.spares.append(spare)
            state.bytes += capacity
            return true
        }
        if !isKept { Self.unmap(spare) }
    }

    private static func unmap(_ spare: Spare) {
        munmap(spare.start, spare.capacity)
        HandleLedger.closed("body block")
    }

    deinit { keepsSpares = false }
}

/// Owns memory for the bytes of one body. After the last use of the bytes, the memory returns to the pool or is freed.
final class BodyBlock: @unchecked Sendable {
    // Unchecked is correct because only one thread at a time fills the block. Each byte is written once, before other
    // threads can read it.
    let start: UnsafeMutableRawPointer
    let capacity: Int
    /// The pool to which the memory returns; nil for a block from `malloc`.
    private let pool: BodyBlockPool?

    fileprivate init(_ start: UnsafeMutableRawPointer, capacity: Int, pool: BodyBlockPool?) {
        self.start = start
        self.capacity = capacity
        self.pool = pool
    }

    deinit {
        if let pool { pool.takeBack(start, capacity: capacity) } else { free(start) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let source = bytes.baseAddress else { return }
        (start + offset).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Returns a range of the written bytes without copying them. The returned data retains the block.
    func data(_ range: Range<Int>) -> Data {
        guard !range.isEmpty else { return Data() }
        return Data(
            bytesNoCopy: start + range.lowerBound, count: range.count,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}
