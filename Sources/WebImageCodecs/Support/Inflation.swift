import CWebImageCodecShim
package import Foundation

/// Unpacking of whole files whose unpacked size is known.
package enum Inflation {
    /// How data is packed.
    package enum Wrapping: Sendable { case gzip, none }

    /// Returns the unpacked data; nil if the data is damaged or has another size. The caller has checked the size.
    package static func unpack(_ data: Data, _ wrapping: Wrapping, size: Int) -> Data? {
        guard size > 0 else { return nil }
        var output = Data(count: size)
        let isWhole = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                webimage_inflate(
                    input.bindMemory(to: UInt8.self).baseAddress, input.count, wrapping == .gzip ? 1 : 0,
                    output.bindMemory(to: UInt8.self).baseAddress, size)
            }
        }
        return isWhole == 1 ? output : nil
    }
}
