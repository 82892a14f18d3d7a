import Foundation
public import WebImageCore

/// Caches encoded images in memory and on disk, for servers that send the same image often. A result is identified by
/// its request, its format and its encoding options.
///
/// ```swift
/// let encoded = try await cache.encodedImage(for: request, format: .webP, options: options)
/// // Body encoded.data, Content-Type encoded.contentType, ETag encoded.etag; 304 if encoded.matches(ifNoneMatch: …).
/// ```
///
/// Concurrent calls for one image share one load and one encode. Cancelling a call does not affect the other calls. The
/// shared work is cancelled when all its calls are cancelled. Failures are not cached.
///
/// A cached result is returned only while the manager's cache contains the version of the original from which the
/// result was made. The result is therefore not returned after the original was replaced or removed, or has expired. If
/// there is no usable result, the request is loaded. The load revalidates the original only if the request has
/// `.refresh`. If the loaded original has the version of the cached result, this result is returned without a new
/// encode. Results of one scope are never returned for another scope.
///
/// A result is not cached if the image must not be cached, or if the decode options contain objects. Concurrent calls
/// nevertheless share such a result. If the request names a coder or an animated image class, its results are cached
/// only in memory. Safe on any thread.
public final class ImageEncodedCache: Sendable {
    private struct Held: Sendable {
        var image: EncodedImage
        var version: ContentDigest
        /// The original of the image, for its removal.
        var source: KeyFingerprint?
    }

    /// The manager that loads the images.
    public let manager: WebImageManager
    /// The cache that stores the results on disk. It has its own limits of size and age. Do not store other entries in
    /// this cache.
    public let storage: ImageCache
    private let coders: ImageCodersManager
    private let memory: RecentValues<EncodedKey, Held>
    private let works = SharedTasks<EncodedIdentity, EncodedImage>()

    /// Creates a cache for the images of a manager.
    ///
    /// - Parameters:
    ///   - storage: A cache for these results only. The default is a separate namespace in the default folder.
    ///   - memoryBytes: The limit for results in memory, in bytes. A result larger than a quarter of this limit is
    ///     stored only on disk.
    ///   - coders: The coders that encode the images, unless a request names a coder.
    public init(
        manager: WebImageManager = .shared, storage: ImageCache = ImageCache(namespace: "encoded"),
        memoryBytes: Int = 32 << 20, coders: ImageCodersManager = .shared
    ) {
        self.manager = manager
        self.storage = storage
        self.coders = coders
        memory = RecentValues(budget: max(memoryBytes, 0))
        manager.add(self)
    }

    /// Returns the encoded image of a request.
    ///
    /// A hit in memory costs one query of the manager's disk index. A miss costs the load, the encode and a write to
    /// disk. With `.refresh` or `.reload`, the image is always loaded first, and is encoded only if the original has
    /// changed. This function does not use the main queue.
    ///
    /// - Parameters:
    ///   - format: `.undefined` selects the format that the image was decoded from. If that format cannot be encoded or
    ///     does not keep the transparency of the image, `.undefined` selects PNG for images with transparency and JPEG for
    ///     other images. All frames of an animation
    ///     are written if the format supports animations, unless the request has `.decodeFirstFrameOnly` or the options
    ///     have ``EncodingOptions/firstFrameOnly``.
    /// - Throws: The errors of the load; `.encodingFailed` if the encode fails; `.cancelled` if the surrounding task is
    ///   cancelled.
    public func encodedImage(
        for request: ImageRequest, format: ImageFormat = .undefined, options: EncodingOptions = EncodingOptions()
    ) async throws(WebImageError) -> EncodedImage {
        let plan = manager.plan(for: request)
        let key = EncodedKey(plan, format: format, options: options)
        if let key, plan.mayAnswerFromCaches, let held = await held(key, plan), await isCurrent(held.version, plan) {
            return held.image
        }
        return try await works.withValue(
            for: EncodedIdentity(load: plan.variantIdentity, format: format, options: options),
            priority: LoadPriorityHandle(plan.priority),
            work: { handle throws(WebImageError) in
                try await self.make(
                    request, plan, key: key, format: format, options: options, priority: handle.priority)
            },
            body: { image throws(WebImageError) in image })
    }

    /// Removes every result that was made from an original, in memory and on disk.
    func removeImages(of source: KeyFingerprint) async {
        memory.remove { $0.source == source }
        await storage.removeVariants(of: source, cacheType: .disk)
    }

    /// Removes every result, in memory and on disk.
    public func removeAll() async {
        memory.removeAll()
        await storage.clearDisk()
    }

    /// Waits until all stored results are on disk. The results then survive the end of the process.
    public func flush() async { await storage.flush() }

    /// The number of calls that wait for a load or an encode.
    package var subscriberCount: Int { works.subscriberCount { _ in true } }

    // MARK: Stored results

    private func held(_ key: EncodedKey, _ plan: LoadPlan) async -> Held? {
        if let held = memory.value(for: key) { return held }
        guard key.isPersistent, let stored = await storage.diskImageData(forKey: key.storageKey),
            let (image, version) = EncodedImage.read(stored, key.digest)
        else { return nil }
        let held = Held(image: image, version: version, source: plan.keys.original?.sourceFingerprint)
        keepInMemory(held, key)
        return held
    }

    private func keepInMemory(_ held: Held, _ key: EncodedKey) {
        var held = held
        held.image.cacheType = .memory
        memory.set(held, for: key, cost: held.image.data.count + 1024)
    }

