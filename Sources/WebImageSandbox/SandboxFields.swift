import Foundation
import WebImageCore

/// Writes numbers of eight bytes, little-endian, and bytes with their count.
struct FieldWriter {
    // An array, because appending to `Data` costs a call for each number.
    private var storage: [UInt8] = []

    init(capacity: Int = SandboxRequest.size) { storage.reserveCapacity(capacity) }

    var bytes: Data { Data(storage) }

    mutating func write(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
    }

    mutating func write(_ value: Int) { write(UInt64(bitPattern: Int64(value))) }

    mutating func write(_ value: Double) { write(value.bitPattern) }

    mutating func write(_ data: Data) {
        write(data.count)
        storage.append(contentsOf: data)
    }

    mutating func write(_ text: String) { write(Data(text.utf8)) }

    /// Writes one bit for each value, the first value in the lowest bit.
    mutating func write(flags: [Bool]) {
        var bits: UInt64 = 0
        for flag in flags.reversed() { bits = bits << 1 | (flag ? 1 : 0) }
        write(bits)
    }

    mutating func write(_ options: DecodingOptions) {
        write(flags: [
            options.firstFrameOnly, options.preserveAspectRatio, options.decodesToHDR,
            options.colorConversion == .asStored, options.thumbnailPixelSize != nil,
            options.scaleDownLimitBytes != nil, options.sourceRegion != nil, options.video.time != nil,
        ])
        write(options.thumbnailPixelSize?.width ?? 0)
        write(options.thumbnailPixelSize?.height ?? 0)
        write(options.scaleDownLimitBytes ?? 0)
        let region = options.sourceRegion ?? PixelRegion(left: 0, top: 0, width: 0, height: 0)
        for value in [region.left, region.top, region.width, region.height] { write(value) }
        write(options.pixelFormat.rawValue)
        let (range, headroom): (Int, Double) =
            switch options.dynamicRange {
            case .standard: (0, 1)
            case .keep: (1, 1)
            case .high(let headroom): (2, headroom)
            }
        write(range)
        write(headroom)
        write(options.video.time ?? 0)
        write(options.video.previewFrameCount)
        let limits = options.limits
        for value in [
            limits.maxEncodedBytes, limits.maxPixels, limits.maxAnimationPixels, limits.maxFrameCount,
            limits.maxAncillaryChunkBytes, limits.maxAncillaryBytes, limits.maxDecodeBytes, limits.maxSide,
        ] { write(value) }
        write(Int(min(max(limits.maxDecodeTime / .milliseconds(1), 0), 1e15)))
    }

    /// The fields, followed by zeros, and further bytes.
    func padded(to count: Int, _ tail: Data = Data()) -> Data {
        var all = storage
        if all.count < count { all.append(contentsOf: repeatElement(0, count: count - all.count)) }
        all.append(contentsOf: tail)
        return Data(all)
    }
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

    /// Bits that were read.
    struct Flags {
        fileprivate let bits: UInt64
        subscript(_ index: Int) -> Bool { bits >> UInt64(index) & 1 != 0 }
    }

    /// Reads `count` bits.
    mutating func flags(_ count: Int) -> Flags? {
        guard let value = raw(), value >> UInt64(count) == 0 else { return nil }
        return Flags(bits: value)
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
        guard let flags = flags(8), let width = number(in: all), let height = number(in: all),
            let scaleDown = number(in: all)
        else { return nil }
        guard let left = raw(), let top = raw(), let across = raw(), let down = raw() else { return nil }
        if flags[6] {
            let sides = [left, top, across, down].map { Double(bitPattern: $0) }
            guard sides.allSatisfy({ $0.isFinite && abs($0) < 1e9 }), sides[2] > 0, sides[3] > 0 else { return nil }
            options.sourceRegion = PixelRegion(left: sides[0], top: sides[1], width: sides[2], height: sides[3])
        }
        options.firstFrameOnly = flags[0]
        options.preserveAspectRatio = flags[1]
        options.decodesToHDR = flags[2]
        options.colorConversion = flags[3] ? .asStored : .sRGB
        if flags[4] { options.thumbnailPixelSize = PixelSize(width: width, height: height) }
        if flags[5] { options.scaleDownLimitBytes = scaleDown }
        guard let layout = number(in: all).flatMap(PixelFormat.init(rawValue:)) else { return nil }
        options.pixelFormat = layout
        guard let range = number(in: 0...2), let headroom = real(in: 0...1e6) else { return nil }
        options.dynamicRange = range == 0 ? .standard : range == 1 ? .keep : .high(headroom: headroom)
        guard let time = real(in: 0...VideoOptions.longestTime),
            let previews = number(in: 1...VideoOptions.mostPreviews)
        else { return nil }
        options.video = VideoOptions(time: flags[7] ? time : nil, previewFrameCount: previews)
        guard let encoded = number(in: all), let pixels = number(in: all), let animation = number(in: all),
            let frames = number(in: all), let chunk = number(in: all), let ancillary = number(in: all),
            let decode = number(in: all), let side = number(in: all)
        else { return nil }
        (options.limits.maxEncodedBytes, options.limits.maxPixels) = (encoded, pixels)
        (options.limits.maxAnimationPixels, options.limits.maxFrameCount) = (animation, frames)
        (options.limits.maxAncillaryChunkBytes, options.limits.maxAncillaryBytes) = (chunk, ancillary)
        (options.limits.maxDecodeBytes, options.limits.maxSide) = (decode, side)
        guard let time = number(in: 0...Int.max) else { return nil }
        options.limits.maxDecodeTime = .milliseconds(time)
        return options
    }
}
