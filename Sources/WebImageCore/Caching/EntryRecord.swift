package import Foundation

/// A disk layer's record of an entry, which prevents that the entry is mistaken for another one.
package struct EntryRecord: Hashable, Sendable {
    /// The known part of the entry's key.
    package enum Identity: Hashable, Sendable {
        /// Written by a version that did not record keys: only the key string is known.
        case legacy
        /// Stored by a caller under its own string.
        case named
        /// Stored by a load.
        case typed(KeyFingerprint, isVariant: Bool)
    }

    package var identity: Identity
    /// The key of the original that the entry is or is made from.
    package var source: KeyFingerprint?
    /// The scope of the entry.
    package var scope: KeyFingerprint?
    /// The version of that original's bytes.
    package var version: ContentDigest?
    /// How a variant was made.
    package var attributes: VariantAttributes?
    /// The date at which the entry expires; nil applies the cache's limits alone.
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

    package init(_ identity: EntryIdentity, attributes: VariantAttributes?) {
        self.init(
            .typed(identity.key.fingerprint, isVariant: identity.key.isVariant), source: identity.key.sourceFingerprint,
            scope: identity.key.scopeFingerprint, version: identity.version, attributes: attributes)
    }

    /// The record of an entry that a caller stores under its own string.
    package static let named = EntryRecord(.named)
    package static let legacy = EntryRecord(.legacy)
}

/// Properties of a variant that are not in its key. They are restored on its image when it is read.
package struct VariantAttributes: Hashable, Sendable {
    var isTransformed = false
    var transformOptions: WebImageOptions = []
    var thumbnailPixelSize: PixelSize?
    var scaleDownLimitBytes: Int?
    /// Whether the variant shows only the first frame of an animation, because its load set `.decodeFirstFrameOnly`.
    var omitsFrames = false

    init(_ image: Image) {
        omitsFrames = image.omitsFrames
        isTransformed = image.isTransformed
        transformOptions = image.transformOptions
        thumbnailPixelSize = image.decodingOptions?.thumbnailPixelSize
        scaleDownLimitBytes = image.decodingOptions?.scaleDownLimitBytes
    }

    /// The options that decided whether a transformer ran; nil when no option affected the result.
    var mark: TransformRecord? {
        transformOptions.isEmpty ? nil : TransformRecord(isTransformed: isTransformed, options: transformOptions)
    }

    /// The form on disk: words separated by spaces, so that later versions can add further words.
    package var data: Data {
        var words = [isTransformed ? "transformed" : "left", "options=\(transformOptions.rawValue)"]
        if let box = thumbnailPixelSize { words.append("box=\(box.width)x\(box.height)") }
        if let scaleDownLimitBytes { words.append("limit=\(scaleDownLimitBytes)") }
        if omitsFrames { words.append("frames=first") }
        return Data(words.joined(separator: " ").utf8)
    }

    /// The first line of ``metadata``, which distinguishes it from the metadata of loaders.
    static let signature = "webimage-variant 1\n"

    /// The form stored as an entry's metadata when the disk layer cannot store attributes.
    var metadata: Data { Data(Self.signature.utf8) + data }

    /// Parses ``metadata``; nil for any other data.
    init?(metadata: Data?) {
        guard let metadata, metadata.starts(with: Data(Self.signature.utf8)) else { return nil }
        self.init(stored: metadata.dropFirst(Self.signature.utf8.count))
    }

    /// Parses ``data``; nil for any other data.
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

/// A disk layer that stores a record with each entry.
package protocol RecordingDiskCache: DiskCaching {
    /// Stores bytes with their record. Replaces the entry, its metadata and its extended data.
    func setData(_ data: Data, forKey key: String, record: EntryRecord)
    /// The entry's verified bytes with their record, metadata and extended data, from one read of the index; nil under
    /// the same conditions as ``DiskCaching/data(forKey:)``.
    func entry(forKey key: String) -> CachedResource?
    /// The record alone; nil when there is no entry.
    func record(forKey key: String) -> EntryRecord?
}
