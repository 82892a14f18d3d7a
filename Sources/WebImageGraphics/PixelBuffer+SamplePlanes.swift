import CWebImagePixelLoops
package import WebImageCore

/// A channel as some decoders return it: numbers of 32 bits, of which the lower ones are used.
package struct SamplePlane {
    package let data: UnsafePointer<Int32>
    /// The distance of two rows in samples.
    package let stride: Int
    package let size: PixelSize
    /// The bits of a sample, 1 to 31.
    package let bits: Int
    /// Whether 0 is the middle of the range.
    package let isSigned: Bool

    package init(data: UnsafePointer<Int32>, stride: Int, size: PixelSize, bits: Int, isSigned: Bool) {
        (self.data, self.stride, self.size, self.bits, self.isSigned) = (data, stride, size, bits, isSigned)
    }
}

extension PixelBuffer {
    /// Writes a plane of the buffer's size to a channel and scales its numbers to the range of the channel.
    package func write(_ plane: SamplePlane, toChannel channel: Int) {
        precondition(plane.size == size && channel < format.channelCount && plane.stride >= width)
        precondition(1...31 ~= plane.bits && !format.isFloatingPoint)
        webimage_write_samples(
            plane.data, plane.stride, plane.isSigned ? Int32(1 << (plane.bits - 1)) : 0,
            UInt32(1) << UInt32(plane.bits) - 1, width, height, address(ofChannel: channel), bytesPerRow,
            format.channelCount, isDeep)
    }

    /// Writes a grey picture of the buffer's size to a channel.
    package func write(grayOf plane: PixelBuffer, toChannel channel: Int) {
        precondition(plane.size == size && plane.format == .gray8 && channel < format.channelCount)
        precondition(!format.isFloatingPoint)
        webimage_spread_channel(
            plane.baseAddress.assumingMemoryBound(to: UInt8.self), plane.bytesPerRow, width, height,
            address(ofChannel: channel), bytesPerRow, format.channelCount, isDeep)
    }

    /// Sets a channel of all pixels to its largest number.
    package func fillChannel(_ channel: Int) {
        precondition(channel < format.channelCount && !format.isFloatingPoint)
        // With a stride of 0, each row is the same.
        webimage_spread_channel(
            [UInt8](repeating: 255, count: width), 0, width, height, address(ofChannel: channel), bytesPerRow,
            format.channelCount, isDeep)
    }

    /// Converts straight pixels of four channels in place from luminance and differences of colour to RGB.
    ///
    /// - Parameter middle: The number of a difference of 0, as a part of the range.
    package func convertFromYCC(middle: Double) {
        precondition(format == .rgba8 || format == .rgba16)
        webimage_ycc_to_rgb(address(ofChannel: 0), bytesPerRow, width, height, middle, isDeep)
    }

    private var isDeep: Int32 { format.bitsPerComponent == 16 ? 1 : 0 }

    private func address(ofChannel channel: Int) -> UnsafeMutablePointer<UInt8> {
        baseAddress.assumingMemoryBound(to: UInt8.self) + channel * format.bitsPerComponent / 8
    }
}
