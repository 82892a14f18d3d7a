import Foundation
import WebImageCore

/// Decodes an entry on disk into its image. All code that decodes entries uses this type: blocking and asynchronous
/// loads, queries of the cache, and loads that create a variant from a stored original.
struct EntryDecoder: Sendable {
    /// The expected key; nil for a look-up by string. A look-up by string accepts every entry under the string.
    let key: EntryKey?
    let decoding: ImageDecoding
    let options: WebImageOptions

    /// Whether this load can use the entry. The entry must have the expected key, and its image must have been made
    /// with suitable options. A comparison of the key strings is not sufficient, because different keys can have the
    /// same string.
    func accepts(_ stored: EncodedResource) -> Bool {
        guard let key else { return true }
        switch stored.record?.identity {
        case nil, .named: break
        case .typed(let fingerprint, _): guard fingerprint == key.fingerprint else { return false }
        case .legacy: guard Self.acceptsLegacy(stored, key) else { return false }
        }
        // Variants on disk were made with the default values of options that the key does not contain.
        guard !key.isVariant || decoding.options.givesPixels(of: .plain) else { return false }
        guard let attributes = Self.attributes(of: stored) else { return true }
        if attributes.omitsFrames, !options.contains(.decodeFirstFrameOnly) { return false }
        // An older version has lost the transparency that the transformer made.
        if attributes.isTransformed, !attributes.keepsTransparency,
            !ImageFormat(sniffing: stored.data).keepsTransparency
        {
            return false
        }
        guard key.transformer != nil else { return true }
        return attributes.transformRecord?.holds(for: options) ?? true
    }

    /// Whether an entry is a variant. The image of a variant already has its final size and must not be scaled again.
    func isVariant(_ stored: EncodedResource) -> Bool {
        if case .typed(_, let isVariant) = stored.record?.identity { return isVariant }
        return key?.isVariant ?? (Self.attributes(of: stored) != nil)
    }

    /// Decodes the entry on the calling thread.
    func decode(_ stored: EncodedResource) throws(WebImageError) -> Image {
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

    /// Returns the parameters with which the entry will be decoded. Callers use them to estimate the memory cost before
    /// the decode.
    func decoding(of stored: EncodedResource) -> ImageDecoding { isVariant(stored) ? decoding.asStored : decoding }

    private func restore(_ image: Image, _ attributes: VariantAttributes?) {
        image.isTransformed = attributes?.isTransformed ?? (key?.transformer != nil)
        image.transformOptions = attributes?.transformOptions ?? []
        image.omitsFrames = image.omitsFrames || attributes?.omitsFrames ?? false
        let box = key?.thumbnail.flatMap { PixelSize(box: $0.size) } ?? decoding.options.thumbnailPixelSize
        image.decodingOptions?.thumbnailPixelSize = attributes.map(\.thumbnailPixelSize) ?? box
        image.decodingOptions?.scaleDownLimitBytes = attributes?.scaleDownLimitBytes
    }

    private static func attributes(of stored: EncodedResource) -> VariantAttributes? {
        stored.record?.attributes ?? VariantAttributes(metadata: stored.metadata)
    }

    /// Whether to accept an entry that an older version of the library stored without its key. Only the key string of
    /// such an entry is known. It identifies the entry only if the entry is an original without a scope. All other
    /// entries are rejected, and the load creates or fetches their images again.
    private static func acceptsLegacy(_ stored: EncodedResource, _ key: EntryKey) -> Bool {
        guard !key.isVariant, key.scope == nil, !key.source.contains("#scope=") else { return false }
        return stored.isFetched || !CacheKey.mayBeVariant(key.source)
    }
}

extension ImageDecoding {
    /// The same parameters without the thumbnail size and the byte limit, for an image that is stored in its final
    /// size.
    fileprivate var asStored: ImageDecoding {
        var decoding = self
        decoding.options.scaleDownLimitBytes = nil
        decoding.options.thumbnailPixelSize = nil
        return decoding
    }
}
