package import Foundation
package import WebImageCore

/// The description that a disk layer stores with an entry. A reader uses this record to check that the entry belongs
/// to the expected key.
package struct EntryRecord: Hashable, Sendable {
    /// How the entry was stored. This determines how much is known about the entry's key.
    package enum Identity: Hashable, Sendable {
        /// An older version of the library stored the entry without its key. Only the key string is known.
        case legacy
        /// A caller stored the entry under a string of its choice.
        case named
        /// A load stored the entry. The fingerprint identifies the full key of the entry.
        case typed(KeyFingerprint, isVariant: Bool)
    }

    package var identity: Identity
    /// The fingerprint of the original's key. The entry is this original or a variant of it.
    package var source: KeyFingerprint?
    /// The fingerprint of the entry's scope; nil if the entry has no scope. The scope identifies the credentials of the
    /// download.
    package var scope: KeyFingerprint?
    /// The version of the original: a digest of its bytes.
    package var version: ContentDigest?
    /// The properties of a variant that its key does not contain; nil for an original.
    package var attributes: VariantAttributes?
    /// The date at which the entry expires; nil means that only the cache's maximum age applies.
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
            scope: identity.key.scopeFingerprint, version: identity.version, attributes: attributes,
            expires: identity.expires)
    }

    /// The record of an entry that a caller stores under a string of its choice.
    package static let named = EntryRecord(.named)
    package static let legacy = EntryRecord(.legacy)
}

/// Properties of a variant that its key does not contain. They are restored on the image when the entry is read.
package struct VariantAttributes: Hashable, Sendable {
    var isTransformed = false
    var transformOptions: WebImageOptions = []
    var thumbnailPixelSize: PixelSize?
    var scaleDownLimitBytes: Int?
    /// Whether the entry was encoded in a format that keeps the transparency of the image. False for the entries of older
    /// versions, which used the format of the original.
    var keepsTransparency = false
    /// Whether the variant shows only the first frame of an animation, because its load set `.decodeFirstFrameOnly`.
    var omitsFrames = false

    init(_ image: Image) {
        omitsFrames = image.omitsFrames
        keepsTransparency = true
        isTransformed = image.isTransformed
        transformOptions = image.transformOptions
        thumbnailPixelSize = image.decodingOptions?.thumbnailPixelSize
        scaleDownLimitBytes = image.decodingOptions?.scaleDownLimitBytes
    }

    /// Whether the transformer ran, and the options that decided this; nil if no option affects the result.
    var transformRecord: TransformRecord? {
        transformOptions.isEmpty ? nil : TransformRecord(isTransformed: isTransformed, options: transformOptions)
    }

    /// The attributes as words separated by spaces, for storage on disk. A reader ignores unknown words. Therefore
    /// later versions of the library can add words.
    package var data: Data {
        var words = [isTransformed ? "transformed" : "left", "options=\(transformOptions.rawValue)"]
        if let box = thumbnailPixelSize { words.append("box=\(box.width)x\(box.height)") }
        if let scaleDownLimitBytes { words.append("limit=\(scaleDownLimitBytes)") }
        if omitsFrames { words.append("frames=first") }
        if keepsTransparency { words.append("alpha=kept") }
        return Data(words.joined(separator: " ").utf8)
    }

    /// The first line of ``metadata``. This line distinguishes attributes from the metadata that loaders store.
    static let signature = "webimage-variant 1\n"

    /// The attributes in the form of entry metadata, for disk layers that cannot store records.
    var metadata: Data { Data(Self.signature.utf8) + data }

    /// Parses data in the form of ``metadata``; nil for other data.
    init?(metadata: Data?) {
        guard let metadata, metadata.starts(with: Data(Self.signature.utf8)) else { return nil }
        self.init(stored: metadata.dropFirst(Self.signature.utf8.count))
    }

    /// Parses data in the form of ``data``; nil for other data.
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
            case "alpha": keepsTransparency = parts[1] == "kept"
            case "box":
                let sides = parts[1].split(separator: "x").compactMap { Int($0) }
                if sides.count == 2 { thumbnailPixelSize = PixelSize(width: sides[0], height: sides[1]) }
            default: break
            }
        }
    }
}

/// Identifies the entry that a load looks up or stores. If a cache stores an ``EntryRecord`` with each entry, it
/// creates the record of a new entry from this value.
package struct EntryIdentity: Sendable {
    package var key: EntryKey
    /// The version of the original's bytes; nil in a lookup and if the version is unknown.
    package var version: ContentDigest?

    /// The pixel size of the encoded image; nil if the size is unknown. In this case the cache reads the size from the
    /// header of the bytes.
    package var pixelSize: PixelSize?

    /// The loader's metadata, which is stored together with the bytes; nil in a lookup.
    package var metadata: Data?

    /// The data that is stored beside the bytes for an image without an ``Image/extendedObject``; nil for none.
    package var extended: Data?

    /// The quality with which the cache encodes a variant for the disk; nil means the best one.
    package var quality: VariantQuality?

    /// The date at which a new entry expires; nil means that only the cache's maximum age applies.
    package var expires: Date?

    package init(
        key: EntryKey, version: ContentDigest? = nil, pixelSize: PixelSize? = nil, metadata: Data? = nil,
        extended: Data? = nil, quality: VariantQuality? = nil, expires: Date? = nil
    ) {
        self.key = key
        self.version = version
        self.pixelSize = pixelSize
        self.metadata = metadata
        self.extended = extended
        self.quality = quality
        self.expires = expires
    }
}
