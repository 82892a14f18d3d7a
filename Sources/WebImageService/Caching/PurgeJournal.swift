import Foundation
import WebImageCore
import WebImageLoading

/// Knows the purges by tag and prefix of this machine and of the machines that use the same tiers.
///
/// A purge changes no entry. Each entry has a stamp: the newest purge that was known when the fetch of its source began. An
/// entry with a tag that was purged later is not used. So a purge takes the same time for one entry as for a million, and
/// an entry that is stored late is found to be purged.
///
/// A tier with a log reports changes at once; every half second the log is also asked for. Without tiers, or with tiers
/// without a log, a purge holds for the processes that use the same cache folder.
final class PurgeJournal: Sendable {
    private struct State {
        var table = PurgeTable()
        /// The position in the log of each tier.
        var positions: [Int: CachePurgePosition] = [:]
        /// Purges of this machine that a tier has not confirmed.
        var unconfirmed: [Int: [CachePurge]] = [:]
        /// Purges that this machine has sent to the log of a tier and not yet read there.
        var sent: [Int: Set<CachePurge>] = [:]
        var isLoaded = false
        /// Whether no earlier process has left purges in the folder.
        var isNewHere = true
        var diskReadAt = Duration.zero
        var isRefreshing = false
        var refreshesAgain = false
    }

    private let tiers: CacheTiers?
    private let disk: ImageCache?
    private let clock: any DelayClock
    private let state = Locked(State())
    /// The last text that was read from the disk or written to it. Held while a text is made, so that an older text never
    /// replaces a newer one.
    private let onDisk = Locked<Data?>(nil)

    /// The time between two readings of the logs. Reports of changes come sooner.
    private static let interval = Duration.milliseconds(500)
    /// The time between two readings of the disk, which another process may have changed.
    private static let diskInterval = Duration.seconds(5)
    /// The longest time of one reading, and of one purge.
    private static let budgets = (read: Duration.milliseconds(200), write: Duration.seconds(2))
    private static let diskKey = "purges"

    /// - Parameter disk: The cache in which purges are kept; nil keeps them in memory.
    init(tiers: CacheTiers?, disk: ImageCache?, clock: any DelayClock) {
        (self.tiers, self.disk, self.clock) = (tiers, disk, clock)
    }

    /// Begins to read the logs of the tiers, until this object is released.
    func start() {
        guard !logs.isEmpty else { return }
        for (_, level) in logs { level.coordinating?.whenPurged { [weak self] in self?.refreshInBackground() } }
        repeatRefresh()
    }

    /// The names of the tiers with a log.
    var logNames: Set<String> { Set(logs.map(\.level.name)) }

    /// The tiers with a log.
    private var logs: [(index: Int, level: CacheTiers.Level)] {
        (tiers?.levels ?? []).enumerated().filter(\.element.rules.hasPurgeLog).map { ($0.offset, $0.element) }
    }

    private func repeatRefresh() {
        refreshInBackground()
        _ = clock.schedule(after: Self.interval) { [weak self] in self?.repeatRefresh() }
    }

    // MARK: Entries

    /// The newest known purge. An entry stores the value from before its fetch began.
    var stamp: Int { state.withLock { $0.table.stamp } }

    /// Whether an entry may be used. Returns within microseconds.
    ///
    /// - Parameter seen: ``stamp`` from before the fetch; nil for an entry of a version without stamps.
    func verdict(tags: [String], source: String, seen: Int?) -> PurgeTable.Verdict {
        state.withLock { $0.table.verdict(tags: tags, source: source, seen: seen ?? 0) }
    }

    func verdict(of result: ResultEntry) -> PurgeTable.Verdict {
        verdict(tags: result.head.tags ?? [], source: result.head.source, seen: result.head.seen)
    }

    // MARK: Purges

    /// Purges subjects here and on all machines that use the same tiers.
    ///
    /// - Returns: The names of the tiers with a log that have not confirmed the purge. If no tier has a log, the names of
    ///   all: other machines do not receive the purge.
    func purge(_ subjects: [CachePurge.Subject], isSoft: Bool) async -> [String] {
        await load()
        // Read the newest stamps first, so that this purge is the newest.
        await refresh()
        let now = Int(clock.date * 1000)
        let purges = state.withLock { state in
            subjects.map { subject in
                let purge = CachePurge(subject, isSoft: isSoft, stamp: max(now, state.table.stamp + 1))
                state.table.add(purge)
                return purge
            }
        }
        store()
        guard !logs.isEmpty else { return tiers?.levels.map(\.name) ?? [] }
        var silent: [String] = []
        for (index, level) in logs where !(await append(purges, to: index, within: Self.budgets.write)) {
            state.withLock { $0.unconfirmed[index, default: []] += purges }
            silent.append(level.name)
        }
        return silent
    }

    /// Returns whether the tier has confirmed the purges.
    private func append(_ purges: [CachePurge], to index: Int, within budget: Duration) async -> Bool {
        guard let tiers, let tier = tiers.levels[index].coordinating else { return false }
        // Before the call: the log may be read before the answer arrives.
        state.withLock { $0.sent[index, default: []].formUnion(purges) }
        guard let stored = await tier.append(purges, namespace: tiers.namespace, within: budget) else { return false }
        // The log may have raised the stamps.
        state.withLock { state in
            for purge in stored where purge.isPlausible {
                state.table.add(purge)
                state.sent[index, default: []].insert(purge)
            }
        }
        return true
    }

