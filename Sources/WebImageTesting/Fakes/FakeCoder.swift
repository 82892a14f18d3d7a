public import Foundation
public import WebImageCore

/// A coder that counts its decodes. A file consists of `FAKE`, one byte for the width and one byte for the height.
public final class FakeCoder: ImageCoder {
    private let counts = Locked((decodes: 0, waits: Double(0)))
    private let seconds: Double

    /// Makes a coder. Each decode takes `seconds`.
    public init(seconds: Double = 0) { self.seconds = seconds }

    /// The number of decodes that have started.
    public var decodeCount: Int { counts.withLock { $0.decodes } }

    /// Returns a file of the given size.
    public static func file(width: UInt8 = 4, height: UInt8 = 3) -> Data { Data("FAKE".utf8) + [width, height] }

    /// Returns whether the data starts with `FAKE`.
    public func canDecode(from data: Data) -> Bool { data.starts(with: Data("FAKE".utf8)) }

    /// Returns the size that the two bytes after `FAKE` contain.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        guard canDecode(from: data), data.count >= 6 else { throw .badData("fake", "not a fake file") }
        let bytes = Array(data.prefix(6))
        return ImageInfo(
            format: .undefined, storedSize: PixelSize(width: Int(bytes[4]), height: Int(bytes[5])))
    }

    /// Returns an image of one colour.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        counts.withLock { $0.decodes += 1 }
        let size = options.targetSize(for: try imageInfo(of: data, limits: options.limits).pixelSize)
        // `seconds` simulates a slow decode. Threads of the decode pool are allowed to block.
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
        return try TestImages.solid(width: size.width, height: size.height)
    }
}
