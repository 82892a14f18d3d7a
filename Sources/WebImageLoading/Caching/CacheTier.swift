public import Foundation
public import WebImageCore

/// A cache level below the disk that several machines share, such as a Valkey server or an S3 bucket.
///
/// A tier may be slow, wrong or gone: losing it costs time, never a picture. Every call ends within its budget, blocks
/// no thread, and reports a failure as a miss. The calls run on any thread, several at the same time.
///
/// A tier of your own needs the three functions. If it stores bytes, ``CacheTierEntry/encoded(for:)`` makes them and
/// ``CacheTierEntry/init(encoded:for:)`` verifies them. `CacheTierConformance` in `WebImageTesting` returns the promises
/// that a tier does not keep.
public protocol CacheTier: Sendable {
    /// Returns an entry; nil if the tier has none, cannot be reached, is too slow, or returns bytes that were not stored
    /// under this key. Never takes longer than `budget`.
    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry?
    /// Stores an entry for its lifetime. Gives up if the tier cannot be reached within `budget`.
    ///
    /// - Returns: Whether the tier has confirmed the entry.
    @discardableResult
    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool
    /// Removes entries. A key without an entry counts as removed.
    ///
    /// - Returns: Whether the tier has confirmed the removal of all of them.
    @discardableResult
    func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool
    /// What the tier does besides storing entries; nil, the default, for nothing. Only tiers of this package have it.
    var coordination: CacheTierCoordination? { get }
    /// Whether the tier may hold the pictures of single users: those that were loaded with a named ``CacheScope`` and their
    /// own header fields, and responses with `Cache-Control: private`. False by default. Set it only for a server that may
    /// know them. Its other readers need the same scope and header fields to find a picture; whoever can read the server
    /// itself can read all of them.
    var isPrivate: Bool { get }
}

extension CacheTier {
    /// Nothing.
    public var coordination: CacheTierCoordination? { nil }
    /// False: only pictures for everybody leave the machine.
    public var isPrivate: Bool { false }
}

/// What a tier of this package does besides storing entries: it counts its calls, lets one of many machines make an
/// entry, and passes purges on.
public struct CacheTierCoordination: Sendable {
    package let tier: any CoordinatingCacheTier

    package init(_ tier: any CoordinatingCacheTier) { self.tier = tier }
}

/// A tier that also coordinates machines.
package protocol CoordinatingCacheTier: CacheTier {
    /// Asks for the right to make the entry of `key`, so that of many machines one makes it. The right ends by itself.
    ///
    /// The right prevents double work; it does not prevent two holders after a failure of the tier. Both would store the
    /// same entry. The default gives no rights.
    func lease(_ key: CacheTierKey, for duration: Duration, within budget: Duration) async -> CacheTierLeaseAnswer
    /// What the tier has done. The default is empty.
    var statistics: CacheTierStatistics { get }
    /// How a list of tiers uses this one.
    var rules: CacheTierRules { get }

    /// Adds purges to the tier's log, in order. A purge receives a larger stamp if the log has its stamp already.
    ///
    /// - Returns: The purges with their stamps; nil if the tier has not confirmed them, or has no log (the default).
    func append(_ purges: [CachePurge], namespace: String, within budget: Duration) async -> [CachePurge]?
    /// Returns the purges behind a position; nil if the tier does not answer or has no log (the default).
    func purges(
        after position: CachePurgePosition?, namespace: String, within budget: Duration
    ) async -> UnreadPurges?
    /// Calls a function on any thread soon after the log may have changed. The default never calls it.
    func whenPurged(_ handler: @escaping @Sendable () -> Void)
}

/// How a list of tiers uses one of them.
package struct CacheTierRules: Sendable {
    /// The name in metrics and messages.
    package var name = "tier"
    /// The longest time that a read may add to a load.
    package var budget: Duration = .milliseconds(50)
    /// The longest time of one write in the background.
    package var writeBudget: Duration = .seconds(5)
    /// The size of the values that are written, in bytes.
    package var sizes: ClosedRange<Int> = 0...(32 << 20)
    /// Whether entries are written. A tier that another program fills is only read.
    package var isWritten = true
    /// Whether the tier may hold the entries of single users; see ``CacheTier/isPrivate``.
    package var isPrivate = false
    /// The time after which this tier is asked again whether another machine has purged a source.
    package var purgeInterval: Duration = .seconds(1)
    /// Whether the tier has a log of purges by tag and prefix.
    package var hasPurgeLog = false

    package init() {}
}

