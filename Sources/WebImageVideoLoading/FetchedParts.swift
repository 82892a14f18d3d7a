import Foundation
import WebImageCore

/// The parts of a video that were fetched, and the rules for what is fetched next.
struct FetchedParts {
    /// The number of bytes of the whole video.
    let byteCount: Int
    private let mostBytes: Int
    private(set) var parts: [(start: Int, bytes: Data)] = []
    private(set) var fetchedBytes = 0
    /// The bytes of the last request.
    private var lastBytes = 0

    /// The bytes of the first request: the header of most videos, and the first frame of small ones.
    static let firstBytes = 256 << 10
    private static let mostBytesOfARequest = 1 << 20
    /// The distance up to which two parts are fetched as one. A reader may skip a few packets of sound.
    private static let gapBytes = 64 << 10

    init(start: Data, byteCount: Int, mostBytes: Int) {
        (self.byteCount, self.mostBytes) = (byteCount, mostBytes)
        add(start, at: 0)
    }

    var isWhole: Bool { parts.count == 1 && parts[0].bytes.count == byteCount }

    /// The parts as data for a decoder.
    ///
    /// - Parameter isFinal: Whether no further parts follow.
    func joined(isFinal: Bool) -> Data {
        isWhole ? parts[0].bytes : VideoParts.joined(parts, byteCount: byteCount, isFinal: isFinal)
    }

    /// Returns the range to fetch for missing bytes. Nil if nothing more may be fetched, or the bytes are not missing: the
    /// request comes from a decoder, which a hostile video may have taken over.
    func next(for missing: Range<Int>) -> Range<Int>? {
        let offset = missing.lowerBound
        guard offset >= 0, offset < byteCount, parts.count < VideoParts.mostParts,
            !parts.contains(where: { ($0.start..<$0.start + $0.bytes.count).contains(offset) })
        else { return nil }
        let before = parts.last { $0.start < offset }.map { $0.start + $0.bytes.count } ?? 0
        let after = parts.first { $0.start > offset }?.start ?? byteCount
        let continues = offset - before <= Self.gapBytes
        let start = continues ? before : offset
        // A reader that goes on needs more and more: the header of a long video, or frames until one is not black.
        let wanted =
            continues ? min(max(2 * lastBytes, Self.firstBytes), Self.mostBytesOfARequest) : Self.firstBytes
        let end = min(start + wanted, after)
        let allowed = min(end, start + mostBytes - fetchedBytes)
        return allowed > offset ? start..<allowed : nil
    }

    /// Adds bytes of a range that ``next(for:)`` returned.
    mutating func add(_ bytes: Data, at start: Int) {
        (lastBytes, fetchedBytes) = (bytes.count, fetchedBytes + bytes.count)
        var index = parts.firstIndex { $0.start > start } ?? parts.count
        if index > 0, parts[index - 1].start + parts[index - 1].bytes.count == start {
            index -= 1
            parts[index].bytes += bytes
        } else {
            parts.insert((start, bytes), at: index)
        }
        if index + 1 < parts.count, parts[index].start + parts[index].bytes.count == parts[index + 1].start {
            parts[index].bytes += parts.remove(at: index + 1).bytes
        }
    }
}
