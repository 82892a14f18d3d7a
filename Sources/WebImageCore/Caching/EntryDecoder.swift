import Foundation

/// The one way from an entry on disk to its image: for loads that wait and those that do not, for the cache's own
/// queries, and for originals that a load makes its variant from.
struct EntryDecoder: Sendable {
    /// What is looked for; nil for a look-up by string, which takes the entry as stored.
    let key: EntryKey?
    let decoding: ImageDecoding
    let options: WebImageOptions

    /// Whether the entry is what is looked for, and not one whose key string looks the same.
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

    /// Whether an entry is a variant: then its bytes have the size they were stored for.
    func isVariant(_ stored: CachedResource) -> Bool {
        if case .typed(_, let isVariant) = stored.record?.identity { return isVariant }
        return key?.isVariant ?? (Self.attributes(of: stored) != nil)
    }

    /// Decodes; blocks for as long as that takes.
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

    /// How the bytes are decoded, for a measurement before that.
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

    /// Of entries without a recorded key only unscoped originals are certain to be what their key strings say: variants
    /// are made again, and scoped entries are fetched again.
    private static func acceptsLegacy(_ stored: CachedResource, _ key: EntryKey) -> Bool {
        guard !key.isVariant, key.scope == nil, !key.source.contains("#scope=") else { return false }
        return stored.isFetched || !CacheKey.mayBeVariant(key.source)
    }
}

extension ImageDecoding {
    /// For bytes that have their size already.
    fileprivate var asStored: ImageDecoding {
        var decoding = self
        decoding.options.scaleDownLimitBytes = nil
        decoding.options.thumbnailPixelSize = nil
        return decoding
    }
}
