import Testing
import WebImageTesting

@testable import WebImageLoading

struct HashIndexTableTests {
    /// If there are few different hashes, many entries collide and occupy long runs of slots. Removals split these
    /// runs. Some runs continue from the end of the table at its start. With few hashes, each look-up visits most entries, so
    /// the table has fewer.
    @Test(arguments: [(1, 60), (3, 90), (64, 300), (100_000, 300)] as [(hashes: UInt32, places: Int)])
    func hashIndexMatchesADictionaryUnderCollisions(hashes: UInt32, places: Int) {
        var random = SeededRandom(seed: UInt64(hashes))
        var table = HashIndexTable()
        var expected: [Int: UInt32] = [:]
        for _ in 0..<4_000 {
            let place = Int.random(in: 0..<places, using: &random)
            if let hash = expected.removeValue(forKey: place) {
                table.remove(place, hash: hash)
            } else {
                let hash = UInt32.max - UInt32.random(in: 0..<hashes, using: &random)
                table.insert(place, hash: hash)
                expected[place] = hash
            }
            #expect(table.count == expected.count)
            #expect(expected.allSatisfy { entry in table.first(entry.value) { $0 == entry.key } == entry.key })
            #expect(table.first(UInt32.max) { expected[$0] == nil } == nil)
        }
    }

    @Test func hashIndexComparesOnlyEqualHashes() {
        var table = HashIndexTable()
        // In a table of 16 slots, the hashes 5 and 21 select the same slot.
        table.insert(0, hash: 5)
        table.insert(1, hash: 21)
        var asked: [Int] = []
        #expect(
            table.first(21) {
                asked.append($0)
                return true
            } == 1)
        #expect(asked == [1])
    }
}
