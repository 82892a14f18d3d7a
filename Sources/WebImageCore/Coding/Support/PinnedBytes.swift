package import Foundation

/// A copy of a file's bytes at a fixed address, for libraries that store the address they read from.
package final class PinnedBytes {
    /// Valid while this object lives.
    package let bytes: UnsafeRawBufferPointer

    package init(copying data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