extension CoordinatingCacheTier {
    package var coordination: CacheTierCoordination? { CacheTierCoordination(self) }

    package var statistics: CacheTierStatistics { CacheTierStatistics() }

    package var rules: CacheTierRules { CacheTierRules() }

    package func append(
        _ purges: [CachePurge], namespace: String, within budget: Duration
    ) async -> [CachePurge]? { nil }

    package func purges(
        after position: CachePurgePosition?, namespace: String, within budget: Duration
    ) async -> UnreadPurges? { nil }

    package func whenPurged(_ handler: @escaping @Sendable () -> Void) {}

    package func lease(
        _ key: CacheTierKey, for duration: Duration, within budget: Duration
    ) async -> CacheTierLeaseAnswer { .unavailable }
}

/// The answer of a tier that is asked for the right to make an entry.
package enum CacheTierLeaseAnswer: Sendable {
    /// The caller has the right.
    case taken(any CacheTierLease)
    /// Another machine has it.
    case held
    /// The tier gives no rights, or does not answer.
    case unavailable

    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

/// The right to make an entry.
package protocol CacheTierLease: Sendable {
    /// Extends the right. Returns false if it was lost.
    func renew(for duration: Duration) async -> Bool
    /// Gives the right back, unless another machine has it by now.
    func end() async
}

/// What a tier has done since it was made.
package struct CacheTierStatistics: Sendable, Equatable {
    package var hits = 0
    package var misses = 0
    /// Values that were not what was put under their key, or had expired. Each was removed.
    package var rejected = 0
    /// Calls without an answer.
    package var failures = 0
    package var stored = 0
    package var readBytes = 0
    package var writtenBytes = 0
    /// The bytes of entries that were too large for the tier.
    package var refusedBytes = 0
    /// Whether calls are refused at once, because earlier ones failed.
    package var isOpen = false

    package init() {}
}

/// The name of an entry in a tier: a digest, from which neither the URL nor credentials can be read.
public struct CacheTierKey: Sendable, Hashable {
    /// Separates programs, and configurations of one program that store different bytes under equal keys.
    public let namespace: String
    /// 32 hexadecimal digits: the first 128 bits of the SHA-256 of namespace and cache key.
    public let digest: String
    /// Whether the entry belongs to one user, so that only private tiers may hold it.
    package private(set) var isPrivate = false

    /// Returns nil unless the entry may leave the machine: its scope must be ``CacheScope/shared``, and its original
    /// must have an `http` or `https` URL. The scope decides by its type; a key's text is never interpreted.
    package init?(namespace: String, cacheKey: String, url: URL, scope: CacheScope) {
        guard scope == .shared, let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            url.user == nil, url.password == nil
        else { return nil }
        self.init(namespace: namespace, cacheKey: cacheKey)
    }

    /// The key of an entry of one user; nil unless its scope has a name and its original has an `http` or `https` URL.
    ///
    /// - Parameter cacheKey: Contains everything that decides the bytes, also the scope and the fields of the request.
    package init?(namespace: String, privateKey cacheKey: String, url: URL, scope: CacheScope) {
        guard case .scoped(let name) = scope,
            let plain = CacheTierKey(
                namespace: namespace, cacheKey: "private \(name.utf8.count):\(name)\(cacheKey)", url: url,
                scope: .shared)
        else { return nil }
        self = plain
        isPrivate = true
    }

    package init(namespace: String, cacheKey: String) {
        self.namespace = namespace
        digest = SHA256.shortName(of: "\(namespace.utf8.count):\(namespace)\(cacheKey)")
    }
}

/// What a tier stores under one key.
public struct CacheTierEntry: Sendable, Equatable {
    /// The content of an entry.
    public enum Content: Sendable, Equatable {
        /// A picture's bytes, the metadata of the loader that fetched them, and data of the program.
        case value(data: Data, metadata: Data?, extended: Data?)
        /// The origin has no picture (404, 410): no machine asks it again during the entry's lifetime.
        case absent
    }

    /// The content.
    public var content: Content
    /// The size of the picture; nil when unknown.
    public var pixelSize: PixelSize?
    /// When the entry was stored, in seconds since 1970, by the clock of the machine that stored it.
    public var stored: TimeInterval
    /// How long the entry may be used after it was stored.
    public var lifetime: Duration
    /// By how many seconds the clock that wrote the entry is ahead, as far as the tier knows; ``stored`` is corrected by it, the
    /// times within the metadata are not. 0 if the clocks agree or the tier cannot know.
    package var clockAhead: TimeInterval = 0

    /// Creates an entry. See the properties for the parameters.
    public init(_ content: Content, pixelSize: PixelSize? = nil, stored: TimeInterval, lifetime: Duration) {
        self.content = content
        self.pixelSize = pixelSize
        self.stored = stored
        self.lifetime = lifetime
    }

    /// The time for which the entry may still be used; nil if it has expired. An entry from the future, whose writer's
    /// clock is ahead, counts as stored now.
    ///
    /// - Parameter date: The time now, in seconds since 1970.
    public func remainingLifetime(at date: TimeInterval) -> Duration? {
        let age = min(max(date - stored, 0), 1e9)
        let remaining = lifetime - .seconds(age)
        return remaining > .zero ? remaining : nil
    }

    /// Returns the bytes to store: the entry with its key and a digest of everything. Nil if metadata or extended data
    /// has more than 48 KiB. Copies the picture once.
    public func encoded(for key: CacheTierKey) -> Data? {
        CacheTierEnvelope.encode(self, for: key).map { blocks in
            blocks.reduce(into: Data(capacity: blocks.reduce(0) { $0 + $1.count })) { $0.append($1) }
        }
    }

    /// Reads the output of ``encoded(for:)``. Nil if the bytes were changed or cut, or belong to another key. The lifetime
    /// is not checked; see ``remainingLifetime(at:)``.
    public init?(encoded bytes: Data, for key: CacheTierKey) {
        guard let entry = CacheTierEnvelope.decode(bytes, for: key) else { return nil }
        self = entry
    }
}

/// The stored form of an entry: a head of 80 bytes, metadata, extended data and value.
///
/// All numbers are little-endian: "WIT1", kind (1 value, 2 absent), stored (ms), lifetime (ms), the digest of the key,
/// the sizes of metadata, extended data and value, width and height, and a ``ContentDigest`` of everything. A reader
/// accepts only bytes that were written whole, for this key and in this format. The digest detects accidents; it does
/// not protect against a writer that creates false entries on purpose.
package enum CacheTierEnvelope {
    package static let headSize = 80
    /// The largest metadata and the largest extended data, in bytes.
    package static let mostMetadata = 48 << 10
    /// The most bytes of a stored form besides the value.
    package static let mostOverhead = headSize + 2 * mostMetadata
    private static let magic = Data("WIT1".utf8)

    /// Returns the blocks of the stored form; nil if metadata or extended data is too large. The value is not copied.
    package static func encode(_ entry: CacheTierEntry, for key: CacheTierKey) -> [Data]? {
        var (value, metadata, extended, kind) = (Data(), Data(), Data(), UInt64(2))
        if case .value(let data, let ofLoader, let ofCaller) = entry.content {
            (value, metadata, extended, kind) = (data, ofLoader ?? Data(), ofCaller ?? Data(), 1)
            // Distinguish absent data from empty data.
            if ofLoader != nil { kind |= 1 << 8 }
            if ofCaller != nil { kind |= 1 << 16 }
        }
        guard metadata.count <= mostMetadata, extended.count <= mostMetadata, let stored = milliseconds(entry.stored),
            let lifetime = milliseconds(entry.lifetime / .seconds(1))
        else { return nil }
        var head = magic
        head.append(word: kind, bytes: 4)
        head.append(word: stored, bytes: 8)
        head.append(word: lifetime, bytes: 8)
        head.append(contentsOf: key.digestBytes)
        head.append(word: UInt64(metadata.count), bytes: 4)
        head.append(word: UInt64(extended.count), bytes: 4)
        head.append(word: UInt64(value.count), bytes: 8)
        head.append(word: UInt64(clamping: entry.pixelSize?.width ?? 0), bytes: 4)
        head.append(word: UInt64(clamping: entry.pixelSize?.height ?? 0), bytes: 4)
        let described = metadata + extended
        head.append(digest(head: head, described: described, value: value))
        return [head + described, value]
    }

    /// Reads the stored form; nil if the bytes are not exactly an entry of this key.
    package static func decode(_ bytes: Data, for key: CacheTierKey, mostValue: Int = .max) -> CacheTierEntry? {
        guard bytes.count >= headSize else { return nil }
        let bytes = bytes[...]
        let start = bytes.startIndex
        let head = bytes[start..<start + headSize - 16]
        guard head.prefix(4) == magic else { return nil }
        let kind = head.word(at: 4, bytes: 4)
        let isValue = kind & 0xFF == 1
        guard isValue || kind == 2, kind >> 24 == 0, (kind >> 8 & 0xFF) < 2, (kind >> 16 & 0xFF) < 2,
            head.dropFirst(24).prefix(16).elementsEqual(key.digestBytes)
        else { return nil }
        let (metadataSize, extendedSize) = (head.word(at: 40, bytes: 4), head.word(at: 44, bytes: 4))
        let valueSize = head.word(at: 48, bytes: 8)
        guard metadataSize <= mostMetadata, extendedSize <= mostMetadata, valueSize <= mostValue,
            UInt64(bytes.count - headSize) == metadataSize + extendedSize + valueSize,
            isValue || bytes.count == headSize
        else { return nil }
        let described = bytes.dropFirst(headSize).prefix(Int(metadataSize + extendedSize))
        let value = bytes.dropFirst(headSize + described.count)
        guard bytes.dropFirst(headSize - 16).prefix(16) == digest(head: head, described: described, value: value) else {
            return nil
        }
        let (ofLoader, ofCaller) = (described.prefix(Int(metadataSize)), described.dropFirst(Int(metadataSize)))
        let stored = TimeInterval(head.word(at: 8, bytes: 8)) / 1000
        let lifetime = Duration.milliseconds(Int64(clamping: head.word(at: 16, bytes: 8)))
        let (width, height) = (Int(head.word(at: 56, bytes: 4)), Int(head.word(at: 60, bytes: 4)))
        return CacheTierEntry(
            isValue
                ? .value(
                    data: value.copied, metadata: kind >> 8 & 1 == 1 ? ofLoader.copied : nil,
                    extended: kind >> 16 & 1 == 1 ? ofCaller.copied : nil)
                : .absent,
            pixelSize: width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil, stored: stored,
            lifetime: lifetime)
    }

    private static func digest(head: Data, described: Data, value: Data) -> Data {
        ContentDigest(head + described + ContentDigest(value).data).data
    }

    private static func milliseconds(_ seconds: Double) -> UInt64? {
        // 300,000 years.
        guard seconds >= 0, seconds < 1e13 else { return nil }
        return UInt64(seconds * 1000)
    }
}

extension Data {
    fileprivate mutating func append(word: UInt64, bytes: Int) {
        for index in 0..<bytes { append(UInt8(truncatingIfNeeded: word >> (8 * index))) }
    }

    /// The number of `bytes` bytes at an offset from the start.
    fileprivate func word(at offset: Int, bytes: Int) -> UInt64 {
        withUnsafeBytes { memory in
            var word: UInt64 = 0
            for index in 0..<bytes { word |= UInt64(memory[offset + index]) << UInt64(8 * index) }
            return word
        }
    }

    /// A copy whose first byte has index 0, as a decoder may expect, and which does not keep the whole entry in memory.
    fileprivate var copied: Data { withUnsafeBytes { Data($0) } }
}

extension CacheTierKey {
    /// The 16 bytes of the digest, whose digits are in lower case.
    fileprivate var digestBytes: [UInt8] {
        var (bytes, high) = ([UInt8](), UInt8?.none)
        bytes.reserveCapacity(16)
        for digit in digest.utf8 {
            let number = digit <= UInt8(ascii: "9") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10
            if let first = high {
                bytes.append(first << 4 | number)
                high = nil
            } else {
                high = number
            }
        }
        return bytes
    }
}
