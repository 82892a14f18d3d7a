package import Foundation

/// A video of which only some parts are here, in one piece of data: the parts in their order, a table of their places in the
/// video, and a mark.
///
/// Data begins with the start of the video, so it is recognised as one. It passes from a loader to a decoder, which can be in
/// another process, like every file. A decoder that needs a byte that is not here fails with ``WebImageError/missingVideoBytes``.
package struct VideoParts: Sendable, Equatable {
    /// A range of the video, and where it is in the data.
    package struct Part: Sendable, Equatable {
        package let video: Range<Int>
        package let place: Int
    }

    /// The number of bytes of the whole video.
    package let byteCount: Int
    /// Whether no further parts follow. A reader then meets the end of the video where a part is missing.
    package let isFinal: Bool
    package let parts: [Part]

    /// The most parts of a video.
    package static let mostParts = 256
    private static let mark = Data("webimage parts 1".utf8)
    private static let entryBytes = 16
    /// The bytes behind the table: the number of bytes of the video, whether it is final, the number of parts, and the mark.
    private static let endBytes = 8 + 4 + 4 + 16
    /// The most bytes that the table adds to those of the parts.
    package static let mostTableBytes = mostParts * entryBytes + endBytes

    /// Reads the table of data. Nil if the data is no video in parts, or its table contradicts itself: data from a server can
    /// have the mark too.
    package init?(_ data: UnsafeRawBufferPointer) {
        let end = data.count - Self.endBytes
        guard end > 0, data[(data.count - Self.mark.count)...].elementsEqual(Self.mark) else { return nil }
        func number(_ place: Int, _ count: Int) -> Int {
            data[place..<place + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.clamped
        }
        let count = number(end + 12, 4)
        guard 1...Self.mostParts ~= count, end - count * Self.entryBytes > 0 else { return nil }
        let table = end - count * Self.entryBytes
        (byteCount, isFinal) = (number(end, 8), number(end + 8, 4) == 1)
        var (parts, place) = ([Part](), 0)
        for index in 0..<count {
            let entry = table + index * Self.entryBytes
            let (start, length) = (number(entry, 8), number(entry + 8, 8))
            guard length > 0, length <= table - place, start >= parts.last?.video.upperBound ?? 0,
                start <= byteCount - length, index > 0 || start == 0
            else { return nil }
            parts.append(Part(video: start..<start + length, place: place))
            place += length
        }
        guard place == table else { return nil }
        self.parts = parts
    }

    /// Joins parts, which must be in their order, must not overlap, and must begin with the start of the video.
    package static func joined(_ parts: [(start: Int, bytes: Data)], byteCount: Int, isFinal: Bool) -> Data {
        var data = Data(capacity: parts.reduce(endBytes) { $0 + $1.bytes.count + entryBytes })
        func add(_ number: Int, _ count: Int) {
            for byte in 0..<count { data.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
        }
        for part in parts { data += part.bytes }
        for part in parts {
            add(part.start, 8)
            add(part.bytes.count, 8)
        }
        add(byteCount, 8)
        add(isFinal ? 1 : 0, 4)
        add(parts.count, 4)
        return data + mark
    }

    /// The number of bytes of the file that data is, or of whose parts it consists.
    package static func fileByteCount(of data: Data) -> Int {
        data.withUnsafeBytes { VideoParts($0)?.byteCount } ?? data.count
    }

    /// Whether data consists of the parts of a video.
    package static func areParts(_ data: Data) -> Bool { data.withUnsafeBytes { VideoParts($0) != nil } }

    /// The place of a byte of the video in the data, and the number of bytes from there to the end of its part. Nil if the byte
    /// is not here.
    package func place(of offset: Int) -> (place: Int, count: Int)? {
        guard let part = parts.first(where: { $0.video.contains(offset) }) else { return nil }
        return (part.place + offset - part.video.lowerBound, part.video.upperBound - offset)
    }
}

extension UInt64 {
    /// The number, if it can be a number of bytes. Otherwise one that no data has.
    fileprivate var clamped: Int { self < 1 << 62 ? Int(self) : 1 << 62 }
}

extension WebImageError {
    private static let partsLibrary = "video parts"

    /// Makes the error of a reader that needs bytes of a video that are not here.
    package static func missingVideoBytes(_ range: Range<Int>) -> WebImageError {
        .badData(partsLibrary, "the bytes \(range.lowerBound)-\(range.upperBound) are missing")
    }

    /// The bytes of a video that its reader needs; nil for every other error. They come from a process that decodes hostile
    /// data, so nothing is known about them.
    package var missingVideoBytes: Range<Int>? {
        guard code == .badImageData, case .codec(Self.partsLibrary, let message) = underlying else { return nil }
        let numbers = message.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count == 2, numbers[0] < numbers[1] else { return nil }
        return numbers[0]..<numbers[1]
    }
}
