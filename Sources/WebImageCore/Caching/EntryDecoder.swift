import Foundation

/// Decodes an entry on disk into its image. Used by all paths: blocking and asynchronous loads, the cache's own
/// queries, and originals from which a load makes its variant.
struct EntryDecoder: Sendable {
    /// The expected key; nil for a look-up by string, which accepts any entry with that string.
    let key: EntryKey?
    let decoding: ImageDecoding
    let options: WebImageOptions

    /// Whether the entry has the expected key. Different entries can have equal key strings.
    func accepts(_ stored: CachedResource) -> Bool {
        guard let key else { return true }
        switch stored.record?.identity {
        case nil, .named: break
        case .typed(let fingerprint, _): guard fingerprint == key.fingerprint else { return false }
        case .legacy: guard Self.acceptsLegacy(stored, key) else { return false }
        }
        guard let attributes = Self.attributes(of: stored) else { return true }
        if attributes.omitsFrames, !options.contains(.decodeFirstFrameOnly) { return false }
        guard key.transformer != nil else { return true }
        return attributes.mark?.holds(for: options) ?? true
    }

    /// Whether an entry is a variant; its bytes already have the stored size, so they are not scaled again.
    func isVariant(_ stored: CachedResource) -> Bool {
        if case .typed(_, let isVariant) = stored.record?.identity { return isVariant }
        return key?.isVariant ?? (Self.attributes(of: stored) != nil)
    }

    /// Decodes the entry; blocks the caller meanwhile.
    func decode(_ stored: CachedResource) throws(WebImageError) -> Image {
        let image: Image
        if isVariant(stored) {
            image = try decoding.asStored.decode(stored.data)
            restore(image, Self.attributes(of: stored))
        } else {
            image = try decoding.decode(stored.data)
        }
        if let extended = stored.extended { image.extendedObject = extended }
        return image
    }

    /// The decoding parameters of the entry, for an estimate of its cost before the decode.
    func decoding(of stored: CachedResource) -> ImageDecoding { isVariant(stored) ? decoding.asStored : decoding }

    private func restore(_ image: Image, _ attributes: VariantAttributes?) {
        image.isTransformed = attributes?.isTransformed ?? (key?.transformer != nil)
        image.transformOptions = attributes?.transformOptions ?? []
        image.omitsFrames = image.omitsFrames || attributes?.omitsFrames ?? false
        let box = key?.thumbnail.flatMap { PixelSize(box: $0.size) } ?? decoding.options.thumbnailPixelSize
        image.decodingOptions?.thumbnailPixelSize = attributes.map(\.thumbnailPixelSize) ?? box
        image.decodingOptions?.scaleDownLimitBytes = attributes?.scaleDownLimitBytes
    }

    private static func attributes(of stored: CachedResource) -> VariantAttributes? {
        stored.record?.attributes ?? VariantAttributes(metadata: stored.metadata)
    }

    /// Whether to accept an entry without a recorded key. Only the key string of an unscoped original is reliable.
    /// Variants are made again, and scoped entries are fetched again.
    private static func acceptsLegacy(_ stored: CachedResource, _ key: EntryKey) -> Bool {
        guard !key.isVariant, key.scope == nil, !key.source.contains("#scope=") else { return false }
        return stored.isFetched || !CacheKey.mayBeVariant(key.source)
    }
}

extension ImageDecoding {
    /// The parameters for bytes that already have their final size.
    fileprivate var asStored: ImageDecoding {
        var decoding = self
        decoding.options.scaleDownLimitBytes = nil
        decoding.options.thumbnailPixelSize = nil
        return decoding
    }
}
