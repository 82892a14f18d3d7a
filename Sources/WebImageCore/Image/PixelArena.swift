import Synchronization

/// Memory for pixels outside of the heap.
///
/// A decoder process installs the part of its memory that the host maps too. A coder then writes its picture where the
/// host reads it, and the picture is copied once instead of twice. No other process installs one.
package final class PixelArena: @unchecked Sendable {
    // Unchecked is correct because `start` never changes. The memory behind it belongs to the buffers.

    private static let isInstalled = Atomic<Bool>(false)
    private static let shared = Locked<PixelArena?>(nil)
    /// Smaller buffers stay on the heap: rows and masks need no place that another process sees.
    private static let leastByteCount = 16 << 10

    private let start: UnsafeMutableRawPointer
    private let byteCount: Int
    /// The offsets of the used blocks in order. There are few: a picture, and the canvases of animations.
    private let used = Locked<[Range<Int>]>([])

    /// Manages memory that outlives all buffers of the process. `start` is a multiple of ``PixelBuffer/alignment``.
    package init(start: UnsafeMutableRawPointer, byteCount: Int) {
        (self.start, self.byteCount) = (start, byteCount)
    }

    /// Lets all buffers that are made from now on use this memory as long as it has room.
    package func install() {
        Self.shared.withLock { $0 = self }
        Self.isInstalled.store(true, ordering: .releasing)
    }

    /// The installed arena if a buffer of this size belongs there.
    static func installed(for byteCount: Int) -> PixelArena? {
        // The flag spares the lock in all processes that have no arena.
        guard isInstalled.load(ordering: .acquiring), byteCount >= leastByteCount else { return nil }
        return shared.withLock { $0 }
    }

    /// Returns the first place that is large enough; nil if there is none.
    func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let size = (byteCount + PixelBuffer.alignment - 1) & ~(PixelBuffer.alignment - 1)
        return used.withLock { used in
            var end = 0
            var index = 0
            while index < used.count, used[index].lowerBound - end < size {
                end = used[index].upperBound
                index += 1
            }
            guard size <= self.byteCount - end else { return nil }
            used.insert(end..<end + size, at: index)
            return start + end
        }
    }

    func free(_ block: UnsafeMutableRawPointer) {
        used.withLock { used in
            if let index = used.firstIndex(where: { $0.lowerBound == block - start }) { used.remove(at: index) }
        }
    }

    /// The offset of the pixels in this memory; nil for a buffer on the heap.
    package func offset(of pixels: PixelBuffer) -> Int? {
        let offset = UInt(bitPattern: pixels.baseAddress) &- UInt(bitPattern: start)
        return offset < UInt(byteCount) ? Int(offset) : nil
    }

    /// Calls `body` with each part that no buffer uses.
    package func withUnusedParts(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        used.withLock { used in
            var end = 0
            for block in used + [byteCount..<byteCount] {
                let count = block.lowerBound - end
                if count > 0 { body(UnsafeMutableRawBufferPointer(start: start + end, count: count)) }
                end = block.upperBound
            }
        }
    }
}
