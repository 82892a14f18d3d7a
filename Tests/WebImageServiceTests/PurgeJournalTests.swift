import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Processes of a machine, one after another, that read the logs of one tier or of two.
@Suite(.timeLimit(minutes: 1)) struct PurgeJournalTests {
    private let servers = [TierServer(), TierServer()]
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func disk() -> ImageCache { ImageCache(namespace: "purges", diskCacheDirectory: folder.url.path) }

    private func journal(_ tiers: [LinkedTier], disk: ImageCache?, shift: TimeInterval = 0) -> PurgeJournal {
        let levels = tiers.enumerated().map { CacheTiers.Level("server \($0)", $1, budget: .seconds(5)) }
        let journal = PurgeJournal(tiers: CacheTiers(levels), disk: disk, clock: ShiftedClock(shift: shift))
        journal.start()
        return journal
    }

    private var lineCounts: [Int] { servers.map { server in server.state.withLock { $0.start + $0.log.count } } }

    /// A machine forgets the older half of very many purges. Its next process sends none of them again, and uses no entry
    /// that one of them concerns.
    @Test(arguments: [true, false]) func forgottenPurgesAreKnownAfterARestart(hasTier: Bool) async throws {
        let old = (1...CachePurge.most).map { CachePurge(.tag("t\($0)"), isSoft: false, stamp: $0) }
        servers[0].state.withLock { $0.log = old }
        var entries: [PurgeTable.Verdict] = []
        for round in 0..<3 {
            let (disk, tier) = (disk(), LinkedTier(servers[0]))
            let journal = journal(hasTier ? [tier] : [], disk: disk)
            if hasTier {
                #expect(await tier.wasReadAgain())
            } else if round == 0 {
                #expect(await journal.purge(old.map(\.subject), isSoft: false) == [])
            } else {
                await journal.load()
            }
            if round == 0 { #expect(await journal.purge([.tag("last")], isSoft: false) == []) }
            entries.append(journal.verdict(tags: ["t7"], source: "", seen: 1))
            await disk.flush()
        }
        #expect(entries == [.hard, .hard, .hard])
        #expect(lineCounts[0] == CachePurge.most + (hasTier ? 1 : 0))
    }

    /// A process raises the stamp of a late purge. Both logs receive it, so that no later process finds the purge late again.
    @Test func logsOfTwoTiersAgreeAboutALatePurge() async throws {
        let ahead = servers.map { LinkedTier($0, isCut: true) }
        var first: PurgeJournal? = journal(ahead, disk: disk(), shift: 3600)
        #expect(await first?.purge([.tag("front")], isSoft: false) == ["server 0", "server 1"])
        let seen = try #require(first?.stamp)
        let other = journal(servers.map { LinkedTier($0) }, disk: nil)
        #expect(await other.purge([.tag("shop")], isSoft: false) == [])
        for tier in ahead { tier.isCut = false }
        #expect(await eventually { lineCounts.allSatisfy { $0 > 1 } })
        for tier in ahead { #expect(await tier.wasReadAgain()) }
        #expect(first?.verdict(tags: ["shop"], source: "", seen: seen) == .hard)
        first = nil
        let (counts, stamp) = (lineCounts, other.stamp)
        for _ in 0..<3 {
            let (tiers, disk) = (servers.map { LinkedTier($0) }, disk())
            let later = journal(tiers, disk: disk, shift: 3600)
            for tier in tiers { #expect(await tier.wasReadAgain()) }
            #expect(later.verdict(tags: ["shop"], source: "", seen: seen) == .hard)
            #expect(lineCounts == counts && other.stamp == stamp)
            await disk.flush()
        }
    }
}
