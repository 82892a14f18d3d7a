import Foundation
import WebImageLoading

/// The commands for the log of purges on a server, and the meaning of their answers.
///
/// The log is a list of purges, and a head with the identifier of the list, its length since its beginning and the last
/// stamp. Scripts read and write both at once.
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

    /// The command that adds purges.
    ///
    /// - Parameter newLogID: The identifier of the log if it begins with these purges.
    func appendCommand(_ purges: [CachePurge], newLogID: String) -> [RESPCommand.Word] {
        [
            "EVAL", .init(Self.appendScript), "2", .init(head), .init(list), .init(newLogID), .init(CachePurge.most),
            .init(Int(Self.lifetime / .milliseconds(1))),
        ] + purges.flatMap { [.init($0.stamp), .init($0.text)] }
    }

    /// The purges with the stamps that the answer to ``appendCommand(_:newLogID:)`` contains; nil for a malformed answer.
    static func stamped(_ purges: [CachePurge], by answer: RESPValue) -> [CachePurge]? {
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

    /// The command that reads the purges behind a position.
    func readCommand(after position: CachePurgePosition?) -> [RESPCommand.Word] {
        [
            "EVAL", .init(Self.readScript), "2", .init(head), .init(list), .init(position?.logID ?? ""),
            .init(position?.count ?? 0),
        ]
    }

    /// The purges that the answer to ``readCommand(after:)`` contains; nil for a malformed answer.
    static func unread(in answer: RESPValue, after position: CachePurgePosition?) -> UnreadPurges? {
        guard let parts = answer.elements?.map(\.string) else { return nil }
        if parts.isEmpty { return UnreadPurges(position: nil, purges: [], missed: 0) }
        guard parts.count >= 2, let logID = parts[0], let count = parts[1].flatMap({ Int($0) }) else { return nil }
        // A line of a newer version is left out.
        let purges = parts.dropFirst(2).compactMap { $0.flatMap(CachePurge.init(line:)) }
        let known = position.map { $0.logID == logID && $0.count <= count ? $0.count : 0 } ?? 0
        return UnreadPurges(
            position: CachePurgePosition(logID: logID, count: count), purges: purges,
            missed: max(count - known - (parts.count - 2), 0))
    }

    private static let appendScript = """
        local head = redis.call('get', KEYS[1])
        local log, count, last = ARGV[1], 0, 0
        if head then
          local oldlog, oldcount, oldlast = string.match(head, '^(%w+) (%d+) (%d+)$')
          if oldlog then
            last = tonumber(oldlast)
            if redis.call('llen', KEYS[2]) > 0 then log, count = oldlog, tonumber(oldcount) end
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
        local text = log .. ' ' .. string.format('%.0f', count) .. ' ' .. string.format('%.0f', last)
        redis.call('set', KEYS[1], text, 'PX', ARGV[3])
        redis.call('pexpire', KEYS[2], ARGV[3])
        return stamps
        """

    private static let readScript = """
        local head = redis.call('get', KEYS[1])
        if not head then return {} end
        local log, count = string.match(head, '^(%w+) (%d+) ')
        if not log then return {} end
        local from, known = 0, tonumber(ARGV[2])
        if log == ARGV[1] and known <= tonumber(count) then
          if known == tonumber(count) then return {log, count} end
          from = known - tonumber(count)
        end
        local list = redis.call('lrange', KEYS[2], from, -1)
        if #list == 0 then return {} end
        table.insert(list, 1, count)
        table.insert(list, 1, log)
        return list
        """
}
