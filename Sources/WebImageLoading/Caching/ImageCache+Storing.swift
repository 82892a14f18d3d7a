public import Foundation
public import WebImageCore

extension ImageCache {
    /// Stores an image in memory and, if `toDisk` is true, on disk. The cache encodes the image.
    public func storeImage(
        _ image: Image?, forKey key: String?, toDisk: Bool = true, completion: (@Sendable () -> Void)? = nil
    ) {
        storeImage(image, imageData: nil, forKey: key, toDisk: toDisk, completion: completion)
    }

    /// Stores an image in memory and, if `toDisk` is true, its data on disk. If `imageData` is nil, the cache encodes
    /// the image.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, toDisk: Bool,
        completion: (@Sendable () -> Void)? = nil
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: [], context: nil, cacheType: toDisk ? .all : .memory,
            completion: completion)
    }

    /// Stores bytes on disk.
    public func storeImageData(_ data: Data?, forKey key: String?, completion: (@Sendable () -> Void)? = nil) {
        storeImage(
            nil, imageData: data, forKey: key, options: [], context: nil, cacheType: .all, completion: completion)
    }

    /// Stores bytes on disk together with a loader's metadata. Returns before the bytes are written.
    package func storeImageData(_ data: Data, metadata: Data?, forKey key: String) {
        rememberSize(of: data, forKey: key)
        disk.store(key) { self.put(data, of: nil, key: key, identity: nil, metadata: metadata, in: $0) }
    }

    /// Stores bytes on disk that were made from the original with this fingerprint. ``removeVariants(of:cacheType:)``
    /// removes them. Returns before the bytes are written.
    func storeVariantData(_ data: Data, forKey key: String, of source: KeyFingerprint?) {
        disk.store(key) { disk in
            if let recording = self.disk.recording {
                let identity = EntryRecord.Identity.typed(EntryKey.shared(key).fingerprint, isVariant: true)
                recording.setData(data, forKey: key, record: EntryRecord(identity, source: source), metadata: nil)
            } else {
                disk?.setData(data, forKey: key)
            }
            return true
        }
    }

    /// Stores bytes on disk. Blocks until the bytes are written.
    public func storeImageDataToDisk(_ data: Data?, forKey key: String?) {
        guard let data, let key else { return }
        noteStore(key)
        rememberSize(of: data, forKey: key)
        disk.sync(.removing(.key(key))) { _ = self.put(data, of: nil, key: key, identity: nil, in: $0) }
    }

    /// Stores an image in memory before this method returns, then stores its data on disk. `cacheType` selects the
    /// layers. Partial images are not stored.
    ///
    /// The completion runs on the context's callback queue (default: main) as soon as the data can be read from the
    /// cache. If `cacheType` does not include the disk, or if there is nothing to store, the completion runs before
    /// this method returns.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        let context = RequestContext(context)
        storeImage(
            image, imageData: imageData, forKey: key, options: options, values: context,
            identity: context.entryIdentity, cacheType: cacheType, callbacks: context.callbackQueue ?? .main,
            completion: completion)
    }

    /// Does the same with the values of a load, which are not converted to a dictionary. `identity` identifies the entry.
    func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions,
        values context: RequestContext,
        identity: EntryIdentity?, cacheType: ImageCacheType, callbacks: CallbackQueue,
        completion: (@Sendable () -> Void)?
    ) {
        guard let key, image != nil || imageData != nil, image?.isIncremental != true else {
            completion?()
            return
        }
        noteStore(key, identity)
        recordIdentity(image, identity)
        if cacheType.includesMemory, keepsImagesInMemory { storeImageToMemory(image, forKey: key) }
        guard cacheType.includesDisk else {
            completion?()
            return
        }
        if let image {
            rememberSize(of: image, forKey: key)
        } else if let size = identity?.pixelSize {
            rememberSize(size, forKey: key)
        } else if let imageData {
            rememberSize(of: imageData, forKey: key)
        }
        let finish: @Sendable () -> Void = { if let completion { callbacks.async(completion) } }
        if let imageData = imageData ?? image?.encodedAnimation(context) {
            disk.store(key, completion: finish) {
                self.put(imageData, of: image, key: key, identity: identity, in: $0)
            }
        } else if let image {
            let coder = context.coder ?? coders
            var encoding = EncodingOptions(context.encodeOptions)
            if context.encodeOptions == nil { identity?.quality?.apply(to: &encoding) }
            let store = PendingStore(
                key: key, variantSource: identity.flatMap { $0.key.isVariant ? $0.key.sourceFingerprint : nil },
                encode: { [encoding] in Self.encode(image, with: coder, options: encoding) },
                write: { self.put($0, of: image, key: key, identity: identity, in: $1) }, finish: finish)
            disk.store(store, on: decodePool, cost: image.pixels.byteCount, priority: LoadPriority(options))
        }
    }

    /// Records the cache key of the image and the version of its original in the image. Call this method before the
    /// image is stored in memory, because loads can use the image as soon as it is stored. If the image is an original,
    /// its version becomes the newest version.
    private func recordIdentity(_ image: Image?, _ identity: EntryIdentity?) {
        guard let identity else { return }
        let source = identity.key.sourceFingerprint
        let version = identity.version.map {
            identity.key.isVariant ? originalVersions.join($0, for: source) : originalVersions.declare($0, for: source)
        }
        image?.noteEntry(ImageEntries.Entry(identity: .key(identity.key), version: version))
    }

    /// Encodes an image in the format that keeps its transparency and its frames.
    private static func encode(_ image: Image, with coder: any ImageCoder, options: EncodingOptions) -> Data? {
        let format = image.storedFormat(coder, firstFrameOnly: options.firstFrameOnly)
        do throws(WebImageError) {
            return try coder.encode(image, format: format, options: options)
        } catch let error {
            WebImageLog.shared.log(
                .warning, "an image is not stored on disk: \(error)", metadata: error.logMetadata)
            return nil
        }
    }

    /// Writes an entry with its record and metadata. Runs on the disk queue. Returns false if the entry must not be
    /// stored, or if there is no disk layer.
    private func put(
        _ data: Data, of image: Image?, key: String, identity: EntryIdentity?, metadata: Data? = nil,
        in disk: (any DiskCaching)?
    ) -> Bool {
        guard let disk, !isStale(identity) else { return false }
        noteUses()
        var identity = identity
        let metadata = metadata ?? identity?.metadata
        if let unknown = identity, !unknown.key.isVariant, unknown.version == nil {
            let version = ContentDigest(data)
            identity?.version = version
            originalVersions.declare(version, for: unknown.key.sourceFingerprint)
        }
        let attributes = image.flatMap { image in
            identity.map(\.key.isVariant) ?? (image.transformRecord != nil) ? VariantAttributes(image) : nil
        }
        var record = identity.map { EntryRecord($0, attributes: attributes) } ?? .named
        if identity == nil {
            record.attributes = attributes
            declare(data, of: image, forKey: key, &record)
        }
        if let recording = self.disk.recording {
            recording.setData(data, forKey: key, record: record, metadata: metadata)
        } else {
            // This layer cannot record that the image has only the first frame. Do not store the image, because a
            // later load of the whole animation would receive a still image.
            if let image, image.omitsFrames, identity?.key.isVariant == true { return false }
            disk.setData(data, forKey: key)
            if let metadata = attributes?.metadata ?? metadata { disk.setMetadata(metadata, forKey: key) }
        }
        if let source = record.source, let version = record.version, identity?.key.isVariant != true {
            originalVersions.noteStored(version, for: source)
        }
        if let image, image.extendedObject != nil {
            Self.writeExtended(of: image, key: key, to: disk)
        } else if let extended = identity?.extended {
            disk.setExtendedData(extended, forKey: key)
        }
        return true
    }

    /// Whether a variant was made from an outdated version of its original. Such a variant must not be stored.
    /// Otherwise the disk layer would treat the outdated version as the newest version, and would remove the variants
    /// of the version that is actually the newest.
    private func isStale(_ identity: EntryIdentity?) -> Bool {
        guard let identity, identity.key.isVariant, let version = identity.version else { return false }
        return originalVersions.join(version, for: identity.key.sourceFingerprint).isStale
    }

    /// Makes `data` the newest version of the original under this key. The cache calls this method if a caller stores
    /// `data` under a string of its choice. Writes the version to `record`. If the image belongs to this original, also
    /// records the version in the image.
    private func declare(_ data: Data, of image: Image?, forKey key: String, _ record: inout EntryRecord) {
        let shared = EntryKey.shared(key)
        let version = originalVersions.declare(ContentDigest(data), for: shared.sourceFingerprint)
        (record.source, record.version) = (shared.sourceFingerprint, version.digest)
        guard let image, image.originalVersion(as: shared) != nil else { return }
        image.noteEntry(ImageEntries.Entry(identity: .key(shared), version: version))
    }

    /// Stores the `extendedObject` of an image with its disk entry. `Data` is stored unchanged. Other `Encodable`
    /// values are stored as JSON. If an image is later read from the entry, its `extendedObject` is the stored `Data`.
    private static func writeExtended(of image: Image, key: String, to disk: any DiskCaching) {
        switch image.extendedObject {
        case let bytes as Data: disk.setExtendedData(bytes, forKey: key)
        case let value as any Encodable:
            if let bytes = try? JSONEncoder().encode(value) { disk.setExtendedData(bytes, forKey: key) }
        default: break
        }
    }
}

extension Image {
    /// Returns the original file of an animated image if the cache can store this file without encoding the image
    /// again; otherwise nil. The image must have all frames in their full size, and no transformer may have changed it.
    /// The program must not have set another format. The context must contain neither encode options nor a coder.
    fileprivate func encodedAnimation(_ context: RequestContext) -> Data? {
        guard context.encodeOptions == nil, context.coder == nil, !isTransformed, !isThumbnail,
            decodingOptions?.scaleDownLimitBytes == nil, decodingOptions?.firstFrameOnly != true
        else { return nil }
        guard let file = animatedImage?.animatedImageData else { return nil }
        return hasChosenFormat && ImageFormat(sniffing: file).container != imageFormat.container ? nil : file
    }
}
