import Foundation
import WebImageCore

/// The sizes of all pictures that libheif decodes for the primary picture. They are read from the coded data, because
/// the declared sizes can be wrong.
///
/// libheif 1.15 does not verify the declared size in the box `ispe` before it decodes a picture. A file of 16 KB can
/// declare 64×64 px and decode to 8000×8000 px. This type therefore reads the HEVC sequence parameter sets in `hvcC`
/// and in the item data. It also reads the canvas sizes of grids and overlays (ISO/IEC 23008-12 §6.6.2). It refuses
/// data that it cannot read.
struct HEIFCodedSizes {
    /// The number of pixels of the largest coded picture or canvas.
    private(set) var largest = 0
    let file: HEIFItems
    private let limits: DecodingLimits
    /// The number of bytes of item data that can still be read before the limit is exceeded.
    private var budget: Int
    private let deadline: DecodeDeadline
    private var largestConfigured = 0
    /// The number of pixels that libheif decodes for each item. The keys are item numbers. A value is nil while the
    /// pixels of its item are being counted. If the count reaches an item with the value nil, the item contains itself.
    private var costs: [Int: Int?] = [:]

    /// Reads and checks the sizes.
    ///
    /// - Throws: `.limitExceeded` if one coded picture or canvas exceeds the pixel limit, or if all parts of the
    ///   primary picture together exceed eight times the pixel limit. `.badImageData` if the data cannot be read.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        file = try HEIFItems(bytes)
        self.limits = limits
        deadline = DecodeDeadline(limits)
        budget = limits.maxEncodedBytes
        for configuration in file.configurations {
            for unit in Self.units(of: UnsafeRawBufferPointer(rebasing: bytes[configuration])) {
                largestConfigured = max(largestConfigured, try size(of: unit))
            }
        }
        guard !file.primary.isEmpty else {
            throw HEIFBoxReader.unreadable("there is no primary picture")
        }
        for item in file.primary {
            let cost = try cost(of: item, depth: 0)
            let (most, overflow) = limits.maxPixels.multipliedReportingOverflow(by: 8)
            guard overflow || cost <= most else { throw .limit(.pixels, actual: cost, allowed: most) }
        }
    }

    /// Returns the number of pixels of all coded pictures that libheif decodes for an item.
    private mutating func cost(of item: Int, depth: Int) throws(WebImageError) -> Int {
        if let known = costs[item] {
            guard let known else { throw HEIFBoxReader.unreadable("a picture contains itself") }
            return known
        }
        guard depth < 16, costs.count < 1 << 16 else {
            throw HEIFBoxReader.unreadable("it consists of too many pictures")
        }
        costs[item] = .some(nil)
        var sum = try ownCost(of: item)
        for source in file.sources[item] ?? [] {
            let (next, overflow) = sum.addingReportingOverflow(try cost(of: source, depth: depth + 1))
            sum = overflow ? .max : next
        }
        costs[item] = sum
        return sum
    }

    private mutating func ownCost(of item: Int) throws(WebImageError) -> Int {
        var sum = 0
        guard let types = file.types[item] else {
            throw HEIFBoxReader.unreadable("a picture has no type")
        }
        for type in types {
            switch type {
            case "hvc1", "hev1":
                var pixels = largestConfigured
                for data in try file.data(of: item, budget: &budget) {
                    try Self.forEachUnit(of: data, deadline) { unit throws(WebImageError) in
                        pixels = max(pixels, try size(of: unit))
                    }
                }
                guard pixels > 0 else { throw HEIFBoxReader.unreadable("a coded picture has no size") }
                let (next, overflow) = sum.addingReportingOverflow(pixels)
                sum = overflow ? .max : next
            case "grid", "iovl":
                for data in try file.data(of: item, budget: &budget) {
                    try checkCanvas(data, isGrid: type == "grid")
                }
            case "iden": break
            default:
                throw .badData("HEIF", "the coding \(type) is unsupported", hint: "Convert it to HEIC or JPEG.")
            }
        }
        return sum
    }

    /// Returns the number of pixels that a sequence parameter set declares. Returns 0 for a unit of another type.
    private mutating func size(of unit: some Collection<UInt8>) throws(WebImageError) -> Int {
        guard let parameters = HEVCParameters(unit) else { return 0 }
        try take(parameters.pixelCount)
        largest = max(largest, parameters.codedPixelCount)
        return parameters.codedPixelCount
    }

    private mutating func take(_ pixels: Int) throws(WebImageError) {
        guard pixels <= limits.maxPixels else {
            throw .limit(.pixels, actual: pixels, allowed: limits.maxPixels)
        }
        largest = max(largest, pixels)
    }

    /// Checks the canvas size in the data of a grid or an overlay against the pixel limit.
    private mutating func checkCanvas(_ data: Data, isGrid: Bool) throws(WebImageError) {
        try data.withFileBytes { bytes throws(WebImageError) in
            let reader = HEIFBoxReader(bytes)
            let all = HEIFBoxReader.Box(type: "", content: 0..<bytes.count)
            let count = try reader.number(at: 1, bytes: 1, in: all) & 1 == 0 ? 2 : 4
            let start = isGrid ? 4 : 10
            let width = try reader.number(at: start, bytes: count, in: all)
            let height = try reader.number(at: start + count, bytes: count, in: all)
            try take(PixelSize(width: width, height: height).pixelCount)
        }
    }

    /// Returns the HEVC units in the content of an `hvcC` box. The units are parameter sets (ISO/IEC 14496-15
    /// §8.3.3.1).
    private static func units(of configuration: UnsafeRawBufferPointer) -> [Slice<
        UnsafeRawBufferPointer
    >] {
        var found: [Slice<UnsafeRawBufferPointer>] = []
        var offset = 23
        while offset + 3 <= configuration.count {
            let count = Int(configuration[offset + 1]) << 8 | Int(configuration[offset + 2])
            offset += 3
            for _ in 0..<count {
                guard offset + 2 <= configuration.count else { return found }
                let length = Int(configuration[offset]) << 8 | Int(configuration[offset + 1])
                let start = offset + 2
                offset = min(start + length, configuration.count)
                found.append(configuration[start..<offset])
            }
        }
        return found
    }

    /// Calls `body` with the first 512 bytes of each HEVC unit in the data of an item. The four bytes before a unit are
    /// read as its length. libheif also always reads four bytes.
    private static func forEachUnit(
        of data: Data, _ deadline: DecodeDeadline, _ body: (Data) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        var rest = data[...]
        var count = 0
        while rest.count >= 4 {
            count &+= 1
            if count & 1023 == 0 { try deadline.check() }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            try body(rest.prefix(min(length, 512)))
            rest = rest.dropFirst(length)
        }
    }
}
