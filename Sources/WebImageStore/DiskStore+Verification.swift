import Foundation

extension DiskStore {
    /// Reads every entry, removes damaged entries, and computes the totals again.
    ///
    /// Takes as long as reading the whole cache. Other threads can read and write during this time.
    func verify() -> (checked: Int, removed: Int) {
        flush()
        var checked = 0
        var bad = 0
        var last = 0
        while let page = page(after: last), let end = page.entries.last {
            last = end.id
            checked += page.entries.count
            for entry in page.entries {
                guard case .wrong = entry.value(in: page.folder) else { continue }
                var isRemoved = false
                write { writer throws(DatabaseError) in
                    isRemoved = try writer.remove(row: entry.id, generation: entry.generation)
                }
                if isRemoved { bad += 1 }
            }
        }
        write { writer throws(DatabaseError) in try writer.repairTotals() }
        return (checked, bad)
    }

    private func page(after id: Int) -> (folder: StoreFolder, entries: [StoredEntry])? {
        read { reader throws(DatabaseError) in (reader.folder, try reader.entries(after: id, limit: 64)) }
    }
}
