import CWebImageTIFF
import Foundation
import WebImageCore

/// Owns one libtiff handle for a file in memory. The file is open either for reading or for writing. Reading does not
/// copy the bytes of the file.
final class TIFFFile {
    let libtiff: TIFFFunctions
    let handle: OpaquePointer
    private let memory: TIFFMemory

    /// Opens a file for reading. `bytes` must outlive this object. A single allocation of libtiff is limited to 8 bytes
    /// per pixel of the pixel limit. A decoded picture needs at most half of this size.
    init(reading bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        libtiff = try TIFFLibrary.functions()
        memory = TIFFMemory(bytes)
        let most = limits.maxPixels.multipliedReportingOverflow(by: 8)
        guard let handle = memory.open(libtiff, mode: "rm", maxAllocation: most.overflow ? 0 : most.partialValue) else {
            throw .badData("libtiff", memory.message ?? "cannot be opened")
        }
        self.handle = handle
        HandleLedger.opened("tiff")
    }

    /// Opens an empty file for writing.
    init(writing: Void) throws(WebImageError) {
        libtiff = try TIFFLibrary.functions()
        memory = TIFFMemory(UnsafeRawBufferPointer(start: nil, count: 0))
        guard let handle = memory.open(libtiff, mode: "w", maxAllocation: 0) else {
            throw .cannotEncode("libtiff", memory.message ?? "cannot be opened")
        }
        self.handle = handle
        HandleLedger.opened("tiff")
    }

    deinit {
        libtiff.TIFFClose(handle)
        HandleLedger.closed("tiff")
    }

    /// The bytes written so far.
    var written: Data { memory.written }

    /// The last error message of libtiff.
    var message: String { memory.message ?? "no reason given" }

    // libtiff's functions for fields are variadic, and Swift cannot call variadic functions. This code therefore calls
    // the forms with `va_list`.

    func short(_ tag: Int32) -> Int? {
        var value: UInt16 = 0
        let isThere = withUnsafeMutablePointer(to: &value) { pointer in
            withVaList([pointer]) { libtiff.TIFFVGetFieldDefaulted(handle, UInt32(tag), $0) }
        }
        return isThere == 1 ? Int(value) : nil
    }

    func long(_ tag: Int32) -> Int? {
        var value: UInt32 = 0
        let isThere = withUnsafeMutablePointer(to: &value) { pointer in
            withVaList([pointer]) { libtiff.TIFFVGetFieldDefaulted(handle, UInt32(tag), $0) }
        }
        return isThere == 1 ? Int(value) : nil
    }

    /// The bytes of the page's ICC profile. Nil if the page has no profile. libtiff owns the bytes. They are valid
    /// until another directory is selected.
    var profileBytes: UnsafeRawBufferPointer? {
        var count: UInt32 = 0
        var bytes: UnsafeMutableRawPointer?
        let isThere = withUnsafeMutablePointer(to: &count) { count in
            withUnsafeMutablePointer(to: &bytes) { bytes in
                withVaList([count, bytes]) { libtiff.TIFFVGetField(handle, UInt32(TIFFTAG_ICCPROFILE), $0) }
            }
        }
        guard isThere == 1, let bytes, count > 0 else { return nil }
        return UnsafeRawBufferPointer(start: bytes, count: Int(count))
    }

    /// Whether the first extra sample after the colours is declared as alpha.
    var hasAlphaSample: Bool { firstExtraSample.map { $0 != Int(EXTRASAMPLE_UNSPECIFIED) } ?? false }

    /// The declared meaning (`EXTRASAMPLE_…`) of the first extra sample after the colours. Nil if no extra sample is
    /// declared.
    var firstExtraSample: Int? {
        var count: UInt16 = 0
        var types: UnsafeMutablePointer<UInt16>?
        let isThere = withUnsafeMutablePointer(to: &count) { count in
            withUnsafeMutablePointer(to: &types) { types in
                withVaList([count, types]) { libtiff.TIFFVGetFieldDefaulted(handle, UInt32(TIFFTAG_EXTRASAMPLES), $0) }
            }
        }
        guard isThere == 1, count > 0, let types else { return nil }
        return Int(types[0])
    }

    func set(_ tag: Int32, _ values: any CVarArg...) throws(WebImageError) {
        guard withVaList(values, { libtiff.TIFFVSetField(handle, UInt32(tag), $0) }) == 1 else {
            throw .cannotEncode("libtiff", message)
        }
    }
}
