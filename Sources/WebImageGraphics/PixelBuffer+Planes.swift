import WebImageCore

/// The memory of a pixel buffer, described as libyuv requires: a byte pointer, and stride, width and height as 32-bit
/// numbers.
struct BytePlane {
    let base: UnsafeMutablePointer<UInt8>
    let stride: Int32
    let width: Int32
    let height: Int32

    /// Creates a plane over the memory of `buffer`, which must outlive the plane.
    ///
    /// - Throws: `.badImageData` for a buffer of 2 GiB or more, because libyuv uses 32-bit offsets.
    init(_ buffer: PixelBuffer) throws(WebImageError) {
        guard buffer.byteCount <= Int32.max else {
            throw WebImageError(
                .badImageData, stage: .decode,
                underlying: .codec(library: "libyuv", message: "the picture has 2 GiB or more"),
                hint: "Ask for a smaller picture.")
        }
        base = buffer.baseAddress.assumingMemoryBound(to: UInt8.self)
        stride = Int32(buffer.bytesPerRow)
        width = Int32(buffer.width)
        height = Int32(buffer.height)
    }

    /// A conversion function of the libyuv shim. The parameters are source, source stride, target, target stride, width
    /// and height. Strides are in bytes. The function returns 0 for success.
    typealias RowFunction = (
        UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
    ) -> Int32

    /// Calls `function` with this plane as the source.
    func run(_ function: RowFunction, into target: BytePlane) -> Int32 {
        function(base, stride, target.base, target.stride, width, height)
    }

    /// The address of the plane's memory, as 16-bit samples.
    var base16: UnsafeMutablePointer<UInt16> { UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt16.self) }
}

extension PixelBuffer {
    /// The address of the first byte of a row.
    func bytes(ofRow row: Int) -> UnsafeMutablePointer<UInt8> {
        (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }
}
