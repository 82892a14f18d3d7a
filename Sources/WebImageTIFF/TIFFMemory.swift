import CWebImageTIFF
import Foundation

/// The memory that libtiff reads and writes instead of a file. This class also receives the error messages of libtiff.
final class TIFFMemory {
    private let bytes: UnsafeRawBufferPointer
    private(set) var written = Data()
    private var position = 0
    private var isWriting = false
    /// The last error message of libtiff.
    private(set) var message: String?

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Opens a libtiff handle for this memory. The handle must be closed before this object is released, because
    /// libtiff stores the object's address.
    func open(_ libtiff: TIFFFunctions, mode: String, maxAllocation: Int) -> OpaquePointer? {
        isWriting = mode == "w"
        let options = libtiff.TIFFOpenOptionsAlloc()
        defer { libtiff.TIFFOpenOptionsFree(options) }
        let me = Unmanaged.passUnretained(self).toOpaque()
        libtiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, tmsize_t(maxAllocation))
        libtiff.TIFFOpenOptionsSetErrorHandlerExtR(
            options,
            { _, me, _, format, arguments in
                memory(me)?.note(format, arguments)
                return 1
            }, me)
        // Drop warnings, because many real files cause warnings, and libtiff would print them to standard error.
        libtiff.TIFFOpenOptionsSetWarningHandlerExtR(options, { _, _, _, _, _ in 1 }, me)
        return libtiff.TIFFClientOpenExt(
            "memory", mode, me, { tmsize_t(memory($0)?.read($1, Int($2)) ?? 0) },
            { tmsize_t(memory($0)?.write($1, Int($2)) ?? 0) },
            { memory($0)?.seek($1, $2) ?? 0 }, { _ in 0 }, { UInt64(memory($0)?.count ?? 0) },
            { memory($0)?.map($1, $2) ?? 0 }, { _, _, _ in }, options)
    }

    private var count: Int { isWriting ? written.count : bytes.count }

    private func note(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) {
        guard let format, let arguments else { return }
        var line = [CChar](repeating: 0, count: 256)
        vsnprintf(&line, line.count, format, arguments)
        message = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func read(_ target: UnsafeMutableRawPointer?, _ wanted: Int) -> Int {
        // libtiff reads not only input files. While it writes a file, it reads back directory offsets.
        let taken = max(0, min(wanted, count - position))
        guard let target, taken > 0 else { return 0 }
        if isWriting {
            written.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + position, byteCount: taken) }
        } else if let base = bytes.baseAddress {
            target.copyMemory(from: base + position, byteCount: taken)
        }
        position += taken
        return taken
    }

    /// Gives libtiff the bytes of an input file in place. Without this, libtiff 4.5.0 refuses uncompressed tiles whose
    /// size is no multiple of 1024 bytes, because it compares their size with that of its own buffer. libtiff does not
    /// write to the bytes of a file that is open for reading.
    private func map(_ base: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ size: UnsafeMutablePointer<toff_t>?)
        -> Int32
    {
        guard !isWriting, let base, let size, let start = bytes.baseAddress else { return 0 }
        base.pointee = UnsafeMutableRawPointer(mutating: start)
        size.pointee = toff_t(bytes.count)
        return 1
    }

    private func write(_ source: UnsafeMutableRawPointer?, _ wanted: Int) -> Int {
        guard isWriting, let source, wanted >= 0 else { return 0 }
        let end = position + wanted
        if end > written.count { written.append(Data(count: end - written.count)) }
        written.withUnsafeMutableBytes { ($0.baseAddress! + position).copyMemory(from: source, byteCount: wanted) }
        position = end
        return wanted
    }

    private func seek(_ offset: UInt64, _ origin: Int32) -> UInt64 {
        let start = origin == SEEK_CUR ? position : origin == SEEK_END ? count : 0
        // An offset from a file can have any value, so the sum can overflow. A relative offset is a signed number in an
        // unsigned type.
        let (target, overflow) = start.addingReportingOverflow(Int(truncatingIfNeeded: offset))
        guard !overflow, target >= 0, target <= 1 << 40 else { return .max }
        position = target
        return UInt64(target)
    }
}

private func memory(_ pointer: UnsafeMutableRawPointer?) -> TIFFMemory? {
    pointer.map { Unmanaged<TIFFMemory>.fromOpaque($0).takeUnretainedValue() }
}
