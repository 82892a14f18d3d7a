public import Foundation
package import WebImageCore

/// The encoded bytes of an image, as a cache or a loader has returned them, with their origin, metadata and version.
public struct EncodedResource: Sendable {
    /// The encoded bytes. Empty if a cache or a loader returned only a decoded image.
    public var data: Data
    /// The ``ImageDataResult/metadata`` that the loader returned with these bytes; nil when unknown.
    public var metadata: Data?
    /// The caller's data from ``Image/extendedObject``, stored together with the bytes; nil if there is none.
    public var extended: Data?

    /// The cache layer from which the bytes come; `.none` means a loader.
    package var cacheType = ImageCacheType.disk
    /// The image, if the cache or the loader returned a decoded image; otherwise nil.
    package var image: Image?
    /// The version of the bytes, or of the original from which a variant was made; nil when unknown.
    package var version: ContentDigest?
    /// Whether the loader has just fetched or confirmed the bytes. If true, every other version is older.
    package var isNewest = false
    package var mayBeStored = true
    /// Whether the loader returned the smaller image of `.lowDataSource`. Such an image must not be stored under the
    /// key of the full image.
    package var isLowDataImage = false
    /// The URL that was fetched, if loads of several URLs share the bytes; otherwise nil.
    var fetched: WebImageError.FetchedURL?
    /// The head of the response that carried the bytes; nil for bytes from a cache.
    package var response: WebImageResponse?
    /// The disk layer's record of the entry; nil when the layer has no records.
    package var record: EntryRecord? {
        get { recordBox?.record }
        set {
            recordBox = newValue.map(RecordBox.init)
            version = newValue?.version ?? version
        }
    }
    // The record is stored in a box, because Swift 6.3 miscompiles copies of an optional `EncodedResource`
    // that stores the record directly.
    private var recordBox: RecordBox?

    private final class RecordBox: Sendable {
        let record: EntryRecord
        init(_ record: EntryRecord) { self.record = record }
    }

    /// Creates a resource from bytes, their metadata and their extended data.
    public init(data: Data, metadata: Data? = nil, extended: Data? = nil) {
        self.data = data
        self.metadata = metadata
        self.extended = extended
    }

    package init(data: Data, cacheType: ImageCacheType, image: Image? = nil, version: ContentDigest? = nil) {
        self.data = data
        self.cacheType = cacheType
        self.image = image
        self.version = version
    }

    /// Creates the resource of a download.
    package init(_ result: ImageDataResult, isNewest: Bool = false) {
        data = result.data
        metadata = result.metadata
        extended = result.extended
        cacheType = result.isNotModified ? .disk : .none
        mayBeStored = result.mayBeStored
        isLowDataImage = result.isLowDataImage
        self.isNewest = isNewest && !isLowDataImage
        response = result.response
    }
}

extension EncodedResource {
    /// The first line of the metadata that an HTTP loader stores with a body.
    package static let responseSignature = "webimage-http 1"

    /// Whether an HTTP loader wrote the metadata. If true, the body is unchanged since its download.
    var isFetched: Bool { metadata?.starts(with: Data(Self.responseSignature.utf8)) ?? false }

    /// Returns the value of the field `Last-Modified` in the metadata of an HTTP loader. Returns nil if the field is
    /// missing or malformed, or if the metadata is not from an HTTP loader.
    static func lastModified(in metadata: Data?) -> String? {
        guard let metadata, metadata.count <= 16 << 10, metadata.starts(with: Data(responseSignature.utf8)) else {
            return nil
        }
        let name = "last-modified: "
        let line = String(decoding: metadata, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
        guard let value = line?.dropFirst(name.count), (1...64).contains(value.utf8.count),
            value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return String(value)
    }
}
