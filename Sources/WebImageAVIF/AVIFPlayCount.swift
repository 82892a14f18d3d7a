import Foundation
import WebImageCore

/// How often a sequence plays: the edit list of its track (ISO/IEC 14496-12 §8.6.6) says whether the track repeats, and the
/// track's duration until when. libavif reads and writes both from version 1.0 on.
struct AVIFPlayCount {
    private let file: HEIFBoxReader

    init(_ bytes: UnsafeRawBufferPointer) { file = HEIFBoxReader(bytes) }

    /// Times of all ones stand for a track without an end.
    private static func isEndless(_ number: Int, bytes: Int) -> Bool { number == 1 << (8 * bytes) - 1 }

    private func boxes(_ type: String, in range: Range<Int>) throws(WebImageError) -> [HEIFBoxReader.Box] {
        try file.boxes(in: range).filter { $0.type == type }
    }

    /// A number of 4 bytes in a box of version 0, of 8 bytes in version 1.
    private func time(at offset: Int, bytes: Int, in box: HEIFBoxReader.Box) throws(WebImageError) -> Int? {
        if bytes == 8 {
            let high = try file.number(at: offset, bytes: 4, in: box)
            guard high < 1 << 16 else { return nil }
        }
        let number = try file.number(at: offset, bytes: bytes, in: box)
        return bytes == 4 && Self.isEndless(number, bytes: 4) ? nil : number
    }

    /// The number of plays of the first track of pictures. 0 means for ever, also if there is no edit list.
    func read() throws(WebImageError) -> Int {
        guard let movie = try boxes("moov", in: 0..<file.bytes.count).first,
            let track = try boxes("trak", in: movie.content).first,
            let header = try boxes("tkhd", in: track.content).first,
            let edits = try boxes("edts", in: track.content).first,
            let list = try boxes("elst", in: edits.content).first
        else { return 0 }
        let start = list.content.lowerBound
        guard try file.number(at: start + 4, bytes: 4, in: list) == 1 else { return 0 }
        guard try file.number(at: start + 3, bytes: 1, in: list) & 1 == 1 else { return 1 }
        let width = try file.version(of: list) == 0 ? 4 : 8
        let place = header.content.lowerBound + (try file.version(of: header) == 0 ? 20 : 28)
        guard let once = try time(at: start + 8, bytes: width, in: list), once > 0,
            let all = try time(at: place, bytes: try file.version(of: header) == 0 ? 4 : 8, in: header)
        else { return 0 }
        return max(1, (all + once - 1) / once)
    }

    // MARK: Writing

    /// Returns the file with an edit list for `plays` in each track. The boxes behind it move, so that the places of the
    /// coded pictures are increased. Nil if the file has boxes that libavif before 1.0 does not write.
    func file(playing plays: Int) throws(WebImageError) -> Data? {
        let whole = 0..<file.bytes.count
        guard let movie = try boxes("moov", in: whole).first, let data = try boxes("mdat", in: whole).first,
            let movieHeader = try boxes("mvhd", in: movie.content).first,
            data.content.lowerBound > movie.content.upperBound
        else { return nil }
        let tracks = try boxes("trak", in: movie.content)
        let added = tracks.count * Self.editBytes
        var result = Data(file.bytes)
        func change(_ offset: Int, bytes: Int, _ value: Int) {
            for byte in 0..<bytes {
                result[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - byte)))
            }
        }
        func add(_ amount: Int, at offset: Int, in box: HEIFBoxReader.Box) throws(WebImageError) {
            change(offset, bytes: 4, try file.number(at: offset, bytes: 4, in: box) + amount)
        }
        for table in try offsetTables(in: movie) {
            let count = try file.number(at: table.content.lowerBound + 4, bytes: 4, in: table)
            for entry in 0..<min(count, table.content.count / 4) {
                try add(added, at: table.content.lowerBound + 8 + 4 * entry, in: table)
            }
        }
        for meta in try boxes("meta", in: whole) {
            for places in try boxes("iloc", in: file.rest(of: meta.content, after: 4)) {
                guard try file.version(of: places) == 0,
                    try file.number(at: places.content.lowerBound + 4, bytes: 2, in: places) == 0x4400
                else { return nil }
                var offset = places.content.lowerBound + 8
                for _ in 0..<(try file.number(at: offset - 2, bytes: 2, in: places)) {
                    let extents = try file.number(at: offset + 4, bytes: 2, in: places)
                    for extent in 0..<extents { try add(added, at: offset + 6 + 8 * extent, in: places) }
                    offset += 6 + 8 * extents
                }
            }
        }
        let total = try setDuration(of: movieHeader, plays, change)
        guard total != nil else { return nil }
        try add(added, at: movie.content.lowerBound - 8, in: .init(type: "", content: whole))
        // From the last track to the first one, so that the offsets before stay.
        for track in tracks.reversed() {
            guard let header = try boxes("tkhd", in: track.content).first,
                let once = try setDuration(of: header, plays, change)
            else { return nil }
            try add(Self.editBytes, at: track.content.lowerBound - 8, in: .init(type: "", content: whole))
            result.insert(contentsOf: Self.editBox(plays, duration: once), at: header.content.upperBound)
        }
        return result
    }

    private func offsetTables(in movie: HEIFBoxReader.Box) throws(WebImageError) -> [HEIFBoxReader.Box] {
        var found = [movie]
        for name in ["trak", "mdia", "minf", "stbl", "stco"] {
            var next: [HEIFBoxReader.Box] = []
            for box in found { next += try boxes(name, in: box.content) }
            found = next
        }
        return found
    }

    /// Multiplies the duration in the header of the movie or of a track. Returns the duration of one play. Nil if it has
    /// another form.
    private func setDuration(
        of header: HEIFBoxReader.Box, _ plays: Int, _ change: (Int, _ bytes: Int, Int) -> Void
    ) throws(WebImageError) -> Int? {
        let isWide = try file.version(of: header) == 1
        // Flags, two times, and then a track's number and 4 empty bytes, or a movie's time scale.
        let place = header.content.lowerBound + 4 + (isWide ? 16 : 8) + (header.type == "tkhd" ? 8 : 4)
        let once = try file.number(at: place, bytes: isWide ? 8 : 4, in: header)
        guard once > 0, once < 1 << 31 else { return nil }
        let (all, overflow) = once.multipliedReportingOverflow(by: plays)
        let largest = isWide ? Int.max : 1 << 32 - 2
        change(place, isWide ? 8 : 4, plays == 0 ? -1 : overflow ? largest : min(all, largest))
        return once
    }

    /// The bytes of the box `edts` with one edit.
    private static let editBytes = 36

    private static func editBox(_ plays: Int, duration: Int) -> [UInt8] {
        func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        // Flag 1: the edit list is repeated. The whole media from its start, at its own rate.
        let list =
            big(28) + Array("elst".utf8) + [0, 0, 0, plays == 1 ? 0 : 1] + big(1) + big(duration) + big(0) + [
                0, 1, 0, 0,
            ]
        return big(editBytes) + Array("edts".utf8) + list
    }
}
