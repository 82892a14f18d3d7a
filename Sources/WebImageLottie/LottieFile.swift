import Foundation
import WebImageCodecs
import WebImageCore

/// The JSON document of a file, and what it says about its size and its time.
struct LottieFile {
    /// The document that is given to rlottie.
    let json: Data
    private let facts: LottieFacts

    /// Reads a file.
    ///
    /// - Parameter isWhole: Whether the document is checked to its end, for ``json`` to be given to rlottie.
    init(_ data: Data, limits: DecodingLimits, isWhole: Bool = true) throws(WebImageError) {
        let json: Data
        if data.starts(with: [0x1F, 0x8B]) {
            json = try Self.unpacked(data, limits: limits)
        } else if data.starts(with: Data("PK".utf8)) {
            json = try LottieArchive(data, limits: limits).animation()
        } else {
            json = data
        }
        // The facts are those of the document that rlottie receives.
        let repaired = isWhole ? try LottieRepairs.apply(to: json) : json
        self.json = repaired
        facts = try repaired.withFileBytes { bytes throws(WebImageError) in try LottieFacts(bytes, isWhole: isWhole) }
    }

    /// The document as rlottie must see it, with a zero at its end.
    ///
    /// rlottie 0.1 and 0.2 do not turn a layer unless `ddd`, whose default is 0, stands before its transform. Writers that
    /// leave out defaults leave it out. A second one in the same layer takes the place of the first.
    var text: [CChar] {
        let insertion = Array("\"ddd\":0,".utf8)
        return [CChar](unsafeUninitializedCapacity: json.count + facts.layers.count * insertion.count + 1) {
            buffer, count in
            var place = 0
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            func add(_ bytes: UnsafeRawBufferPointer) {
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
                count += bytes.count
            }
            count = 0
            json.withUnsafeBytes { bytes in
                // A layer without any name would end with a comma.
                for start in facts.layers where bytes[start...].first(where: { $0 > 0x20 }) == UInt8(ascii: "\"") {
                    add(UnsafeRawBufferPointer(rebasing: bytes[place..<start]))
                    insertion.withUnsafeBytes(add)
                    place = start
                }
                add(UnsafeRawBufferPointer(rebasing: bytes[place...]))
            }
            buffer[count] = 0
            count += 1
        }
    }

    func info(_ limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        let size = PixelSize(width: Int(facts.width.rounded(.up)), height: Int(facts.height.rounded(.up)))
        try limits.checkPixels(size)
        let count = Int((facts.end - facts.start).rounded(.up))
        try limits.checkAnimation(size, frameCount: count)
        var info = ImageInfo(format: .lottie, storedSize: size)
        info.frameCount = count
        info.loopCount = 0
        info.hasAlpha = true
        // The last frame is shorter if the end lies between two frames.
        let frame = 1000 / facts.rate
        info.delaysMilliseconds = Array(repeating: frame, count: count)
        info.delaysMilliseconds[count - 1] = (facts.end - facts.start - Double(count - 1)) * frame
        return info
    }

    /// Whether the data is a Lottie document compressed with gzip. Unpacks the beginning only.
    static func isCompressedDocument(_ data: Data) -> Bool {
        guard data.count > 18, data.starts(with: [0x1F, 0x8B, 8]) else { return false }
        // Unpacking a part is not possible here, so that the size in the last four bytes decides whether it is worth it.
        let size = data.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard size > 0, size <= 4 << 20, let json = try? unpack(data, size: size) else { return false }
        return ImageFormat(sniffing: json) == .lottie
    }

    private static func unpacked(_ data: Data, limits: DecodingLimits) throws(WebImageError) -> Data {
        let size = data.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        try limits.checkEncodedBytes(size)
        return try unpack(data, size: size)
    }

    private static func unpack(_ data: Data, size: Int) throws(WebImageError) -> Data {
        guard let json = Inflation.unpack(data, .gzip, size: size) else { throw unpackable }
        return json
    }

    static let unpackable = WebImageError.badData(
        "lottie", "the file cannot be unpacked", hint: "Fetch the file again.")
}

/// The entries of a `.lottie` archive: a ZIP file.
private struct LottieArchive {
    private let data: Data
    private let limits: DecodingLimits
    private var entries: [String: (method: Int, packed: Int, size: Int, offset: Int)] = [:]

    /// Reads the directory at the end of the file.
    init(_ data: Data, limits: DecodingLimits) throws(WebImageError) {
        (self.data, self.limits) = (Data(data), limits)
        let tail = self.data.suffix(65_557)
        guard let mark = tail.lastRange(of: Data([0x50, 0x4B, 5, 6])), mark.lowerBound + 22 <= self.data.count else {
            throw Self.damaged
        }
        var place = number(mark.lowerBound + 16, 4)
        for _ in 0..<min(number(mark.lowerBound + 10, 2), 1000) {
            guard place + 46 <= self.data.count, number(place, 4) == 0x0201_4B50 else { throw Self.damaged }
            let (name, extra, comment) = (number(place + 28, 2), number(place + 30, 2), number(place + 32, 2))
            guard place + 46 + name <= self.data.count else { throw Self.damaged }
            let text = String(decoding: self.data[(place + 46)..<(place + 46 + name)], as: UTF8.self)
            entries[text] = (
                number(place + 10, 2), number(place + 20, 4), number(place + 24, 4), number(place + 42, 4)
            )
            place += 46 + name + extra + comment
        }
    }

    private static let damaged = WebImageError.badData(
        "lottie", "the archive is damaged", hint: "Fetch the file again.")

    /// The document of the first animation that the manifest names.
    func animation() throws(WebImageError) -> Data {
        let manifest = try? JSONSerialization.jsonObject(with: content("manifest.json")) as? [String: Any]
        let first = (manifest?["animations"] as? [[String: Any]])?.first?["id"] as? String
        for folder in ["animations", "a"] {
            if let first, entries["\(folder)/\(first).json"] != nil { return try content("\(folder)/\(first).json") }
        }
        throw .badData("lottie", "the archive names no animation")
    }

    private func content(_ name: String) throws(WebImageError) -> Data {
        guard let entry = entries[name], entry.offset + 30 <= data.count, number(entry.offset, 4) == 0x0403_4B50 else {
            throw Self.damaged
        }
        try limits.checkEncodedBytes(entry.size)
        let start = entry.offset + 30 + number(entry.offset + 26, 2) + number(entry.offset + 28, 2)
        guard start + entry.packed <= data.count else { throw Self.damaged }
        let packed = Data(data[start..<(start + entry.packed)])
        guard entry.method != 0 else { return packed }
        guard entry.method == 8, !packed.isEmpty else { throw Self.damaged }
        guard let json = Inflation.unpack(packed, .none, size: entry.size) else { throw LottieFile.unpackable }
        return json
    }

    private func number(_ place: Int, _ count: Int) -> Int {
        guard place >= 0, place + count <= data.count else { return 0 }
        return data[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
