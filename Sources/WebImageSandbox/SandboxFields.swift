import Foundation
import WebImageCore

/// Writes numbers of eight bytes, little-endian, and bytes with their count.
struct FieldWriter {
    private(set) var bytes = Data()

    mutating func write(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: Int) { write(UInt64(bitPattern: Int64(value))) }

    mutating func write(_ value: Double) { write(value.bitPattern) }

    mutating func write(_ data: Data) {
        write(data.count)
        bytes.append(data)
    }

    mutating func write(_ text: String) { write(Data(text.utf8)) }

    /// Writes one bit for each value, the first value in the lowest bit.
    mutating func write(flags: [Bool]) {
        write(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt64($1.offset) : 0) })
    }

    mutating func write(_ options: DecodingOptions) {
        write(flags: [
            options.firstFrameOnly, options.preserveAspectRatio, options.decodesToHDR,
            options.colorConversion == .asStored, options.thumbnailPixelSize != nil,
            options.scaleDownLimitBytes != nil,
        ])
        write(options.thumbnailPixelSize?.width ?? 0)
        write(options.thumbnailPixelSize?.height ?? 0)
        write(options.scaleDownLimitBytes ?? 0)
        write(options.pixelFormat.rawValue)
        let limits = options.limits
        for value in [
            limits.maxEncodedBytes, limits.maxPixels, limits.maxAnimationPixels, limits.maxFrameCount,
            limits.maxAncillaryChunkBytes, limits.maxAncillaryBytes, limits.maxDecodeBytes, limits.maxSide,
        ] { write(value) }
        write(Int(min(max(limits.maxDecodeTime / .milliseconds(1), 0), 1e15)))
    }

    /// The fields, followed by zeros.
    func padded(to count: Int) -> Data { bytes + Data(count: max(count - bytes.count, 0)) }
}

/// Reads what ``FieldWriter`` writes. Every function returns nil behind the end, and for a number out of its range.
struct FieldReader {
    private let bytes: Data
    private var offset = 0

    /// - Parameter bytes: The bytes of the other process, already copied, so that it cannot change them any more.
    init(_ bytes: Data) { self.bytes = bytes }

    /// The number of bytes that were not read yet.
    var rest: Int { bytes.count - offset }

    mutating func raw() -> UInt64? {
        guard rest >= 8 else { return nil }
        defer { offset += 8 }
        return bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    mutating func number(in range: ClosedRange<Int>) -> Int? {
        guard let value = raw().map({ Int(Int64(bitPattern: $0)) }), range.contains(value) else { return nil }
        return value
    }

    mutating func real(in range: ClosedRange<Double>) -> Double? {
        guard let value = raw().map(Double.init(bitPattern:)), range.contains(value) else { return nil }
        return value
    }

    /// Reads `count` bits.
    mutating func flags(_ count: Int) -> [Bool]? {
        guard let value = raw(), value >> UInt64(count) == 0 else { return nil }
        return (0..<count).map { value >> UInt64($0) & 1 != 0 }
    }

    /// Reads bytes with their count.
    mutating func data() -> Data? {
        guard let count = number(in: 0...max(rest - 8, 0)), count <= rest else { return nil }
        defer { offset += count }
        let start = bytes.startIndex + offset
        return Data(bytes[start..<start + count])
    }

    mutating func text() -> String? { data().map { String(decoding: $0, as: UTF8.self) } }

    /// Reads a list, whose elements take at least eight bytes each.
    mutating func list<Element>(_ element: (inout FieldReader) -> Element?) -> [Element]? {
        guard let count = number(in: 0...max(rest, 0) / 8) else { return nil }
        var list: [Element] = []
        list.reserveCapacity(count)
        for _ in 0..<count {
            guard let next = element(&self) else { return nil }
            list.append(next)
        }
        return list
    }

    mutating func options() -> DecodingOptions? {
        var options = DecodingOptions()
        let all = Int.min...Int.max
        guard let flags = flags(6), let width = number(in: all), let height = number(in: all),
            let scaleDown = number(in: all), let layout = number(in: all).flatMap(PixelFormat.init(rawValue:))
        else { return nil }
        options.firstFrameOnly = flags[0]
        options.preserveAspectRatio = flags[1]
        options.decodesToHDR = flags[2]
        options.colorConversion = flags[3] ? .asStored : .sRGB
        if flags[4] { options.thumbnailPixelSize = PixelSize(width: width, height: height) }
        if flags[5] { options.scaleDownLimitBytes = scaleDown }
        options.pixelFormat = layout
        let limits: [WritableKeyPath<DecodingLimits, Int>] = [
            \.maxEncodedBytes, \.maxPixels, \.maxAnimationPixels, \.maxFrameCount, \.maxAncillaryChunkBytes,
            \.maxAncillaryBytes, \.maxDecodeBytes, \.maxSide,
        ]
        for limit in limits {
            guard let value = number(in: all) else { return nil }
            options.limits[keyPath: limit] = value
        }
        guard let time = number(in: 0...Int.max) else { return nil }
        options.limits.maxDecodeTime = .milliseconds(time)
        return options
    }
}