    private func isCurrent(_ version: ContentDigest, _ plan: LoadPlan) async -> Bool {
        guard let original = plan.keys.original else { return false }
        // Check the newest version in memory first, because the bytes of that version may not be on disk yet.
        if let newest = manager.pipeline.store.newestVersion(plan), newest != version,
            !manager.pipeline.store.mayBeReplaced(by: version, plan)
        {
            return false
        }
        return await plan.originalCache.versioned?.diskVersion(of: original) == version
    }

    // MARK: New results

    private func make(
        _ request: ImageRequest, _ plan: LoadPlan, key: EncodedKey?, format: ImageFormat, options: EncodingOptions,
        priority: LoadPriorityHandle
    ) async throws(WebImageError) -> EncodedImage {
        let result = try await manager.result(for: request)
        let image = result.image
        let version = result.version ?? image.originalVersion(as: plan.keys.variant)
        if let key, let version, let held = await held(key, plan), held.version == version { return held.image }
        let coder: any ImageCoder = plan.context.coder ?? coders
        let coders = coders
        let (data, chosen, size) = try await manager.pipeline.decode.pool.run(
            cost: image.pixels.byteCount, priority: priority
        ) { () throws(WebImageError) in
            let chosen = format == .undefined ? image.storedFormat(coders) : format
            let data = try coder.encode(image, format: chosen, options: options)
            // Read the size from the encoded bytes, because the encoding options may have scaled the image down.
            return (data, chosen, (try? coders.imageInfo(of: data, limits: .default))?.pixelSize ?? image.pixelSize)
        }
        let encoded = EncodedImage(
            data: data, format: chosen, pixelSize: size, etag: EntityTag.tag(of: data),
            lastModified: await lastModified(result, plan), cacheType: .none)
        if let key, let version {
            let source = plan.keys.original?.sourceFingerprint
            keepInMemory(Held(image: encoded, version: version, source: source), key)
            if key.isPersistent {
                storage.storeVariantData(encoded.stored(key.digest, version), forKey: key.storageKey, of: source)
            }
        }
        return encoded
    }

    private func lastModified(_ result: WebImageResult, _ plan: LoadPlan) async -> String? {
        if let metadata = result.sourceMetadata { return EncodedResource.lastModified(in: metadata) }
        let original = await plan.originalCache.layers?.diskResource(forKey: plan.originalKey)
        guard let original, plan.originalDecoder.accepts(original) else { return nil }
        return EncodedResource.lastModified(in: original.metadata)
    }
}

/// The identity of a load and its encode. Calls with equal identities share one load and one encode.
private struct EncodedIdentity: Hashable, Sendable {
    let load: VariantIdentity
    let format: ImageFormat
    let options: EncodingOptions
}

extension LoadPlan {
    /// Whether a stored result may be returned without a load.
    fileprivate var mayAnswerFromCaches: Bool { options.isDisjoint(with: [.refreshCached, .fromLoaderOnly]) }
}

/// Identifies an encoded image by its variant, every option that changes a pixel, the format and the encoding options.
struct EncodedKey: Hashable, Sendable {
    /// The digest of everything except ``coder`` and ``animatedClass``, as 32 hexadecimal digits.
    let digest: String
    private let coder: RoleIdentity?
    private let animatedClass: ObjectIdentifier?

    /// Whether the digest is sufficient to identify the image, in this process and in other processes. True if the
    /// request names neither a coder nor an animated image class.
    let isPersistent: Bool

    var storageKey: String { "encoded:" + digest }

    /// Creates the key. Returns nil if the variant has no key: such an image must not be cached. Also returns nil if a
    /// decode option has no text form.
    init?(_ plan: LoadPlan, format: ImageFormat, options: EncodingOptions) {
        guard let variant = plan.keys.variant, let further = Self.text(of: plan.decoding.options.foreignOptions) else {
            return nil
        }
        coder = plan.context.coder.map { RoleIdentity($0) }
        animatedClass = plan.context.animatedImageClass.map { ObjectIdentifier($0) }
        isPersistent = coder == nil && animatedClass == nil
        let fingerprint = KeyFingerprint(parts: [
            "encoded 1", Self.hexadecimal(variant.fingerprint), Self.text(of: plan.decoding.options), further,
            "\(plan.options.intersection([.transformAnimatedImage, .transformVectorImage]).rawValue)",
            "\(format.rawValue)", Self.text(of: options), Self.digest(of: options.metadata.exif),
            Self.digest(of: options.metadata.xmp), "\(options.metadata.orientation.rawValue)",
        ])
        digest = Self.hexadecimal(fingerprint)
    }

    // Reflection converts the options to text. If a property is added to the options, the key therefore includes it
    // without a change of this code. The decoding limits are omitted, because limits do not change pixels.

    private static func text(of options: DecodingOptions) -> String {
        var options = options
        options.foreignOptions = ForeignCoderOptions()
        options.limits = .default
        return String(reflecting: options)
    }

    private static func text(of options: EncodingOptions) -> String {
        var options = options
        // Remove the metadata, because the text of `Data` contains only its length. The key contains digests of the
        // metadata instead.
        options.metadata = EmbeddedMetadata()
        return String(reflecting: options)
    }

    /// Returns the options as text; nil if a value has no text form.
    private static func text(of options: ForeignCoderOptions) -> String? {
        var lines: [String] = []
        for (key, value) in options.values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard value is String || value is any Numeric || value is Bool || value is NSNumber else { return nil }
            lines.append("\(key.rawValue.utf8.count):\(key.rawValue)=\(value)")
        }
        return lines.joined(separator: "\n")
    }

    private static func digest(of data: Data?) -> String? { data.map { EntityTag.tag(of: $0) } }

    private static func hexadecimal(_ fingerprint: KeyFingerprint) -> String {
        fingerprint.data.map { String(plainFormat: "%02x", $0) }.joined()
    }
}
