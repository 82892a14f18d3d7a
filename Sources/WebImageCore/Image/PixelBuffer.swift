import Foundation
import Synchronization

/// A rectangle of pixels that owns its memory.
///
/// Rows are stored from top to bottom. Each row starts `bytesPerRow` bytes (a multiple of 64) after the
/// previous row, and the first row starts at a 64-byte aligned address.
///
/// Exactly one decoder or filter writes a buffer, before any other code can access it. Making an ``Image``
/// from the buffer seals it: it can never be written again.
public final class PixelBuffer: @unchecked Sendable {
    // Unchecked is correct because only the producer of a buffer writes its pixels, and only before other code
    // receives the buffer. It writes through `withUnsafeMutableBytes`, or through C libraries at `baseAddress`.

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// The number of bytes from the start of one row to the start of the next row, a multiple of 64.
    public let bytesPerRow: Int
    /// The layout of a pixel.
    public let format: PixelFormat

    private let base: UnsafeMutableRawPointer
    private let sealed = Atomic<Bool>(false)

    /// The memory of the pixels in bytes.
    public var byteCount: Int { bytesPerRow * height }

    /// Allocates a buffer whose contents are undefined.
    ///
    /// - Throws: `WebImageError` with code `.badImageData` when a side is not positive, `.outOfMemory` when the allocation fails.
    ///   The caller must check limits first (see ``DecodingLimits``).
    public init(width: Int, height: Int, format: PixelFormat) throws(WebImageError) {
        let (rowBytes, rowOverflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        let (padded, paddedOverflow) = rowBytes.addingReportingOverflow(Self.alignment - 1)
        let stride = padded & ~(Self.alignment - 1)
        let (total, totalOverflow) = stride.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !rowOverflow, !paddedOverflow, !totalOverflow else {
            throw WebImageError(
                .badImageData, stage: .decode, hint: "A picture of \(width)×\(height) px has no pixels.")
        }
        guard let memory = Self.allocate(total) else {
            throw WebImageError(
                .outOfMemory, stage: .decode,
                underlying: .posix(errno: ENOMEM, message: "cannot allocate \(total) bytes"),
                hint: "Decode at a smaller size, or lower DecodingLimits.maxPixels.")
        }
        self.width = width
        self.height = height
        self.bytesPerRow = stride
        self.format = format
        base = memory
    }

    // The queue is serial, because a serial queue does not use a thread of Swift's cooperative pool.
    private static let freeing = DispatchQueue(label: "webimage.pixels", qos: .utility)

    deinit {
        let base = ForeignMemory(base)
        // Do not free large buffers on the main thread, which may be drawing: returning megabytes to the
        // kernel can take milliseconds.
        if byteCount >= Self.largeByteCount, MainThread.isCurrent {
            Self.freeing.async { free(base.pointer) }
        } else {
            free(base.pointer)
        }
    }

    /// Calls `body` with the pixels for reading. The pointer is valid only inside `body`.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// Calls `body` with the pixels for writing. Only the producer of the buffer may call it, before other
    /// code receives the buffer. Traps if the buffer is sealed.
    public func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(
            !isSealed, "the pixels of an image cannot be written: write them before making an image of the buffer")
        return try body(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
    }

    /// Whether an image uses these pixels. They must not be written any more.
    public var isSealed: Bool { sealed.load(ordering: .acquiring) }

    /// Permanently forbids writing through ``withUnsafeMutableBytes(_:)``.
    func seal() { sealed.store(true, ordering: .releasing) }

    /// The address of the first pixel, valid as long as the buffer exists. For C objects that store it, such
    /// as a texture.
    package var baseAddress: UnsafeMutableRawPointer { base }

    static let alignment = 64
    static let largeByteCount = 1 << 20
    private static let hugePageByteCount = 2 << 20

    private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, alignment, byteCount) == 0, let memory else { return nil }
        // Advise the kernel to use huge pages: the first write to the pixels of a photo then causes a dozen
        // page faults instead of thousands. The block itself is not aligned to huge pages, because the
        // allocator could then not reuse recently freed blocks.
        let start = (UInt(bitPattern: memory) + UInt(hugePageByteCount - 1)) & ~UInt(hugePageByteCount - 1)
        let end = (UInt(bitPattern: memory) + UInt(byteCount)) & ~UInt(hugePageByteCount - 1)
        if end > start { madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE) }
        return memory
    }
}

/// A wrapper that makes a pointer `Sendable`, to send it to the queue that frees it.
private struct ForeignMemory: @unchecked Sendable {
    // Unchecked is correct because only the `deinit` that sends the pointer had access to it.
    let pointer: UnsafeMutableRawPointer
    init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
}
