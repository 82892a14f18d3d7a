import Foundation
import WebImageCore

/// A decoded image, as input and output of the transform and store stages.
struct DecodedImage: Sendable {
    var image: Image
    /// The decoded image before any transformer changes it.
    var source: Image
    var original: EncodedResource
}

/// Step 5 of a load. Decodes bytes into pixels on the decode pool.
struct DecodeStage: Sendable {
    let pool: DecodePool

    /// Decodes an entry.
    func image(
        of entry: EncodedResource, with decoder: EntryDecoder, _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> Image {
        try await decoded(entry, with: decoder, plan, handle, reportsSize: false, digests: false).image
    }

    /// Decodes an original. If the bytes were fetched and the load requests no thumbnail, the delegate can replace the
    /// decoded image.
    func picture(
        of original: EncodedResource, _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> DecodedImage {
        if let image = original.image { return DecodedImage(image: image, source: image, original: original) }
        // Decode the bytes alone: a record or metadata of a variant would set another size.
        var entry = original
        (entry.record, entry.metadata) = (nil, nil)
        let (image, version) = try await decoded(
            entry, with: EntryDecoder(key: nil, decoding: plan.decoding, options: plan.options), plan, handle,
            reportsSize: plan.streams, digests: original.version == nil && (original.isNewest || plan.isVariant))
        var original = original
        original.version = original.version ?? version
        let made = DecodedImage(image: image, source: image, original: original)
        guard original.cacheType == .none, plan.thumbnail == nil, plan.mayTransform(image), plan.host.hasDelegate else {
            return made
        }
        return try await changedByDelegate(made, plan, priority: handle.priority.priority)
    }

    private func changedByDelegate(
        _ made: DecodedImage, _ plan: LoadPlan, priority: LoadPriority
    ) async throws(WebImageError) -> DecodedImage {
        let image = made.image
        // The delegate is code of the program and may wait.
        let changed = try await UserCodePool.shared.run(priority: priority) {
            plan.host.changed(image, from: plan.url)
        }
        guard let changed else {
            throw WebImageError(
                .badImageData, stage: .transform, url: plan.url, underlying: .message("the delegate returned no image"),
                hint: "Return the unchanged image to keep it.")
        }
        guard changed !== image else { return made }
        changed.copyMetadata(from: image)
        changed.isTransformed = true
        // Drop the fetched bytes, so that the store stage encodes the changed image for the disk instead. Later loads
        // then receive the same image as this load.
        var original = made.original
        original.data = Data()
        return DecodedImage(image: changed, source: changed, original: original)
    }

    /// Decodes an entry. If `digests` is true, the decode pool also computes the digest of the bytes.
    private func decoded(
        _ entry: EncodedResource, with decoder: EntryDecoder, _ plan: LoadPlan, _ handle: StageHandle,
        reportsSize: Bool, digests: Bool
    ) async throws(WebImageError) -> (image: Image, version: ContentDigest?) {
        guard !Task.isCancelled else { throw .cancelled }
        let decoding = decoder.decoding(of: entry)
        let measure: @Sendable () -> Int = {
            if reportsSize, let size = decoding.size(of: entry.data) { handle.send(.size(size)) }
            return decoding.cost(of: entry.data)
        }
        let budget = WorkBudget(time: nil)
        let summary: ((image: Image, version: ContentDigest?)) -> StageSummary = {
            StageSummary(
                byteCount: $0.image.pixels.byteCount, image: $0.image, workerTimes: budget.workerTimes)
        }
        return try await plan.observed(.decode, summary) { () throws(WebImageError) in
            try await pool.run(measuring: measure, priority: handle.priority, budget: budget) {
                () throws(WebImageError) in
                (try decoder.decode(entry), digests ? ContentDigest(entry.data) : nil)
            }
        }
    }

    /// Returns whether the bytes must be removed from disk because no coder can decode them.
    func isUndecodable(
        _ data: Data, after error: WebImageError, _ plan: LoadPlan, priority: LoadPriorityHandle
    ) async throws(WebImageError) -> Bool {
        guard error.code == .badImageData else { return false }
        let decoding = plan.decoding
        return try await pool.run(priority: priority) { () throws(WebImageError) in
            decoding.isUndecodable(data, after: error)
        }
    }
}
