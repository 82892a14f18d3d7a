package import Foundation

extension ColorSignal {
    package struct TIFFLayout: Sendable, Hashable, CustomStringConvertible {
        package enum Storage: String, Sendable, CaseIterable { case strips, tiles, planes }
        /// The meaning of the sample after the colours (TIFF 6.0, `ExtraSamples`).
        package enum Extra: Int, Sendable, CaseIterable { case unspecified, associated, unassociated }

        package var storage = Storage.strips
        package var extra = Extra.unassociated
        package var isBigEndian = false

        package init(_ storage: Storage = .strips, _ extra: Extra = .unassociated, isBigEndian: Bool = false) {
            (self.storage, self.extra, self.isBigEndian) = (storage, extra, isBigEndian)
        }

        package var description: String {
            "\(storage.rawValue), \(extra), \(isBigEndian ? "big" : "little") endian"
        }
    }

    /// Returns an uncompressed TIFF file of one page.
    package func tiff(_ layout: TIFFLayout = TIFFLayout(), profile: Data? = nil) -> Data {
        let pixelBytes = channelCount * bits / 8
        let rows = rows(
            isBigEndian: layout.isBigEndian, isPremultiplied: hasAlpha && layout.extra == .associated)
        var parts: [Data]
        switch layout.storage {
        case .strips: parts = stride(from: 0, to: Self.side, by: 8).map { Data(rows[$0..<$0 + 8].joined()) }
        case .planes:
            parts = (0..<channelCount).map { channel in
                Data(rows.flatMap { plane(of: channel, inRow: $0) })
            }
        case .tiles:
            let starts = Array(stride(from: 0, to: Self.side, by: 16))
            parts = starts.flatMap { y in
                starts.map { x in
                    Data(rows[y..<y + 16].flatMap { $0[x * pixelBytes..<(x + 16) * pixelBytes] })
                }
            }
        }
        var file = TIFFBytes(isBigEndian: layout.isBigEndian)
        let offsets = parts.map { file.append($0) }
        file.add(256, shorts: [Self.side])
        file.add(257, shorts: [Self.side])
        file.add(258, shorts: Array(repeating: bits, count: channelCount))
        file.add(259, shorts: [1])
        file.add(262, shorts: [model == .gray ? 1 : model == .rgb ? 2 : 5])
        file.add(277, shorts: [channelCount])
        file.add(284, shorts: [layout.storage == .planes ? 2 : 1])
        if layout.storage == .tiles {
            file.add(322, shorts: [16])
            file.add(323, shorts: [16])
            file.add(324, longs: offsets)
            file.add(325, longs: parts.map(\.count))
        } else {
            file.add(273, longs: offsets)
            file.add(278, shorts: [layout.storage == .strips ? 8 : Self.side])
            file.add(279, longs: parts.map(\.count))
        }
        if hasAlpha { file.add(338, shorts: [layout.extra.rawValue]) }
        if let profile { file.add(34675, bytes: profile) }
        return file.finished()
    }

    private func plane(of channel: Int, inRow row: [UInt8]) -> [UInt8] {
        let sample = bits / 8
        let starts = stride(from: channel * sample, to: row.count, by: channelCount * sample)
        return starts.flatMap { row[$0..<$0 + sample] }
    }
}

/// Builds a TIFF file.
struct TIFFBytes {
    private let isBigEndian: Bool
    private var data: Data
    private var entries: [(tag: Int, type: Int, count: Int, value: Data)] = []

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
        data = Data((isBigEndian ? "MM" : "II").utf8)
        data += number(42, 2) + number(0, 4)
    }

    /// Appends bytes and returns their offset.
    mutating func append(_ bytes: Data) -> Int {
        if data.count % 2 == 1 { data.append(0) }
        defer { data += bytes }
        return data.count
    }

    mutating func add(_ tag: Int, shorts values: [Int]) {
        entries.append((tag, 3, values.count, values.reduce(Data()) { $0 + number($1, 2) }))
    }

    mutating func add(_ tag: Int, longs values: [Int]) {
        entries.append((tag, 4, values.count, values.reduce(Data()) { $0 + number($1, 4) }))
    }

    /// Adds a field of undefined bytes (type 7).
    mutating func add(_ tag: Int, bytes: Data) { entries.append((tag, 7, bytes.count, bytes)) }

    /// Adds a field of numbers from 0 to 255 (type 1).
    mutating func add(_ tag: Int, octets: [UInt8]) { entries.append((tag, 1, octets.count, Data(octets))) }

    mutating func add(_ tag: Int, text: String) {
        entries.append((tag, 2, text.utf8.count + 1, Data(text.utf8) + [0]))
    }

    /// Adds a field of fractions with signs (type 10).
    mutating func add(_ tag: Int, fractions: [Double]) {
        let values = fractions.reduce(Data()) { $0 + number(Int($1 * 10_000), 4) + number(10_000, 4) }
        entries.append((tag, 10, fractions.count, values))
    }

    /// Ends the file. The fields since the last directory are its first one.
    consuming func finished() -> Data {
        let directory = endDirectory()
        data.replaceSubrange(4..<8, with: number(directory, 4))
        return data
    }

    /// Writes a directory of the fields so far and returns its offset.
    mutating func endDirectory() -> Int {
        let sorted = entries.sorted { $0.tag < $1.tag }
        let values = sorted.map { entry in
            entry.value.count <= 4
                ? entry.value + Data(count: 4 - entry.value.count) : number(append(entry.value), 4)
        }
        let directory = append(number(sorted.count, 2))
        for (entry, value) in zip(sorted, values) {
            data += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + value
        }
        data += number(0, 4)
        entries = []
        return directory
    }

    private func number(_ value: Int, _ count: Int) -> Data {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return Data(isBigEndian ? bytes.reversed() : bytes)
    }
}
