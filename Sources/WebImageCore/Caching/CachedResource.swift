public import Foundation

/// A cached body and what stands beside it.
public struct CachedResource: Sendable {
    /// The body.
    public var data: Data
    /// The loader's ``ImageDataResult/metadata`` of then; nil when none is known.
    public var metadata: Data?
    /// What was stored as its image's ``Image/extendedObject``.
    public var extended: Data?
    /// What the disk layer recorded of the entry; nil where it records nothing.
    package var record: EntryRecord? {
        get { recordBox?.record }
        set { recordBox = newValue.map(RecordBox.init) }
    }
    // Boxed: the compiler (6.3) copies an optional of this struct wrongly when it holds such a value itself.
    private var recordBox: RecordBox?

    private final class RecordBox: Sendable {
        let record: EntryRecord
        init(_ record: EntryRecord) { self.record = record }
    }

    /// A body with what stands beside it.
    public init(data: Data, metadata: Data? = nil, extended: Data? = nil) {
        self.data = data
        self.metadata = metadata
        self.extended = extended
    }
}

extension CachedResource {
    /// The first line of the metadata that an HTTP loader writes beside a body.
    package static let responseSignature = "webimage-http 1"

    /// Whether an HTTP loader wrote the metadata, so that the body was fetched as it is.
    var isFetched: Bool { metadata?.starts(with: Data(Self.responseSignature.utf8)) ?? false }
}
