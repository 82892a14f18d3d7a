import WebImageCore

/// Limits the number of stored pixel sizes without entries.
extension StoreWriter {
    /// The maximum number of sizes in each of the 256 key shards. The maximum total is 262,144 sizes, or about 10 MB.
    static let pixelSizesOfShard = 1024

    /// Removes sizes without an entry from one shard until at most `limit` sizes are left. Sizes with an entry stay,
    /// so more than `limit` sizes can be left.
    ///
    /// The removed sizes are arbitrary, because keys are hashes and the table has no dates.
    func prunePixelSizes(shard: UInt8, limit: Int = pixelSizesOfShard) throws(DatabaseError) {
        let end = shard == .max ? "" : " AND key < x'\(Self.digits(shard + 1))'"
        let range = "key >= x'\(Self.digits(shard))'" + end
        let count = try database.integer("SELECT count(*) FROM pixel_size WHERE \(range)") ?? 0
        guard count > limit else { return }
        try database.execute(
            """
            DELETE FROM pixel_size WHERE key IN (SELECT key FROM pixel_size WHERE \(range)
            AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.key = pixel_size.key) LIMIT \(count - limit))
            """)
    }

    private static func digits(_ shard: UInt8) -> String { (shard < 16 ? "0" : "") + String(shard, radix: 16) }
}
