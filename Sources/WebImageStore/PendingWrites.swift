import Foundation
import WebImageCore
import WebImageLoading

/// One pending change of an entry. If `data` is nil, the change removes the entry.
struct PendingWrite: Sendable {
    var data: Data?
    var time: Int
    /// The key as text; nil if the index must not store the text.
    var name: String?
    var record = EntryRecord.named
    /// The position of the write in its batch. `time` does not give the order, because several writes can have the same
    /// time.
    fileprivate(set) var number = 0

    /// Returns whether the entry has expired. A read of an expired entry is a miss.
    func isExpired(at now: Date) -> Bool { record.expires.map { $0 <= now } ?? false }
}

/// The kinds of additional bytes that an entry can have.
enum Companion: Hashable, Sendable {
    case extended
    case metadata
}

/// All changes that wait for the next commit. A value type without side effects.
struct PendingWrites {
    /// Identifies one companion by the key of its entry and its kind.
    struct CompanionKey: Hashable {
        let key: KeyHash
        let companion: Companion
    }

    /// A pending change of a companion; nil data removes the companion.
    struct Addition {
        let data: Data?
        let time: Int
    }

    private(set) var writes: [KeyHash: PendingWrite] = [:]
    private(set) var sizes: [KeyHash: PixelSize] = [:]
    private(set) var accesses: [KeyHash: Int] = [:]
    private(set) var additions: [CompanionKey: Addition] = [:]
    private(set) var byteCount = 0
    private var lastNumber = 0

    var isEmpty: Bool { writes.isEmpty && accesses.isEmpty && sizes.isEmpty && additions.isEmpty }

    mutating func put(_ write: PendingWrite, for key: KeyHash) {
        byteCount += (write.data?.count ?? 0) - (writes[key]?.data?.count ?? 0)
        lastNumber += 1
        var write = write
        write.number = lastNumber
        writes[key] = write
        accesses[key] = nil
        // Remove pending companions, because they belong to the old bytes.
        add(nil, at: CompanionKey(key: key, companion: .extended))
        add(nil, at: CompanionKey(key: key, companion: .metadata))
    }

    /// The writes in the order in which they were added. The order matters: the write of a newer version of an original
    /// removes the earlier variants that were made from older versions.
    var inOrder: [(key: KeyHash, value: PendingWrite)] { writes.sorted { $0.value.number < $1.value.number } }

    mutating func put(_ addition: Addition, at place: CompanionKey) { add(addition, at: place) }
    mutating func noteAccess(_ key: KeyHash, at time: Int) { accesses[key] = time }
    mutating func put(_ size: PixelSize, for key: KeyHash) { sizes[key] = size }

    /// Returns the pending state of one companion of an entry.
    func answer(at place: CompanionKey) -> Answer {
        if let addition = additions[place] {
            guard addition.data != nil, writes[place.key] == nil else { return .known(addition.data) }
            return .knownForExistingEntry(addition.data)
        }
        return writes[place.key] == nil ? .unknown : .known(nil)
    }

    /// The pending state of both companions of an entry.
    struct Companions: Equatable {
        let extended: Answer
        let metadata: Answer
    }

    enum Answer: Equatable {
        case unknown
        case known(Data?)
        case knownForExistingEntry(Data?)

        /// Returns the companion of an existing entry. Returns `stored` if no change is pending.
        func data(else stored: Data?) -> Data? {
            switch self {
            case .unknown: stored
            case .known(let data), .knownForExistingEntry(let data): data
            }
        }
    }

    private mutating func add(_ addition: Addition?, at place: CompanionKey) {
        if additions.isEmpty, addition == nil { return }
        // Drop the companion if the pending write removes its entry.
        let addition = writes[place.key].map { $0.data == nil } == true ? nil : addition
        byteCount += (addition?.data?.count ?? 0) - (additions[place]?.data?.count ?? 0)
        additions[place] = addition
    }
}
