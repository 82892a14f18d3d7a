package import Foundation

/// What a disk layer records beside an entry's bytes, so that an entry is never taken for another one.
package struct EntryRecord: Hashable, Sendable {
    /// What is known of the entry's key.
    package enum Identity: Hashable, Sendable {
        /// Written before keys were recorded: the key string alone is known.
        case legacy
        /// Stored by a caller under a string of its own.
        case named
        /// Stored by a load.
        case typed(KeyFingerprint, isVariant: Bool)
    }

    package var identity: Identity
    /// The original that the entry is, or is made from.
    package var source: KeyFingerprint?
    /// Whose the entry is.
    package var scope: KeyFingerprint?
    /// The version of that original's bytes.
    package var version: ContentDigest?
    /// How a variant was made.
    package var attributes: VariantAttributes?
    /// From when on the entry counts as absent; nil leaves that to the cache's limits.
    package var expires: Date?

    package init(
        _ identity: Identity, source: KeyFingerprint? = nil, scope: KeyFingerprint? = nil,
        version: ContentDigest? = nil, attributes: VariantAttributes? = nil, expires: Date? = nil
    ) {
        self.identity = identity
        self.source = source
        self.scope = scope
        self.version = version
        self.attributes = attributes
        self.expires = expires
    }

    package init(_ note: EntryNote, attributes: VariantAttributes?) {
        self.init(
            .typed(note.key.fingerprint, isVariant: note.key.isVariant), source: note.key.sourceFingerprint,
            scope: note.key.scopeFingerprint, version: note.version, attributes: attributes)
    }

    /// What a caller stores under a string of its own.
    package static let named = EntryRecord(.named)
    package static let legacy = EntryRecord(.legacy)
}

/// How a variant was made, beyond its key: what its image says of itself again when it is read.
package struct VariantAttributes: Hashable, Sendable {
    var isTransformed = false
    var transformOptions: WebImageOptions = []
    var thumbnailPixelSize: PixelSize?
    var scaleDownLimitBytes: Int?
    /// Whether it is made from the first frame of an animation for a load that wanted no more.
    var omitsFrames = false

    init(_ image: Image) {
        omitsFrames = image.omitsFrames
        isTransformed = image.isTransformed
        transformOptions = image.transformOptions
        thumbnailPixelSize = image.decodingOptions?.thumbnailPixelSize
        scaleDownLimitBytes = image.decodingOptions?.scaleDownLimitBytes
    }

    /// What decided whether a transformer ran; nil where any options would have given the same.
    var mark: VariantMark? {
        transformOptions.isEmpty ? nil : VariantMark(isTransformed: isTransformed, options: transformOptions)
    }

    /// As it stands on disk: words, so that further ones can be added.
    package var data: Data {
        var words = [isTransformed ? "transformed" : "left", "options=\(transformOptions.rawValue)"]
        if let box = thumbnailPixelSize { words.append("box=\(box.width)x\(box.height)") }
        if let scaleDownLimitBytes { words.append("limit=\(scaleDownLimitBytes)") }
        if omitsFrames { words.append("frames=first") }
        return Data(words.joined(separator: " ").utf8)
    }

    /// The first line of ``metadata``, which tells it from what loaders write there.
    static let signature = "webimage-variant 1\n"

    /// As it stands in the metadata of an entry in a disk layer that has no place for attributes.
    var metadata: Data { Data(Self.signature.utf8) + data }

    /// Nil for what ``metadata`` did not write.
    init?(metadata: Data?) {
        guard let metadata, metadata.starts(with: Data(Self.signature.utf8)) else { return nil }
        self.init(stored: metadata.dropFirst(Self.signature.utf8.count))
    }

    /// Nil for what ``data`` did not write.
    package init?(stored data: Data?) {
        guard let data, data.count < 1024 else { return nil }
        let words = String(decoding: data, as: UTF8.self).split(separator: " ")
        guard let first = words.first, first == "transformed" || first == "left" else { return nil }
        isTransformed = first == "transformed"
        for word in words.dropFirst() {
            let parts = word.split(separator: "=")
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "options": transformOptions = WebImageOptions(rawValue: .init(parts[1]) ?? 0)
            case "limit": scaleDownLimitBytes = Int(parts[1])
            case "frames": omitsFrames = parts[1] == "first"
            case "box":
                let sides = parts[1].split(separator: "x").compactMap { Int($0) }
                if sides.count == 2 { thumbnailPixelSize = PixelSize(width: sides[0], height: sides[1]) }
            default: break
            }
        }
    }
}

/// A disk layer that records more than bytes.
package protocol RecordingDiskCache: DiskCaching {
    /// Stores bytes with their record, replacing the entry and what was stored beside it.
    func setData(_ data: Data, forKey key: String, record: EntryRecord)
    /// The entry's verified bytes with their record and all that is stored beside them, from one look into the index;
    /// nil as ``DiskCaching/data(forKey:)``.
    func entry(forKey key: String) -> CachedResource?
    /// The record alone; nil when there is no entry.
    func record(forKey key: String) -> EntryRecord?
}
