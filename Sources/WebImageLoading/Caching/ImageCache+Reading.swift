public import Foundation
public import WebImageCore

extension ImageCache {
    // MARK: Bytes

    /// Returns whether there is a disk entry for a key. Does not read the bytes of the entry. Blocks the calling
    /// thread.
    public func diskImageDataExists(withKey key: String?) -> Bool {
        guard let key else { return false }
        return disk.sync(.after(.key(key))) { $0?.containsData(forKey: key) ?? false }
    }

    /// Returns the encoded data on disk, after a check that the data is undamaged. Blocks the calling thread.
    public func diskImageData(forKey key: String?) -> Data? { diskImageDataSync(forKey: key) }

    /// Returns the encoded data on disk, after a check that the data is undamaged. Blocks the calling thread.
    public func diskImageDataSync(forKey key: String?) -> Data? {
        guard let key else { return nil }
        return disk.sync(.after(.key(key))) { self.read(key, from: $0) }
    }

    /// Returns the encoded data on disk, after a check that the data is undamaged. The read runs on the cache's disk
    /// queue.
    public func diskImageData(forKey key: String?) async -> Data? {
        guard let key else { return nil }
        return await disk.run(.after(.key(key))) { self.read(key, from: $0) }
    }

    /// Whether the removal of an entry is not yet on the disk; after ``flush()``, because the disk could not record it. False
    /// if the disk layer does not report this.
    package func awaitsDiskRemoval(forKey key: String) async -> Bool {
        await disk.run(.after(.key(key))) { _ in self.disk.recording?.awaitsRemoval(ofKey: key) ?? false }
    }

    /// Reads the encoded data on disk. Calls `completion` on the disk queue.
    package func readDiskData(forKey key: String?, completion: @escaping @Sendable (Data?) -> Void) {
        guard let key else { return disk.async { _ in completion(nil) } }
        disk.async(.after(.key(key))) { completion(self.read(key, from: $0)) }
    }

    func read(_ key: String, from disk: (any DiskCaching)?) -> Data? {
        disk?.data(forKey: key) ?? additionalData(key)
    }

    /// Returns the bytes of the file whose path ``additionalCachePathBlock`` returns.
    func additionalData(_ key: String) -> Data? {
        guard let path = additionalCachePathBlock?(key) else { return nil }
        return try? Data(contentsOf: URL(fileURLWithPath: path), options: config.diskCacheReadingOptions)
    }

    // MARK: Images

    /// Returns the image on disk. Reads and decodes the disk entry on the calling thread, and stores the image in
    /// memory. Blocks the calling thread.
    public func imageFromDiskCache(
        forKey key: String?, options: WebImageOptions = [], context: WebImageContext? = nil
    ) -> Image? {
        let start = withRemovals { $0.count }
        guard let key, let entry = diskResourceSync(forKey: key) else { return nil }
        let context = RequestContext(context)
        return decode(entry, key: key, with: decoder(key, options: options, context), context, startedAt: start)
    }

    /// Returns the image in memory. If the image is not in memory, returns the image on disk, and blocks the calling
    /// thread while it reads and decodes the disk entry.
    public func imageFromCache(
        forKey key: String?, options: WebImageOptions = [], context: WebImageContext? = nil
    ) -> Image? {
        if let key, let image = memoryImage(key, options: options, RequestContext(context)) { return image }
        return imageFromDiskCache(forKey: key, options: options, context: context)
    }

    /// Returns the image in memory if it matches the query, else nil.
    func memoryImage(_ key: String, options: WebImageOptions, _ context: RequestContext) -> Image? {
        guard let image = imageFromMemoryCache(forKey: key),
            context.entryIdentity.map({ image.isEntry(of: $0.key) }) ?? true
        else { return nil }
        // A look-up by string has no expected key. Therefore it accepts even an image with only the first frame of an
        // animation.
        return ImageMatcher(options: options, context: context)
            .adapted(image, takesPosters: context.entryIdentity == nil)
    }

    func decoder(_ key: String, options: WebImageOptions, _ context: RequestContext) -> EntryDecoder {
        var decoding = ImageDecoding(
            options, context: context, key: key, thumbnail: context.thumbnail, coders: coders)
        decoding.owner = context.entryIdentity?.key.scope.map { .scoped($0) } ?? .shared
        return EntryDecoder(key: context.entryIdentity?.key, decoding: decoding, options: options)
    }

    /// Decodes an entry and stores the image in memory. If no coder can decode the entry, removes the entry. Returns
    /// nil if the decode fails, or if the entry does not match the key and the options of `decoder`.
    ///
    /// - Parameter start: ``RecentRemovals/count`` when the query began. If the image was removed since, it is not stored.
    func decode(
        _ entry: EncodedResource, key: String, with decoder: EntryDecoder, _ context: RequestContext,
        startedAt start: UInt64
    ) -> Image? {
        guard decoder.accepts(entry) else { return nil }
        do throws(WebImageError) {
            let image = try decoder.decode(entry)
            // A look-up by string does not adapt the image to the options.
            let adapted =
                decoder.key == nil ? image : ImageMatcher(options: decoder.options, context: context).adapted(image)
            guard let adapted else { return nil }
            rememberSize(of: image, forKey: key)
            promote(image, of: entry, key: key, decodedBy: decoder, context, startedAt: start)
            return adapted
        } catch {
            if decoder.decoding.isUndecodable(entry.data, after: error) { removeCorruptDiskEntry(forKey: key) }
            return nil
        }
    }

