import Foundation
import WebImageCore

/// One change of an entry that waits for the next commit; nil data removes it.
struct PendingWrite: Sendable {
    var data: Data?
    var time: Int
    /// The plain key, when the index is to hold it.
    var name: String?
}

/// Everything that waits for the next commit; a pure value.
struct PendingWrites {
    private(set) var writes: [KeyHash: PendingWrite] = [:]
    private(set) var sizes: [KeyHash: PixelSize] = [:]
    private(set) var accesses: [KeyHash: Int] = [:]
    private(set) var byteCount = 0

    var isEmpty: Bool { writes.isEmpty && accesses.isEmpty && sizes.isEmpty }

    mutating func put(_ write: PendingWrite, for key: KeyHash) {
        byteCount += (write.data?.count ?? 0) - (writes[key]?.data?.count ?? 0)
        writes[key] = write
        accesses[key] = nil
    }

    mutating func noteAccess(_ key: KeyHash, at time: Int) { accesses[key] = time }
    mutating func put(_ size: PixelSize, for key: KeyHash) { sizes[key] = size }
}