    // MARK: Reading

    private func refreshInBackground() {
        Task.detached(priority: .utility) { [weak self] in await self?.refresh() }
    }

    /// Reads what is new in the logs. A call during another one lets that one read again.
    private func refresh() async {
        let mayRun = state.withLock { state in
            if state.isRefreshing { state.refreshesAgain = true } else { state.isRefreshing = true }
            return !state.refreshesAgain
        }
        guard mayRun else { return }
        var readsAgain = true
        while readsAgain {
            await load()
            var isNew = false
            for (index, _) in logs where await readLog(of: index) { isNew = true }
            if isNew { store() }
            readsAgain = state.withLock { state in
                defer { state.refreshesAgain = false }
                if !state.refreshesAgain { state.isRefreshing = false }
                return state.refreshesAgain
            }
        }
    }

    /// Returns whether there was a purge that this machine did not know.
    private func readLog(of index: Int) async -> Bool {
        guard let tiers, let tier = tiers.levels[index].coordinating else { return false }
        let position = state.withLock { $0.positions[index] }
        guard
            let unread = await tier.purges(after: position, namespace: tiers.namespace, within: Self.budgets.read)
        else { return false }
        let (isNew, missing) = state.withLock { state -> (Bool, [CachePurge]) in
            let before = state.table.stamp
            let purges = unread.purges.filter(\.isPlausible)
            // A machine without an earlier process has no entries from before its first look at the log. If the log is full, it
            // would otherwise send all lines again after a purge of its own.
            let isNewHere = position == nil && unread.purges.count >= CachePurge.most && state.isNewHere
            // The log is in order, so the last line of a subject covers those before it.
            let late = Dictionary(purges.map { ($0.text, $0) }) { $1 }.values.filter {
                !isNewHere && $0.stamp <= before && !state.table.knows($0) && state.sent[index]?.contains($0) != true
            }
            let readsAll = unread.position?.logID != position?.logID || unread.position == nil
            let former = readsAll && before > 0 && purges.count < CachePurge.most ? state.table.all : []
            if unread.missed > 0, let first = purges.first { state.table.missed(upTo: first.stamp - 1) }
            var isNew = false
            for purge in purges where state.table.add(purge) { isNew = true }
            if let last = purges.last?.stamp { state.sent[index] = state.sent[index]?.filter { $0.stamp > last } }
            state.positions[index] = unread.position
            var missing = state.unconfirmed.removeValue(forKey: index) ?? []
            if !former.isEmpty {
                // The tier has lost its log, or this process reads the log for the first time. Send the purges that the log
                // lacks: an earlier process may have left some that no tier has confirmed, also of a subject that another
                // machine has purged.
                let (lines, own) = (Set(unread.purges), Set(missing.map(\.text)))
                let known = Dictionary(unread.purges.map { ($0.text, $0.stamp) }, uniquingKeysWith: max)
                missing += former.filter {
                    !own.contains($0.text)
                        && (position == nil ? !lines.contains($0) : known[$0.text] ?? 0 < $0.stamp)
                }
            }
            let repeated = Set(late.map(\.text))
            let lines = state.table.overtaking(late, in: missing)
            // All logs get the new stamp. If they differed, a later process would take the smaller one for late.
            for (other, _) in logs where other != index && !repeated.isEmpty {
                state.unconfirmed[other, default: []] += lines.filter { repeated.contains($0.text) }
            }
            return (isNew, lines)
        }
        if !missing.isEmpty, !(await append(missing, to: index, within: Self.budgets.write)) {
            state.withLock { $0.unconfirmed[index, default: []] += missing }
        }
        return isNew
    }

    // MARK: Disk

    /// Reads the purges of other processes with the same cache folder, at most every five seconds.
    func load() async {
        guard let disk else { return }
        let now = clock.now
        let isDue = state.withLock { state in
            guard !state.isLoaded || now - state.diskReadAt >= Self.diskInterval else { return false }
            state.diskReadAt = now
            return true
        }
        guard isDue else { return }
        let data = await disk.diskImageData(forKey: Self.diskKey)
        let isNew = onDisk.withLock { known in
            defer { known = data ?? known }
            return data != nil && data != known
        }
        let stored = isNew ? data.map(StoredPurges.init) : nil
        let lacksPurges = state.withLock { state in
            state.isLoaded = true
            guard let stored else { return false }
            state.isNewHere = false
            state.table.raise(stored.floors)
            for purge in stored.purges { state.table.add(purge) }
            // The other process may have replaced purges that it did not know.
            return stored.floors != state.table.floors || !Set(stored.purges).isSuperset(of: state.table.all)
        }
        if lacksPurges { store() }
    }

    private func store() {
        guard let disk else { return }
        onDisk.withLock { known in
            let table = state.withLock { $0.table }
            guard let data = try? JSONEncoder().encode(StoredPurges(table)), data != known else { return }
            known = data
            // Only adds the write to a queue.
            disk.storeImageData(data, forKey: Self.diskKey)
        }
    }
}