    private func promote(
        _ image: Image, of entry: EncodedResource, key: String, decodedBy decoder: EntryDecoder,
        _ context: RequestContext, startedAt start: UInt64
    ) {
        let target = context.storeCache ?? .all
        guard keepsImagesInMemory, target.includesMemory,
            let (string, note) = place(of: image, from: entry, key: key, decoder, context),
            !wasRemoved(string, since: start)
        else { return }
        if let note { image.noteEntry(note) }
        storeImageToMemory(image, forKey: string)
        // Check again: a removal may have taken effect between the check and the store.
        if wasRemoved(string, since: start), memoryCache.object(forKey: string) === image {
            memoryCache.removeObject(forKey: string)
        }
    }

    private func wasRemoved(_ key: String, since start: UInt64) -> Bool {
        withRemovals { $0.include(key, after: start) }
    }

    /// Returns the memory key of an image that was read from disk. For a thumbnail, this is the key of the thumbnail,
    /// not the key of the original. Returns nil if the key is uncertain, because under a wrong key a load could
    /// receive the wrong image.
    private func place(
        of image: Image, from entry: EncodedResource, key: String, _ decoder: EntryDecoder, _ context: RequestContext
    ) -> (string: String, note: ImageEntries.Entry?)? {
        let shared = EntryKey.shared(key)
        let isShared = EntryDecoder(key: shared, decoding: decoder.decoding, options: decoder.options).accepts(entry)
        let known = decoder.key ?? (isShared ? shared : nil)
        if !decoder.isVariant(entry), image.isThumbnail, !CacheKey.isThumbnail(key) {
            guard let known, known.scope == nil, let thumbnail = context.thumbnail else { return nil }
            let made = LoadKeys.thumbnail(thumbnail, of: known.source)
            let version = entry.record?.version ?? ContentDigest(entry.data)
            let joined = originalVersions.join(version, for: known.sourceFingerprint)
            return (made.string, ImageEntries.Entry(identity: .key(made), version: joined))
        }
        let version = entry.record.flatMap { record in
            record.version.flatMap { version in
                (record.source ?? known?.sourceFingerprint).map { originalVersions.join(version, for: $0) }
            }
        }
        if let key = decoder.key { return (key.string, ImageEntries.Entry(identity: .key(key), version: version)) }
        switch entry.record?.identity {
        case nil, .named: return (key, nil)
        case .typed(let fingerprint, _):
            return (key, ImageEntries.Entry(identity: .fingerprint(fingerprint, string: key), version: version))
        case .legacy:
            return known.map { (key, ImageEntries.Entry(identity: .key($0), version: version)) }
        }
    }
}

/// Access to encoded data together with the loader's metadata and the caller's extended data. The loader uses the
/// metadata to revalidate the data.
extension ImageCache {
    /// Returns the verified data on disk with its metadata and extended data. The read runs on the cache's disk queue.
    public func diskResource(forKey key: String?) async -> EncodedResource? {
        guard let key else { return nil }
        return await disk.run(.after(.key(key))) { self.resource(key, from: $0) }
    }

    /// Returns the verified data on disk with its metadata and extended data. Blocks the calling thread.
    public func diskResourceSync(forKey key: String?) -> EncodedResource? {
        guard let key else { return nil }
        return disk.sync(.after(.key(key))) { self.resource(key, from: $0) }
    }

    func resource(_ key: String, from disk: (any DiskCaching)?) -> EncodedResource? {
        if let recording = self.disk.recording {
            if let entry = recording.entry(forKey: key) { return entry }
        } else if let disk, let data = disk.data(forKey: key) {
            return EncodedResource(
                data: data, metadata: disk.metadata(forKey: key), extended: disk.extendedData(forKey: key))
        }
        guard let data = additionalData(key) else { return nil }
        var resource = EncodedResource(data: data)
        resource.record = .named
        return resource
    }

    /// Stores a loader's metadata with an existing entry; nil removes the metadata. The method returns immediately. The
    /// disk queue changes the metadata after it has written the entries that were passed to the cache earlier.
    public func storeMetadata(_ metadata: Data?, forKey key: String?) {
        guard let key else { return }
        disk.change(key) { $0?.setMetadata(metadata, forKey: key) }
    }
}

// Loads use these methods to read the versions of stored originals. They also use them to store the metadata of
// originals that the server has confirmed.
extension ImageCache {
    /// Returns the version in the record of a disk entry; nil if there is no entry for the key or its version is
    /// unknown.
    func diskVersion(of key: EntryKey) async -> ContentDigest? {
        await disk.run(.after(.key(key.string))) { _ in self.recordedVersion(of: key) }
    }

    /// Like the asynchronous method, but blocks the caller.
    func diskVersionSync(of key: EntryKey) -> ContentDigest? {
        disk.sync(.after(.key(key.string))) { _ in recordedVersion(of: key) }
    }

    /// Stores the metadata of an original that the server has confirmed. Does nothing if the entry on disk now has
    /// another version, because the validators of one version must never confirm the bytes of another version. If
    /// `version` or the version of the entry is unknown (nil), the metadata is stored.
    package func storeMetadata(_ metadata: Data?, forKey key: String?, version: ContentDigest?) {
        guard let key, let version else { return storeMetadata(metadata, forKey: key) }
        disk.change(key) { disk in
            let stored = self.disk.recording?.record(forKey: key)?.version
            if stored == nil || stored == version { disk?.setMetadata(metadata, forKey: key) }
        }
    }

    /// Runs on the disk queue.
    private func recordedVersion(of key: EntryKey) -> ContentDigest? {
        guard let record = disk.recording?.record(forKey: key.string) else { return nil }
        if case .typed(let fingerprint, _) = record.identity, fingerprint != key.fingerprint { return nil }
        return record.version
    }
}
