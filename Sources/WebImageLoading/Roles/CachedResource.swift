public import Foundation
import WebImageCore

/// A cached body with the metadata of its loader and the extended data of the caller.
public struct CachedResource: Sendable {
    /// The body.
    public var data: Data
    /// The ``ImageDataResult/metadata`` that the loader returned with this body; nil when unknown.
    public var metadata: Data?
    /// The caller's data from ``Image/extendedObject``, stored together with the body; nil if there is none.
    public var extended: Data?
    /// The disk layer's record of the entry; nil when the layer has no records.
    package var record: EntryRecord? {
        get { recordBox?.record }
        set { recordBox = newValue.map(RecordBox.init) }
    }
    // The record is stored in a box, because Swift 6.3 miscompiles copies of an optional `CachedResource`
    // that stores the record directly.
    private var recordBox: RecordBox?

    private final class RecordBox: Sendable {
        let record: EntryRecord
        init(_ record: EntryRecord) { self.record = record }
    }

    /// Creates a resource from a body, its metadata and its extended data.
    public init(data: Data, metadata: Data? = nil, extended: Data? = nil) {
        self.data = data
        self.metadata = metadata
        self.extended = extended
    }
}

extension CachedResource {
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
