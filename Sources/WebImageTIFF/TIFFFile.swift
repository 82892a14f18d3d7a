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
        guard let handle = memory.open(libtiff, mode: "r", maxAllocation: most.overflow ? 0 : most.partialValue) else {
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

    /// The error for the last message of libtiff. A file that libtiff was built without support for is not damaged.
    var failure: WebImageError {
        let text = message.lowercased()
        let words = ["not configured", "not implemented", "unimplemented", "support", "not handle", "cannot handle"]
        if words.contains(where: { text.contains($0) }) {
            return WebImageError(
                .unsupportedFormat, stage: .decode,
                underlying: .codec(library: "libtiff", message: "not supported: \(message)"))
        }
        return .badData("libtiff", message, hint: "Fetch the file again.")
    }

    /// Throws `.unsupportedFormat` if libtiff does not decompress the current page.
    func checkCompression() throws(WebImageError) {
        let scheme = short(TIFFTAG_COMPRESSION) ?? Int(COMPRESSION_NONE)
        guard libtiff.TIFFIsCODECConfigured(UInt16(clamping: scheme)) == 0 else { return }
        let names = [33003: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000", 50002: "JPEG XL", 52546: "JPEG XL"]
        throw WebImageError(
            .unsupportedFormat, stage: .decode,
            underlying: .codec(
                library: "libtiff", message: "the compression \(names[scheme] ?? "\(scheme)") is not supported"),
            hint: "Save the picture with LZW or Deflate.")
    }

    // libtiff's functions for fields are variadic, and Swift cannot call variadic functions. This code therefore calls
    // the forms with `va_list`.

    func short(_ tag: Int32) -> Int? {
        var value: UInt16 = 0
        let isThere = withUnsafeMutablePointer(to: &value) { pointer in
            withVaList([pointer]) { libtiff.TIFFVGetFieldDefaulted(handle, UInt32(tag), $0) }
        }
        return isThere == 1 ? Int(value) : nil
    }

    /// The value of a field without a default.
    func declaredShort(_ tag: Int32) -> Int? {
        var value: UInt16 = 0
        let isThere = withUnsafeMutablePointer(to: &value) { pointer in
            withVaList([pointer]) { libtiff.TIFFVGetField(handle, UInt32(tag), $0) }
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

    /// The declared meanings (`EXTRASAMPLE_…`) of the samples after the colours.
    var extraSamples: [Int] {
        var count: UInt16 = 0
        var types: UnsafeMutablePointer<UInt16>?
        let isThere = withUnsafeMutablePointer(to: &count) { count in
            withUnsafeMutablePointer(to: &types) { types in
                withVaList([count, types]) { libtiff.TIFFVGetFieldDefaulted(handle, UInt32(TIFFTAG_EXTRASAMPLES), $0) }
            }
        }
        guard isThere == 1, let types else { return [] }
        return (0..<Int(count)).map { Int(types[$0]) }
    }

    /// The colours of a palette: all reds, then all greens, then all blues. Nil if the page has no palette.
    func palette(bits: Int) -> [[UInt16]]? {
        var (red, green, blue):
            (UnsafeMutablePointer<UInt16>?, UnsafeMutablePointer<UInt16>?, UnsafeMutablePointer<UInt16>?)
        let isThere = withUnsafeMutablePointer(to: &red) { red in
            withUnsafeMutablePointer(to: &green) { green in
                withUnsafeMutablePointer(to: &blue) { blue in
                    withVaList([red, green, blue]) {
                        libtiff.TIFFVGetField(handle, UInt32(TIFFTAG_COLORMAP), $0)
                    }
                }
            }
        }
        guard isThere == 1, let red, let green, let blue else { return nil }
        let colors = [red, green, blue].map { (colors: UnsafeMutablePointer<UInt16>) in
            Array(UnsafeBufferPointer(start: UnsafePointer(colors), count: 1 << bits))
        }
        // Some writers store numbers of 8 bits, although the format requires 16.
        guard colors.allSatisfy({ $0.allSatisfy { $0 < 256 } }) else { return colors }
        return colors.map { $0.map { $0 * 257 } }
    }

    func set(_ tag: Int32, _ values: any CVarArg...) throws(WebImageError) {
        guard withVaList(values, { libtiff.TIFFVSetField(handle, UInt32(tag), $0) }) == 1 else {
            throw .cannotEncode("libtiff", message)
        }
    }
}
