package import Foundation

/// A copy of a file's bytes at a fixed address, for C libraries that keep the address and read from it later.
package final class PinnedBytes {
    /// The bytes. The pointer is valid as long as this object exists.
    package let bytes: UnsafeRawBufferPointer

    package init(copying data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
