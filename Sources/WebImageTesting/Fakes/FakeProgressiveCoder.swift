public import Foundation
public import WebImageCore

/// A progressive coder. Its input is a file of ``FakeCoder`` followed by further bytes. Each further byte causes a new
/// partial image. The blue value of a partial image is the number of further bytes so far.
public final class FakeProgressiveCoder: StreamingImageCoder {
    private let body = Locked(Data())

    /// Makes an instance to register with a coders manager.
    public init() {}

    /// Makes an instance for one image.
    public init(incremental options: DecodingOptions) {}

    /// Returns whether the data starts with `FAKE`.
    public func canDecode(from data: Data) -> Bool { data.starts(with: Data("FAKE".utf8)) }

    /// Replaces all data received so far.
    public func update(_ data: Data, finished: Bool) { body.withLock { $0 = data } }

    /// Adds bytes. Throws if the data received so far contains `!`.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        let all = body.withLock { body in
            body.append(bytes)
            return body
        }
        guard !all.contains(UInt8(ascii: "!")) else { throw .badData("fake", "damaged") }
    }

    /// The information from the header; nil until the header is complete.
    public var incrementalInfo: ImageInfo? {
        let bytes = body.withLock { $0 }
        return try? imageInfo(of: bytes, limits: .default)
    }

    /// The number of bytes after the header.
    public var incrementalRevision: Int { max(0, body.withLock { $0.count } - 6) }

    /// Returns an image whose blue value is the revision.
    public func incrementalImage(options: DecodingOptions?) -> Image? {
        guard let info = incrementalInfo else { return nil }
        let size = (options ?? DecodingOptions()).targetSize(for: info.pixelSize)
        return try? TestImages.solid(
            width: size.width, height: size.height, blue: UInt8(clamping: incrementalRevision))
    }

    /// Works in the same way as ``FakeCoder``.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try FakeCoder().imageInfo(of: data, limits: limits)
    }

    /// Works in the same way as ``FakeCoder``.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try FakeCoder().decode(data, options: options)
    }
}
