import Foundation
import Synchronization

/// A rectangle of pixels that owns its memory.
///
/// Rows are stored from top to bottom. Each row starts `bytesPerRow` bytes (a multiple of 64) after the
/// previous row, and the first row starts at a 64-byte aligned address.
///
/// Exactly one decoder or filter writes a buffer. It is called the producer. The producer writes all pixels before
/// other code can access the buffer. Making an ``Image`` from the buffer seals the buffer: its pixels can never be
/// written again.
public final class PixelBuffer: @unchecked Sendable {
    // Unchecked is correct because only the producer of a buffer writes its pixels, and only before other code
    // receives the buffer. The producer calls `withUnsafeMutableBytes`, or passes `baseAddress` to a C library.

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// The number of bytes from the start of one row to the start of the next row, a multiple of 64.
    public let bytesPerRow: Int
    /// The layout of a pixel.
    public let format: PixelFormat

    private let base: UnsafeMutableRawPointer
    /// The owner of the memory if it is not on the heap.
    private let arena: PixelArena?
    private let sealed = Atomic<Bool>(false)

    /// The size of the pixels in bytes, including the padding of the rows.
    public var byteCount: Int { bytesPerRow * height }

    /// Allocates a buffer whose contents are undefined.
    ///
    /// The caller must check the ``DecodingLimits`` first.
    ///
    /// - Throws: `WebImageError` with the code `.badImageData` when a side is not positive or the size overflows.
    ///   `WebImageError` with the code `.outOfMemory` when the allocation fails.
    public init(width: Int, height: Int, format: PixelFormat) throws(WebImageError) {
        let (rowBytes, rowOverflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        let (padded, paddedOverflow) = rowBytes.addingReportingOverflow(Self.alignment - 1)
        let stride = padded & ~(Self.alignment - 1)
        let (total, totalOverflow) = stride.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !rowOverflow, !paddedOverflow, !totalOverflow else {
            throw WebImageError(
                .badImageData, stage: .decode, hint: "A picture of \(width)×\(height) px has no pixels.")
        }
        let arena = PixelArena.installed(for: total)
        let place = arena?.allocate(total)
        guard let memory = place ?? Self.allocate(total) else {
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
        self.arena = place == nil ? nil : arena
    }

    // The queue is serial, because a serial queue does not use a thread of Swift's cooperative pool.
    private static let freeing = DispatchQueue(label: "webimage.pixels", qos: .utility)

    deinit {
        if let arena { return arena.free(base) }
        let base = ForeignMemory(base)
        // Do not free large buffers on the main thread: returning megabytes to the kernel can take
        // milliseconds and delay drawing.
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

    /// Calls `body` with the pixels for writing. Only the producer of the buffer may call this method, and only
    /// before other code receives the buffer. Traps if the buffer is sealed. The pointer is valid only inside `body`.
    public func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(
            !isSealed, "the pixels of an image cannot be written: write them before making an image of the buffer")
        return try body(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
    }

    /// Whether an image uses these pixels. If true, the pixels must not be written any more.
    public var isSealed: Bool { sealed.load(ordering: .acquiring) }

    /// Permanently forbids writing through ``withUnsafeMutableBytes(_:)``.
    func seal() { sealed.store(true, ordering: .releasing) }

    /// The address of the first pixel, for C objects that store the address, such as a texture. The address is valid
    /// as long as the buffer exists.
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

/// A wrapper that makes a pointer `Sendable`, so that the queue that frees the memory can receive the pointer.
private struct ForeignMemory: @unchecked Sendable {
    // Unchecked is correct because only the `deinit` that sends the pointer had access to the memory.
    let pointer: UnsafeMutableRawPointer
    init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
}

/// The memory layout of one pixel.
public enum PixelFormat: Int, Sendable, Hashable, CaseIterable {
    /// Blue, green, red, alpha, 8 bits each. The colours are premultiplied by alpha. This is the display
    /// format, which Cairo uses without conversion.
    case bgra8Premultiplied
    /// Red, green, blue, alpha, 8 bits each. The colours are not premultiplied. A lossless conversion requires this
    /// layout, because premultiplication rounds the colours.
    case rgba8
    /// Red, green, blue, 8 bits each.
    case rgb8
    /// One grey channel of 8 bits.
    case gray8
    /// Red, green, blue, alpha, 16 bits each in the byte order of the host. The colours are not premultiplied.
    case rgba16
    /// Red, green, blue, alpha as half-precision numbers (IEEE 754 binary16) in the byte order of the host.
    /// The colours are not premultiplied.
    ///
    /// The value 1 corresponds to 65535 in ``rgba16``. Values outside 0…1 are kept if the decoder returns them.
    case rgbaHalf

    /// The number of bytes per pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .bgra8Premultiplied, .rgba8: 4
        case .rgb8: 3
        case .gray8: 1
        case .rgba16, .rgbaHalf: 8
        }
    }

    /// The number of channels per pixel, including alpha.
    public var channelCount: Int {
        switch self {
        case .bgra8Premultiplied, .rgba8, .rgba16, .rgbaHalf: 4
        case .rgb8: 3
        case .gray8: 1
        }
    }

    /// The number of bits per channel.
    public var bitsPerComponent: Int { self == .rgba16 || self == .rgbaHalf ? 16 : 8 }

    /// Whether channels are floating-point numbers.
    public var isFloatingPoint: Bool { self == .rgbaHalf }

    /// Whether a pixel can be transparent.
    public var hasAlpha: Bool { channelCount == 4 }

    /// Whether the colours are premultiplied by alpha.
    public var isPremultiplied: Bool { self == .bgra8Premultiplied }
}
