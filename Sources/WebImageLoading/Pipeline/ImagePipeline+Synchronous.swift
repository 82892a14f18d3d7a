import Foundation
import WebImageCore

/// The disk lookup and the decode on the calling thread, for `.queryMemoryDataSync` and `.queryDiskDataSync`. With
/// these options, the image is available before `loadImage` returns. A view then shows the image without a flicker.
extension ImagePipeline {
    /// Reads an image from disk and decodes it on the calling thread. Nil for a miss and for bytes that cannot be
    /// decoded. Nil also if the image requires asynchronous work, such as a transformer.
    func synchronousDiskHit(_ plan: LoadPlan) -> WebImageResult? {
        // A load without a key is in no cache.
        guard !plan.options.contains(.fromLoaderOnly), plan.variantKey != nil else { return nil }
        if plan.isVariant, plan.queryType.includesDisk, let cache = plan.cache.layers,
            let (image, entry) = decoded(plan.variantDecoder, cache, plan)
        {
            store.keepInMemorySync(image, plan, fromDisk: entry.record?.version)
            var hit = WebImageResult(image: image, encodedByteCount: entry.data.count, cacheType: .disk)
            hit.version = entry.record?.version
            return hit
        }
        guard plan.transformer == nil, plan.originalLookup.type.includesDisk,
            let cache = plan.originalLookup.cache.layers,
            let (image, entry) = decoded(plan.originalDecoder, cache, plan)
        else { return nil }
        // A variant remembers the version of its original; that of its bytes if the entry has none.
        let version = entry.record?.version ?? (plan.isVariant ? ContentDigest(entry.data) : nil)
        store.keepInMemorySync(image, plan, fromDisk: version)
        let original = EncodedResource(data: entry.data, cacheType: .disk, version: version)
        return WebImageResult(DecodedImage(image: image, source: image, original: original), plan)
    }

    private func decoded(
        _ decoder: EntryDecoder, _ cache: any ImageCacheLayers, _ plan: LoadPlan
    ) -> (image: Image, entry: EncodedResource)? {
        guard decoder.key != nil, let entry = disk.entrySync(decoder, in: cache, plan) else { return nil }
        do throws(WebImageError) {
            let image = try decoder.decode(entry)
            return plan.wanted.adapted(image).map { ($0, entry) }
        } catch {
            if plan.decoding.isUndecodable(entry.data, after: error) {
                cache.removeCorruptDiskEntry(forKey: decoder.key?.string)
            }
            return nil
        }
    }

    /// Returns the memory hit with its encoded data. Reads the data from disk on the calling thread.
    func completedSync(_ hit: WebImageResult, _ plan: LoadPlan) -> WebImageResult {
        var hit = hit
        let stored = plan.cache.layers?.diskResourceSync(forKey: plan.variantKey)
        hit.data = stored.flatMap { plan.variantDecoder.accepts($0) ? $0.data : nil }
        hit.encodedByteCount = hit.data?.count
        return hit
    }
}
