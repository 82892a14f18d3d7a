import Foundation
import WebImageCore

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
