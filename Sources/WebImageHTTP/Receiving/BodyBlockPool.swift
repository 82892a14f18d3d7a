import Foundation
import WebImageCore

/// Allocates memory for bodies; while transfers run, large freed blocks are kept for the next body.
///
/// The system clears every page that it provides, with one page fault each. For a body of several megabytes that costs
/// more than receiving it. Safe on any thread.
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

    /// Bytes from which on blocks are mapped; the allocator handles smaller ones well.
    private static let minMapped = 256 * 1024
    private static let hugePage = 2 << 20
    private static let maxSpareBytes = 32 << 20
    private let state = Locked(State())

    init() { _ = Self.allocatorKnowsSizes }

    /// The allocator maps a block that is larger than every block freed before, and unmaps it when freed
    /// (`M_MMAP_THRESHOLD` in mallopt(3), adjusted by each free). Images need such blocks all the time, so one free
    /// here raises the threshold before the first body.
    private static let allocatorKnowsSizes: Void = {
        // Not `malloc`: the compiler removes a `malloc` that is directly followed by `free`.
        var block: UnsafeMutableRawPointer?
        if posix_memalign(&block, 16, minMapped) == 0 { free(block) }
    }()

    /// Whether freed blocks are kept, up to 32 MiB in all; turning it off frees them.
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

    /// Returns memory for at least `count` bytes; nil when the system has none.
    func block(_ count: Int) -> BodyBlock? {
        if count < Self.minMapped { return malloc(count).map { BodyBlock($0, capacity: count, pool: nil) } }
        if let spare = takeSpare(count) { return BodyBlock(spare.start, capacity: spare.capacity, pool: self) }
        let page = 4096
        let capacity = (count + page - 1) / page * page
        guard let start = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return nil }
        // Where the kernel supports it, one page fault covers 2 MiB; elsewhere this changes nothing.
        if capacity >= Self.hugePage { madvise(start, capacity, MADV_HUGEPAGE) }
        HandleLedger.opened("body block")
        return BodyBlock(start, capacity: capacity, pool: self)
    }

    /// Takes the smallest spare that is large enough, but at most twice as large as needed.
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

/// Owns memory for the bytes of one body and returns it after their last use.
final class BodyBlock: @unchecked Sendable {
    // Unchecked is correct because each byte is written once, by the one thread that fills the block, before other
    // threads can read it.
    let start: UnsafeMutableRawPointer
    let capacity: Int
    /// Nil for a block from `malloc`.
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

    /// Returns bytes that have been written, without a copy.
    func data(_ range: Range<Int>) -> Data {
        guard !range.isEmpty else { return Data() }
        return Data(
            bytesNoCopy: start + range.lowerBound, count: range.count,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}
