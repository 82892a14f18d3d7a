import Foundation
import WebImageCore
import WebImageLoading

/// The log of purges on a server: a list of purges, and a head with the life of the list, its length since its beginning
/// and the last stamp. Scripts read and write both at once.
struct ValkeyPurgeLog {
    let head: String
    private let list: String

    /// The braces place both keys on one server of a cluster.
    init(namespace: String) {
        head = "\(ValkeyReports.prefix)\(namespace):{purges}"
        list = head + ":log"
    }

    /// The time for which the log is kept after the last purge: at least the lifetime of any entry.
    private static let lifetime = Duration.seconds(31_536_000)

    func append(_ purges: [CachePurge], era: String) -> [RESPCommand.Word] {
        [
            "EVAL", .init(Self.appending), "2", .init(head), .init(list), .init(era), .init(CachePurge.most),
            .init(Int(Self.lifetime / .milliseconds(1))),
        ] + purges.flatMap { [.init($0.stamp), .init($0.text)] }
    }

    /// The purges with the stamps of the answer; nil for a malformed answer.
    static func appended(_ purges: [CachePurge], _ answer: RESPValue) -> [CachePurge]? {
        guard let stamps = answer.elements?.map({ $0.string.flatMap { Int($0) } }), stamps.count == purges.count else {
            return nil
        }
        var result: [CachePurge] = []
        for (purge, stamp) in zip(purges, stamps) {
            guard let stamp else { return nil }
            result.append(CachePurge(purge.subject, isSoft: purge.isSoft, stamp: stamp))
        }
        return result
    }

    func read(after position: CachePurgePosition?) -> [RESPCommand.Word] {
        [
            "EVAL", .init(Self.reading), "2", .init(head), .init(list), .init(position?.era ?? ""),
            .init(position?.count ?? 0),
        ]
    }

    /// Nil for a malformed answer.
    static func news(_ answer: RESPValue, after position: CachePurgePosition?) -> CachePurgeNews? {
        guard let parts = answer.elements?.map(\.string) else { return nil }
        if parts.isEmpty { return CachePurgeNews(position: nil, purges: [], missed: 0) }
        guard parts.count >= 2, let era = parts[0], let count = parts[1].flatMap({ Int($0) }) else { return nil }
        // A line of a newer version is left out.
        let purges = parts.dropFirst(2).compactMap { $0.flatMap(CachePurge.init(line:)) }
        let known = position.map { $0.era == era && $0.count <= count ? $0.count : 0 } ?? 0
        return CachePurgeNews(
            position: CachePurgePosition(era: era, count: count), purges: purges,
            missed: max(count - known - (parts.count - 2), 0))
    }

    private static let appending = """
        local head = redis.call('get', KEYS[1])
        local era, count, last = ARGV[1], 0, 0
        if head then
          local e, c, l = string.match(head, '^(%w+) (%d+) (%d+)$')
          if e then
            last = tonumber(l)
            if redis.call('llen', KEYS[2]) > 0 then era, count = e, tonumber(c) end
          end
        end
        if count == 0 then redis.call('del', KEYS[2]) end
        local stamps = {}
        for i = 4, #ARGV, 2 do
          local stamp = tonumber(ARGV[i])
          if stamp <= last then stamp = last + 1 end
          last, count = stamp, count + 1
          local text = string.format('%.0f', stamp)
          redis.call('rpush', KEYS[2], text .. ' ' .. ARGV[i + 1])
          stamps[#stamps + 1] = text
        end
        redis.call('ltrim', KEYS[2], -tonumber(ARGV[2]), -1)
        local text = era .. ' ' .. string.format('%.0f', count) .. ' ' .. string.format('%.0f', last)
        redis.call('set', KEYS[1], text, 'PX', ARGV[3])
        redis.call('pexpire', KEYS[2], ARGV[3])
        return stamps
        """

    private static let reading = """
        local head = redis.call('get', KEYS[1])
        if not head then return {} end
        local era, count = string.match(head, '^(%w+) (%d+) ')
        if not era then return {} end
        local from, known = 0, tonumber(ARGV[2])
        if era == ARGV[1] and known <= tonumber(count) then
          if known == tonumber(count) then return {era, count} end
          from = known - tonumber(count)
        end
        local list = redis.call('lrange', KEYS[2], from, -1)
        if #list == 0 then return {} end
        table.insert(list, 1, count)
        table.insert(list, 1, era)
        return list
        """
}

/// Passes the events of connections on to the tier that uses them.
package final class ValkeyReports: Sendable {
    /// The prefix of the keys that a connection must track.
    package static let prefix = "wi1p:"

    private let handler = Locked<(@Sendable () -> Void)?>(nil)

    package init() {}

    package func receive(_ event: ValkeyConnection.Event) {
        switch event {
        // A connection that was lost has missed reports.
        case .connected, .changed, .flushed: handler.withLock { $0 }?()
        case .disconnected: break
        }
    }

    func whenPurged(_ handler: @escaping @Sendable () -> Void) { self.handler.withLock { $0 = handler } }
}
