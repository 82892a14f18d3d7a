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

    /// A machine without a folder purges before it has read a full log. It does not send all lines of the log again.
    @Test func purgeBeforeTheFirstLookAtAFullLogIsOneLine() async throws {
        servers[0].state.withLock { state in
            state.log = (1...CachePurge.most).map { CachePurge(.tag("t\($0)"), isSoft: false, stamp: $0) }
        }
        let tier = LinkedTier(servers[0], isCut: true)
        let journal = journal([tier], disk: disk())
        #expect(await journal.purge([.tag("own")], isSoft: false) == ["server 0"])
        tier.isCut = false
        #expect(await tier.wasReadAgain())
        #expect(lineCounts[0] == CachePurge.most + 1)
        #expect(journal.verdict(tags: ["t7"], source: "", seen: 6) == .hard)
    }

    /// A process has begun. Whatever asks first, the purges of the earlier process are known when it goes on.
    @Test func everyFirstLoadKnowsThePurgesOfTheDisk() async throws {
        let disk = disk()
        let journal = PurgeJournal(tiers: nil, disk: disk, clock: SystemClock())
        #expect(await journal.purge((0..<2_000).map { .tag("t\($0)") }, isSoft: false) == [])
        for _ in 0..<10 {
            let next = PurgeJournal(tiers: nil, disk: disk, clock: SystemClock())
            let verdicts = await withTaskGroup(of: PurgeTable.Verdict.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await next.load()
                        return next.verdict(tags: ["t7"], source: "", seen: 1)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(verdicts.allSatisfy { $0 == .hard })
        }
    }

    /// Two processes with one folder write in turn, without having read what the other wrote. No purge is lost.
    @Test func processesWithOneFolderKeepARepeatedPurge() async throws {
        let clock = VirtualClock()
        func process() -> (journal: PurgeJournal, disk: ImageCache) {
            let disk = disk()
            return (PurgeJournal(tiers: nil, disk: disk, clock: clock), disk)
        }
        func purge(_ tag: String, by process: (journal: PurgeJournal, disk: ImageCache)) async {
            _ = await process.journal.purge([.tag(tag)], isSoft: false)
            await process.disk.flush()
        }
        let first = process()
        await purge("shop", by: first)
        let second = process()
        await second.journal.load()
        let seen = second.journal.stamp
        clock.advance(by: .seconds(1))
        await purge("shop", by: second)
        clock.advance(by: .seconds(1))
        await purge("other", by: first)
        clock.advance(by: .seconds(6))
        await second.journal.load()
        await second.disk.flush()
        let third = process()
        await third.journal.load()
        #expect(third.journal.verdict(tags: ["shop"], source: "", seen: seen) == .hard)
        #expect(third.journal.verdict(tags: ["other"], source: "", seen: seen) == .hard)
    }

    /// A process raises the stamp of a late purge. Both logs receive it, so that no later process finds the purge late again.
    @Test func logsOfTwoTiersAgreeAboutALatePurge() async throws {
        let ahead = servers.map { LinkedTier($0, isCut: true) }
        let firstDisk = disk()
        var first: PurgeJournal? = journal(ahead, disk: firstDisk, shift: 3600)
        #expect(await first?.purge([.tag("front")], isSoft: false) == ["server 0", "server 1"])
        let seen = try #require(first?.stamp)
        let others = servers.map { LinkedTier($0) }
        let other = journal(others, disk: nil)
        #expect(await other.purge([.tag("shop")], isSoft: false) == [])
        for tier in ahead { tier.isCut = false }
        #expect(await eventually { lineCounts.allSatisfy { $0 > 1 } })
        for tier in ahead + others { #expect(await tier.wasReadAgain()) }
        #expect(first?.verdict(tags: ["shop"], source: "", seen: seen) == .hard)
        let haveRaised = await eventually {
            servers.allSatisfy { server in
                server.state.withLock { $0.log.contains { $0.subject == .tag("shop") && $0.stamp > seen } }
            }
        }
        #expect(haveRaised)
        weak let ended = first
        first = nil
        #expect(await eventually { ended == nil })
        await firstDisk.flush()
        // The other process may pass on what it reads in one log, on a busy machine some readings later.
        var (counts, equalReadings) = (lineCounts, 0)
        while equalReadings < 5 {
            for tier in others { #expect(await tier.wasReadAgain()) }
            equalReadings = lineCounts == counts ? equalReadings + 1 : 0
            counts = lineCounts
        }
        let stamp = other.stamp
        for _ in 0..<3 {
            let (tiers, disk) = (servers.map { LinkedTier($0) }, disk())
            let later = journal(tiers, disk: disk, shift: 3600)
            for tier in tiers { #expect(await tier.wasReadAgain()) }
            #expect(later.verdict(tags: ["shop"], source: "", seen: seen) == .hard)
            #expect(lineCounts == counts && other.stamp == stamp)
            await disk.flush()
        }
    }

    /// A machine whose clock is ahead was cut off, and has purged. The pictures that it fetched then have a larger stamp than a
    /// later purge of another machine, which must not use them.
    @Test func entryWithAnUnknownStampIsNotNewerThanAPurge() async throws {
        let (ahead, tier) = (LinkedTier(servers[0], isCut: true), LinkedTier(servers[0]))
        let (first, other) = (journal([ahead], disk: nil, shift: 3600), journal([tier], disk: nil))
        #expect(await first.purge([.tag("front")], isSoft: false) == ["server 0"])
        let seen = first.stamp
        #expect(await other.purge([.tag("shop")], isSoft: false) == [])
        #expect(seen > other.stamp)
        #expect(other.stamp(ofShared: ["shop"], source: "", seen: seen) == nil)
        // What matches no purge may be used. A later purge concerns it here.
        let kept = try #require(other.stamp(ofShared: ["other"], source: "", seen: seen))
        #expect(await other.purge([.tag("other")], isSoft: false) == [])
        #expect(other.verdict(tags: ["other"], source: "", seen: kept) == .hard)
        // Others cannot compare a stamp that is in no log.
        #expect(first.sharedStamp(seen) == 0)
        ahead.isCut = false
        #expect(await ahead.wasReadAgain())
        #expect(first.sharedStamp(seen) == seen)
    }

    /// A log that can be read does not confirm a purge. No entry of another machine is newer than this purge until the log has
    /// put it after the others, also not for the next process.
    @Test(arguments: [false, true]) func unconfirmedPurgeConcernsEveryEntryOfOthers(restarts: Bool) async throws {
        let disk = disk()
        let (ahead, tier) = (LinkedTier(servers[0]), LinkedTier(servers[0], isCut: true))
        let other = journal([ahead], disk: nil, shift: 3600)
        var own = journal([tier], disk: disk)
        #expect(await own.purge([.tag("shop")], isSoft: false) == ["server 0"])
        #expect(await other.purge([.tag("front")], isSoft: false) == [])
        let seen = other.stamp
        tier.refusesPurges = true
        tier.isCut = false
        #expect(await tier.wasReadAgain())
        #expect(own.stamp == seen)
        if restarts {
            await disk.flush()
            own = journal([tier], disk: self.disk())
            await own.load()
        }
        #expect(own.stamp(ofShared: ["shop"], source: "", seen: seen) == nil)
        if restarts { #expect(await tier.wasReadAgain()) }
        #expect(own.stamp(ofShared: ["shop"], source: "", seen: seen) == nil)
        tier.refusesPurges = false
        #expect(await eventually { own.stamp > seen })
        #expect(await tier.wasReadAgain())
        let later = own.stamp
        #expect(own.stamp(ofShared: ["shop"], source: "", seen: seen) == nil)
        #expect(own.stamp(ofShared: ["shop"], source: "", seen: later) == later)
    }
}
