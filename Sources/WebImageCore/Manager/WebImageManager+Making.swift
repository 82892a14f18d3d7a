import Foundation

/// Decoding and transforming, each shared by all who want the same.
extension WebImageManager {
    /// The image after the given steps of the plan's transformer, those before the last shared with other loads.
    func transformed(
        _ plan: LoadPlan, _ steps: ArraySlice<any ImageTransformer>, _ handle: StageHandle
    ) async throws(WebImageError) -> DecodedImage? {
        guard let step = steps.last else { return try await decoded(plan, handle) }
        return try await transforms.withValue(
            for: plan.transformIdentity(steps), priority: handle.priority, listener: { handle.tell($0) },
            work: { inner throws(WebImageError) in
                let preview = inner.stage.mapping { news in
                    guard case .partial(let image) = news else { return news }
                    return .partial(Self.apply(step, to: image, plan, steps))
                }
                guard var made = try await self.transformed(plan, steps.dropLast(), preview) else { return nil }
                let input = made.image
                guard plan.mayTransform(input) else {
                    input.transformOptions = input.neededTransformOptions
                    return made
                }
                guard !Task.isCancelled else { throw .cancelled }
                made.image = try await self.observed(.transform, plan.url, { ($0.pixels.byteCount, nil) }) {
                    () throws(WebImageError) in
                    try await self.decodePool.run(cost: input.pixels.byteCount, priority: inner.priority) {
                        () throws(WebImageError) in Self.apply(step, to: input, plan, steps)
                    }
                }
                return made
            },
            body: { image throws(WebImageError) in image })
    }

    /// The step's result, or the image itself where the step declines.
    private static func apply(
        _ step: any ImageTransformer, to image: Image, _ plan: LoadPlan, _ steps: ArraySlice<any ImageTransformer>
    ) -> Image {
        guard plan.mayTransform(image), let transformer = plan.transformer else { return image }
        let suffix = steps.map(\.transformerKey).joined(separator: "-")
        let key = LoadKeys.key(plan.base ?? plan.url.absoluteString, thumbnail: plan.thumbnail, suffix: suffix)
        var deciding = image.neededTransformOptions
        if image.isTransformed { deciding.formUnion(image.transformOptions) }
        guard let result = step.transformedImage(with: image, forKey: key), result !== image else {
            // Nothing was changed that other options would have left.
            if !image.isTransformed { image.transformOptions = [] }
            return image
        }
        if transformer.preserveImageMetadata { result.copyMetadata(from: image) }
        result.isTransformed = true
        result.transformOptions = deciding
        result.isIncremental = image.isIncremental
        return result
    }

