public import Foundation
public import WebImageCore

/// An encoded image with the values that an HTTP response needs in addition to the bytes.
public struct EncodedImage: Sendable {
    /// The encoded bytes.
    public let data: Data
    /// The format of the bytes.
    public let format: ImageFormat
    /// The size of the image in pixels.
    public let pixelSize: PixelSize
    /// The strong validator of the bytes, including its quotes (RFC 9110 §8.8.3). Equal bytes have equal tags on every
    /// machine and after a restart.
    public let etag: String
    /// The time of the last change of the original, as its server reported the time. The value is an HTTP date
    /// (RFC 9110 §5.6.7) for the field `Last-Modified`. Nil if the server reported no time, or if the original did not
    /// come from a server.
    public let lastModified: String?
    /// The origin of the bytes. `.memory` and `.disk` mean a hit in the ``ImageEncodedCache``. `.none` means that the
    /// bytes were encoded for this call, or for another call whose work this call shared.
    public internal(set) var cacheType: ImageCacheType

    /// The media type of the bytes, for the field `Content-Type`.
    public var contentType: String { format.mediaType }

    /// Returns whether the client already has these bytes. If true, send the status 304 without a body.
    ///
    /// - Parameter field: The field `If-None-Match` of the HTTP request (RFC 9110 §13.1.2). If nil, the result is
    ///   false. Only the first 8,192 characters of the field are read.
    public func matches(ifNoneMatch field: String?) -> Bool { EntityTag.matches(field, etag) }
}

extension EncodedImage {
    /// Describes bytes that were encoded now and do not come from a server.
    package init(data: Data, format: ImageFormat, pixelSize: PixelSize) {
        self.init(
            data: data, format: format, pixelSize: pixelSize, etag: EntityTag.tag(of: data), lastModified: nil,
            cacheType: .none)
    }
}

/// The metadata that is stored with an encoded image.
struct EncodedImageHead: Codable {
    /// The key of the entry. The reader compares this key with the requested key, so that the entry of another key is
    /// never returned.
    var key: String
    /// The version of the original, as hexadecimal digits.
    var version: String
    var format: Int
    var width: Int
    var height: Int
    var lastModified: String?
}

extension EncodedImage {
    private static let signature: StaticString = "WIE1"

    /// Returns the image and its metadata as one value for the disk cache.
    func stored(_ key: String, _ version: ContentDigest) -> Data {
        HeadedBody.data(
            Self.signature,
            EncodedImageHead(
                key: key, version: version.hexadecimal, format: format.rawValue, width: pixelSize.width,
                height: pixelSize.height, lastModified: lastModified),
            body: data)
    }

    /// Returns the image in a stored value. Nil if ``stored(_:_:)`` did not produce the value, or if the value has
    /// another key.
    static func read(_ stored: Data, _ key: String) -> (image: EncodedImage, version: ContentDigest)? {
        guard let (head, body) = HeadedBody.read(Self.signature, EncodedImageHead.self, from: stored),
            head.key == key, let version = ContentDigest(hexadecimal: head.version)
        else { return nil }
        let image = EncodedImage(
            data: body, format: ImageFormat(rawValue: head.format),
            pixelSize: PixelSize(width: head.width, height: head.height), etag: EntityTag.tag(of: body),
            lastModified: head.lastModified, cacheType: .disk)
        return (image, version)
    }
}

extension ContentDigest {
    fileprivate var hexadecimal: String { data.map { String(plainFormat: "%02x", $0) }.joined() }

    fileprivate init?(hexadecimal text: String) {
        guard text.utf8.count == 32 else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 32 else { return nil }
        let bytes = (0..<16).map { (place: Int) -> UInt8 in UInt8(digits[2 * place] << 4 | digits[2 * place + 1]) }
        self.init(stored: Data(bytes))
    }
}
