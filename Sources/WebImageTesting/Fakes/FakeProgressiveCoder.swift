public import Foundation
public import WebImageCore

/// ``FakeCoder``'s files with any number of bytes after their header; every such byte makes the preview better: its
/// blue is their number.
public final class FakeProgressiveCoder: StreamingImageCoder, DetailedImageCoder {
    private let body = Locked(Data())

    /// An instance that stands for the kind.
    public init() {}

    /// One picture's.
    public init(incrementalWithOptions options: ImageCoderOptions?) {}

    /// Whether it starts with `FAKE`.
    public func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }
    /// Whether it starts with `FAKE`.
    public func canDecode(from data: Data?) -> Bool { data?.starts(with: Data("FAKE".utf8)) ?? false }
    /// No.
    public func canEncode(to format: ImageFormat) -> Bool { false }

    /// Replaces what there is.
    public func updateIncrementalData(_ data: Data?, finished: Bool) { body.withLock { $0 = data ?? Data() } }

    /// Adds to what there is; refuses bytes after `!`.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        let all = body.withLock { body in
            body.append(bytes)
            return body
        }
        guard !all.contains(UInt8(ascii: "!")) else { throw .badData("fake", "damaged") }
    }

    /// Once the header is there.
    public var incrementalInfo: ImageInfo? {
        let bytes = body.withLock { $0 }
        return try? imageInfo(of: bytes, limits: .default)
    }

    /// Bytes after the header.
    public var incrementalRevision: Int { max(0, body.withLock { $0.count } - 6) }

    /// A picture whose blue is the revision.
    public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        guard let info = incrementalInfo else { return nil }
        let size = DecodingOptions(options).targetSize(for: info.pixelSize)
        return try? TestImages.solid(
            width: size.width, height: size.height, blue: UInt8(clamping: incrementalRevision))
    }

    /// As ``FakeCoder``.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try FakeCoder().imageInfo(of: data, limits: limits)
    }

    /// As ``FakeCoder``.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try FakeCoder().decode(data, options: options)
    }

    /// Refuses.
    public func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        throw WebImageError(.encodingFailed, stage: .encode)
    }
}