    private func decoded(
        _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> DecodedImage? {
        try await decodes.withValue(
            for: plan.decodedIdentity, priority: handle.priority, listener: { handle.tell($0) },
            work: { inner throws(WebImageError) in
                if let image = self.originalInMemory(plan) {
                    let version = image.originalVersion(as: plan.keys.original)
                    let original = OriginalData(data: Data(), cacheType: .memory, version: version)
                    return DecodedImage(image: image, source: image, original: original)
                }
                var made = try await self.decodedOriginal(plan, inner.stage)
                // A decode that runs when the last one is cancelled comes to its end: its picture is kept, not made again.
                if plan.transformer == nil, let image = made?.image, made?.original.isStandIn == false {
                    let version = made?.original.version
                    made?.unclaimed = Unclaimed { [weak self] in self?.keepInMemory(image, plan, joining: version) }
                }
                return made
            },
            body: { image throws(WebImageError) in image })
    }

    private func decodedOriginal(
        _ plan: LoadPlan, _ handle: StageHandle, skippingDisk: Bool = false
    ) async throws(WebImageError) -> DecodedImage? {
        let arrival = plan.streams ? ArrivingImage(plan, decodePool, handle) : nil
        var isDamaged = false
        let result = try await originals.withValue(
            for: plan.originalIdentity, priority: handle.priority,
            listener: { news in
                if case .bytes(let bytes, let offset) = news {
                    arrival?.append(bytes, at: offset)
                } else {
                    handle.tell(news)
                }
            },
            work: { inner throws(WebImageError) in
                try await self.original(plan, inner.stage, skippingDisk: skippingDisk)
            },
            body: { original throws(WebImageError) -> DecodedImage? in
                arrival?.end()
                guard let original else { return nil }
                do throws(WebImageError) {
                    return try await self.image(of: original, plan, handle)
                } catch {
                    guard original.cacheType == .disk, !skippingDisk,
                        try await self.isWorthless(original.data, after: error, plan, handle)
                    else {
                        if !error.isCancellation { original.unclaimed?.claim() }
                        throw error
                    }
                    isDamaged = true
                    return nil
                }
            })
        guard isDamaged else { return result }
        // What the disk held is no picture: forget it and fetch it again.
        (plan.source.cache as? any LayeredImageCaching)?.removeCorruptDiskEntry(forKey: plan.originalKey)
        return try await decodedOriginal(plan, handle, skippingDisk: true)
    }

    private func image(
        of original: OriginalData, _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> DecodedImage {
        if let image = original.image { return DecodedImage(image: image, source: image, original: original) }
        let decoder = EntryDecoder(key: nil, decoding: plan.decoding, options: plan.options)
        let stored = CachedResource(data: original.data, extended: original.extended)
        let (image, version) = try await decode(
            stored, decoder, plan, handle, tellsSize: plan.streams,
            digests: original.version == nil && (original.isNewest || plan.isVariant))
        var original = original
        original.version = original.version ?? version
        if original.cacheType == .none, plan.thumbnail == nil, plan.mayTransform(image), let delegate {
            return try await changed(image, original, plan, by: delegate, handle)
        }
        return DecodedImage(image: image, source: image, original: original)
    }

    /// What the delegate makes of a downloaded picture.
    private func changed(
        _ image: Image, _ original: OriginalData, _ plan: LoadPlan, by delegate: any WebImageManagerDelegate,
        _ handle: StageHandle
    ) async throws(WebImageError) -> DecodedImage {
        let changed = try await decodePool.run(cost: image.pixels.byteCount, priority: handle.priority) {
            () throws(WebImageError) in
            delegate.imageManager(self, transformDownloadedImage: image, with: plan.url)
        }
        guard let changed else {
            throw WebImageError(
                .badImageData, stage: .transform, url: plan.url, underlying: .message("the delegate gave no image"),
                hint: "Return the image itself to leave it as it is.")
        }
        guard changed !== image else { return DecodedImage(image: image, source: image, original: original) }
        changed.copyMetadata(from: image)
        changed.isTransformed = true
        // Without the fetched bytes it is encoded for the disk: what comes from there later is what was delivered.
        var original = original
        original.data = Data()
        return DecodedImage(image: changed, source: changed, original: original)
    }

    func decode(
        _ stored: CachedResource, _ decoder: EntryDecoder, _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> Image {
        try await decode(stored, decoder, plan, handle, tellsSize: false, digests: false).image
    }

    /// Decodes on the pool; there, too, the version of the bytes is made when it is wanted.
    private func decode(
        _ stored: CachedResource, _ decoder: EntryDecoder, _ plan: LoadPlan, _ handle: StageHandle, tellsSize: Bool,
        digests: Bool
    ) async throws(WebImageError) -> (image: Image, version: ContentDigest?) {
        guard !Task.isCancelled else { throw .cancelled }
        let decoding = decoder.decoding(of: stored)
        return try await observed(.decode, plan.url, { ($0.image.pixels.byteCount, nil) }) {
            () throws(WebImageError) in
            try await decodePool.run(
                measuring: {
                    if tellsSize, let size = decoding.size(of: stored.data) { handle.tell(.size(size)) }
                    return decoding.cost(of: stored.data)
                }, priority: handle.priority
            ) { () throws(WebImageError) in
                (try decoder.decode(stored), digests ? ContentDigest(stored.data) : nil)
            }
        }
    }

    /// Whether bytes from disk are to be forgotten because nobody makes a picture of them.
    func isWorthless(
        _ data: Data, after error: WebImageError, _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> Bool {
        guard error.code == .badImageData else { return false }
        let decoding = plan.decoding
        return try await decodePool.run(priority: handle.priority) { () throws(WebImageError) in
            decoding.isWorthless(data, after: error)
        }
    }
}

extension LoadPlan {
    /// The steps of the transformer; a transformer without parts is its own only step.
    var transformers: [any ImageTransformer] {
        guard let transformer else { return [] }
        guard let sequence = transformer as? any ImageTransformerSequence, !sequence.transformers.isEmpty else {
            return [transformer]
        }
        return sequence.transformers.flatMap { ($0 as? any ImageTransformerSequence)?.transformers ?? [$0] }
    }

    func mayTransform(_ image: Image) -> Bool {
        options.isSuperset(of: image.neededTransformOptions)
    }
}
