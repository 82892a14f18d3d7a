import Foundation
import WebImageCore

/// The memory of received bulk strings. Memory of a released `Data` is used again for the next string of its size.
///
/// `free(3)` returns the end of a heap to the system, and the next string then needs new pages: for strings of 20 KB that
/// takes as long as all other work of the connection's thread, and 200 KB are read in two thirds of the time. Memory that was
/// released last is used first, because the processor still caches it.
final class BulkMemory: Sendable {
    private struct State {
        /// Unused memory by its size in units of ``unit``.
        var unused: [Int: [UnsafeMutableRawPointer]] = [:]
        var byteCount = 0
    }

    /// Sizes are rounded up to a multiple of this, in bytes.
    private static let unit = 4096
    /// Shorter and longer strings are not kept: the heap serves the first well, and the second have memory of their own.
    private static let sizes = unit...(1 << 20)
    /// The most bytes of unused memory.
    static let most = 4 << 20

    private let state = Locked(State())

    /// The number of bytes of unused memory.
    var byteCount: Int { state.withLock { $0.byteCount } }

    deinit { Self.free(state.withLock { $0.unused }) }

    /// Returns memory for `count` bytes; nil if there is none. Give it back with ``release(_:of:)``.
    func memory(for count: Int) -> UnsafeMutableRawPointer? {
        guard Self.sizes.contains(count) else { return malloc(count) }
        let units = (count + Self.unit - 1) / Self.unit
        let known = state.withLock { state -> UnsafeMutableRawPointer? in
            guard let known = state.unused[units]?.popLast() else { return nil }
            state.byteCount -= units * Self.unit
            return known
        }
        return known ?? malloc(units * Self.unit)
    }

    /// Takes memory back, on any thread.
    func release(_ memory: UnsafeMutableRawPointer, of count: Int) {
        guard Self.sizes.contains(count) else { return Foundation.free(memory) }
        let units = (count + Self.unit - 1) / Self.unit
        let old = state.withLock { state -> [Int: [UnsafeMutableRawPointer]] in
            var old: [Int: [UnsafeMutableRawPointer]] = [:]
            // The strings may have other sizes by now, so no size keeps its place.
            if state.byteCount + units * Self.unit > Self.most {
                (old, state.unused, state.byteCount) = (state.unused, [:], 0)
            }
            state.unused[units, default: []].append(memory)
            state.byteCount += units * Self.unit
            return old
        }
        Self.free(old)
    }

    private static func free(_ memory: [Int: [UnsafeMutableRawPointer]]) {
        for pointer in memory.values.joined() { Foundation.free(pointer) }
    }
}
