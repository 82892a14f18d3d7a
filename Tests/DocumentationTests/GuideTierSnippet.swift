import Foundation
import WebImage
import WebImageS3
import WebImageValkey

// snippet: guide-tier
/// The smallest tier. Replace the dictionary by the calls of your database.
actor MemoryTier: CacheTier {
    private var stored: [CacheTierKey: Data] = [:]

    func entry(for key: CacheTierKey, within budget: Duration) -> CacheTierEntry? {
        let entry = stored[key].flatMap { CacheTierEntry(encoded: $0, for: key) }
        return entry?.remainingLifetime(at: Date().timeIntervalSince1970) == nil ? nil : entry
    }
    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) -> Bool {
        stored[key] = entry.encoded(for: key)
        return stored[key] != nil
    }
    func remove(_ keys: [CacheTierKey], within budget: Duration) -> Bool {
        for key in keys { stored[key] = nil }
        return true
    }
}
// end

// snippet: guide-s3
/// Call this once, when the program starts. Then `s3://pictures/public/cat.jpg` is a URL like any other.
func loadFromABucket() throws(WebImageError) {
    let loader = try S3ImageLoader(buckets: ["s3://pictures/public?endpoint=https://store.example&region=eu-1"])
    ImageLoadersManager.shared.addLoader(loader)
}
// end

// snippet: guide-valkey
/// Call this once, when the program starts. The nearest tier is the first.
func shareOriginals() throws(WebImageError) {
    let tiers: [any CacheTier] = [MemoryTier(), try ValkeyTier(url: "valkey://cache.example")]
    ImageLoadersManager.shared.addLoader(TieredImageLoader(WebImageDownloader.shared, tiers: tiers))
}
// end
