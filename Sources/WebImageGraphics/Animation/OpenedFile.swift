package import Foundation
package import WebImageCore

/// A reader of a C library, and the copy of the file's bytes that it reads.
package final class OpenedFile<Reader> {
    package let reader: Reader
    private let file: PinnedBytes

    /// - Parameter open: Makes the reader of the copied bytes. They exist as long as this object.
    package init(
        copying data: Data, open: (UnsafeRawBufferPointer) throws(WebImageError) -> Reader
    ) throws(WebImageError) {
        file = PinnedBytes(copying: data)
        reader = try open(file.bytes)
    }
}
