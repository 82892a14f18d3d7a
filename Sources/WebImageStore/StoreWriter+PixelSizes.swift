import WebImageCore

/// Bounding the remembered sizes of pictures whose entries are gone.
extension StoreWriter {
    /// Sizes remembered in each of the 256 shards of the keys: a quarter of a million in all, some 10 MB.
    static let pixelSizesOfShard = 1024

    /// Forgets sizes in one shard until at most `limit` are left, or only those that have an entry.
    ///
    /// Keys are hashes, so those forgotten are any: the table has no dates.
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
