import Foundation
import WebImageCore
import WebImageLoading

/// Knows the purges by source, tag and prefix of this machine and of the machines that use the same tiers.
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
        /// The positions in the logs up to which an earlier process has obeyed, by the name of the tier. Nil if it was of a
        /// version that has stored none.
        var obeyed: [String: CachePurgePosition]? = [:]
        /// Purges of this machine that a tier has not confirmed.
        var unconfirmed: [Int: [CachePurge]] = [:] { didSet { knownWaiting = nil } }
        private var knownWaiting: PurgeTable?
        /// The largest stamp that was read in the log of each tier, or that it has confirmed.
        var logged: [Int: Int] = [:]
        /// Purges that this machine has sent to the log of a tier and not yet read there.
        var sent: [Int: Set<CachePurge>] = [:]
        var isLoaded = false
        /// Whether no earlier process has left purges in the folder.
        var isNewHere = true
        var diskReadAt = Duration.zero
        var isRefreshing = false
        var refreshesAgain = false

        /// Adds the purges on the disk; nil if they are not new. Returns whether the disk lacks some.
        mutating func take(_ stored: StoredPurges?) -> Bool {
            defer { isLoaded = true }
            guard let stored else { return false }
            if !isLoaded { obeyed = stored.positions }
            isNewHere = false
            table.raise(stored.floors)
            for purge in stored.purges { table.add(purge) }
            // The other process may have replaced purges that it did not know.
            return stored.floors != table.floors || !Set(stored.purges).isSuperset(of: table.all)
        }

        /// The purges that none of the logs has confirmed.
        mutating func waiting(for logs: [Int]) -> PurgeTable {
            if let knownWaiting { return knownWaiting }
            let others = logs.dropFirst().map { Set(unconfirmed[$0, default: []].map(\.text)) }
            let found = logs.first.flatMap { unconfirmed[$0] } ?? []
            let table = found.filter { purge in others.allSatisfy { $0.contains(purge.text) } }
                .reduce(into: PurgeTable()) { $0.add($1) }
            knownWaiting = table
            return table
        }
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
    /// The name of the disk in the answer to a purge that could not be written there.
    static let diskName = "the disk cache"

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

    /// The purges that this machine knows, the oldest first.
    var all: [CachePurge] { state.withLock { $0.table.all } }

    /// Whether an entry may be used. Returns within microseconds.
    ///
    /// - Parameter seen: ``stamp`` from before the fetch; nil for an entry of a version without stamps.
    func verdict(tags: [String], source: String, seen: Int?) -> PurgeTable.Verdict {
        state.withLock { $0.table.verdict(tags: tags, source: source, seen: seen ?? 0) }
    }

    func verdict(of result: ResultEntry) -> PurgeTable.Verdict {
        verdict(tags: result.head.tags ?? [], source: result.head.source, seen: result.head.seen)
    }

    // MARK: Entries of other machines

    /// Returns the stamp with which an entry of a tier may be used and kept here; nil if it may not be used.
    ///
    /// Stamps of two machines can be compared as far as both are in a log: their clocks differ. So an entry is also refused
    /// if it matches any purge of this machine and has a stamp that this machine does not know, or matches a purge that no
    /// log has yet put after the entries of others.
    ///
    /// - Parameter seen: The stamp of the entry, by the machine that made it.
    func stamp(ofShared tags: [String], source: String, seen: Int) -> Int? {
        let logs = logs.map(\.index)
        return state.withLock { state in
            let isComparable = seen <= state.table.stamp && (logs.isEmpty || !state.logged.isEmpty)
            let verdict = state.table.verdict(tags: tags, source: source, seen: isComparable ? seen : 0)
            guard verdict == .valid,
                state.waiting(for: logs).verdict(tags: tags, source: source, seen: 0) == .valid
            else { return nil }
            // A later purge of this machine has a larger stamp than that.
            return min(seen, state.table.stamp)
        }
    }

    /// Returns the stamp with which other machines receive an entry: one that they can find in the logs.
    func sharedStamp(_ seen: Int) -> Int {
        logs.isEmpty ? seen : state.withLock { min(seen, $0.logged.values.max() ?? 0) }
    }

    // MARK: Purges

    /// Purges subjects here and on all machines that use the same tiers.
    ///
    /// Returns when the purge is on the disk, or cannot be written there.
    ///
    /// - Parameter isOnlyHere: Whether only this machine obeys.
    /// - Returns: ``diskName`` first if the disk lacks the purge. Then the names of the tiers with a log that have not
    ///   confirmed the purge. If no tier has a log, the names of all: other machines do not receive the purge.
    func purge(_ subjects: [CachePurge.Subject], isSoft: Bool, isOnlyHere: Bool = false) async -> [String] {
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
        // A process that is killed after its answer must not find the purged entries again.
        await disk?.flush()
        var silent = await isOnDisk(purges) ? [] : [Self.diskName]
        guard !isOnlyHere else { return silent }
        guard !logs.isEmpty else { return silent + (tiers?.levels.map(\.name) ?? []) }
        for (index, level) in logs where !(await append(purges, to: index, within: Self.budgets.write)) {
            state.withLock { $0.unconfirmed[index, default: []] += purges }
            silent.append(level.name)
        }
        return silent
    }

    /// Whether a later process finds the purges. A full disk keeps an older text, or none. True without a disk.
    private func isOnDisk(_ purges: [CachePurge]) async -> Bool {
        guard let disk else { return true }
        guard let data = await disk.diskImageData(forKey: Self.diskKey) else { return false }
        var table = PurgeTable()
        let stored = StoredPurges(data)
        table.raise(stored.floors)
        for purge in stored.purges { table.add(purge) }
        // A later purge of the same subject may have replaced this one.
        return purges.allSatisfy { table.knows($0) || !table.add($0) }
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
                state.logged[index] = max(state.logged[index] ?? 0, purge.stamp)
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

    /// Returns whether there was a line that this process had not read. The position behind it is then stored: a later process
    /// must not take a line of this one for that of another machine.
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
            let late =
                isNewHere
                ? [] : Self.late(in: unread, isFirst: position == nil, tier: (index, tiers.levels[index].name), state)
            let readsAll = unread.position?.logID != position?.logID || unread.position == nil
            let former = readsAll && before > 0 && purges.count < CachePurge.most ? state.table.all : []
            if unread.missed > 0, let first = purges.first { state.table.missed(upTo: first.stamp - 1) }
            var isNew = false
            for purge in purges where state.table.add(purge) { isNew = true }
            if let last = purges.last?.stamp { state.sent[index] = state.sent[index]?.filter { $0.stamp > last } }
            state.positions[index] = unread.position
            state.logged[index] = max(state.logged[index] ?? 0, purges.last?.stamp ?? 0)
            var missing = state.unconfirmed[index] ?? []
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
            // They stay among the unconfirmed ones until the log has them.
            if !lines.isEmpty { state.unconfirmed[index] = lines }
            // All logs get the new stamp. If they differed, a later process would take the smaller one for late.
            for (other, _) in logs where other != index && !repeated.isEmpty {
                state.unconfirmed[other, default: []] += lines.filter { repeated.contains($0.text) }
            }
            return (isNew, lines)
        }
        if !missing.isEmpty, await append(missing, to: index, within: Self.budgets.write) {
            // Another purge may have joined them meanwhile.
            let sent = Set(missing)
            state.withLock { state in
                let rest = state.unconfirmed[index]?.filter { !sent.contains($0) } ?? []
                state.unconfirmed[index] = rest.isEmpty ? nil : rest
            }
        }
        return isNew || position != unread.position
    }

    /// Returns the purges of other machines that are not newer than all entries of this machine, one for each subject.
    ///
    /// A line that this machine has obeyed, or has sent itself, is not among them; nor is one whose subject was purged again
    /// later than any entry of this machine. A line of its own does not cover the lines before it in the log: the entries that
    /// it has fetched since it purged are older than those.
    private static func late(
        in unread: UnreadPurges, isFirst: Bool, tier: (index: Int, name: String), _ state: State
    ) -> [CachePurge] {
        let before = state.table.stamp
        var (obeyed, isOld) = (0, false)
        if isFirst, let position = unread.position {
            isOld = state.obeyed == nil
            let known = state.obeyed?[tier.name]
            // The number of the first line counts from the beginning of the log.
            if let known, known.logID == position.logID {
                obeyed = known.count - (position.count - unread.purges.count)
            }
        }
        var subjects: [String: (newest: CachePurge, late: CachePurge?)] = [:]
        for (number, purge) in unread.purges.enumerated() where purge.isPlausible {
            let isLate =
                number >= obeyed && purge.stamp <= before && !state.table.knows(purge)
                && state.sent[tier.index]?.contains(purge) != true
            // An earlier version has obeyed the last line of a subject, and with it those before.
            let former = isOld ? nil : subjects[purge.text]?.late
            subjects[purge.text] = (purge, isLate ? purge : former)
        }
        return subjects.values.compactMap { $0.newest.stamp > before ? nil : $0.late }
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
        let known = onDisk.withLock { $0 }
        let stored = data == known ? nil : data.map(StoredPurges.init)
        let lacksPurges = onDisk.withLock { current in
            // Under both locks: a caller that finds the text known must find its purges in the table.
            if current == known, let data { current = data }
            return state.withLock { $0.take(stored) }
        }
        if lacksPurges { store() }
    }

    private func store() {
        guard let disk else { return }
        onDisk.withLock { known in
            let (table, positions) = state.withLock { state in
                let read = state.positions.map { (tiers?.levels[$0.key].name ?? "", $0.value) }
                return (state.table, (state.obeyed ?? [:]).merging(read) { $1 })
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            guard let data = try? encoder.encode(StoredPurges(table, positions: positions)), data != known else {
                return
            }
            known = data
            // Only adds the write to a queue.
            disk.storeImageData(data, forKey: Self.diskKey)
        }
    }
}
