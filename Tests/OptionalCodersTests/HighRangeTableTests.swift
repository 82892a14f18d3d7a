import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageHEIF
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageJXL

/// Each kind of a picture with a high dynamic range, through each operation, into each format: what is kept, applied and
/// dropped. The guide `HighDynamicRange.md` prints the same table.
@Suite(.timeLimit(minutes: 10))
struct HighRangeTableTests {
    /// The gain map belongs to its picture at each place: its values are the brightness of the base. So a map that does not
    /// move with its picture is seen.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case both = "Ultra HDR JPEG (XMP and ISO)"
        case xmp = "Ultra HDR JPEG (XMP)"
        case iso = "Ultra HDR JPEG (ISO)"
        case apple = "HEIC of an iPhone"
        case heic = "HEIC with `tmap`"
        case avif = "AVIF with `tmap`"
        case high = "AVIF with `tmap`, PQ base"
        case jxl = "JPEG XL with `jhgm`"
        case pq = "PQ"
        case hlg = "HLG"

        var testDescription: String { rawValue }
    }

    enum Step: Equatable, CustomTestStringConvertible {
        case full, thumbnail, crop, region, flip, tint
        case turned(Int)

        static let all: [Step] = [.full, .thumbnail, .crop, .region, .flip, .tint] + (2...8).map { .turned($0) }
        var testDescription: String { "\(self)" }
    }

    static let outputs: [(format: ImageFormat, coder: any ImageCoder)] = [
        (.jpeg, ImageJPEGCoder.shared), (.jpegXL, ImageJPEGXLCoder.shared), (.avif, ImageAVIFCoder.shared),
        (.png, ImagePNGCoder.shared), (.webP, ImageWebPCoder.shared),
    ]

    private static let metadata = GainMapMetadata(
        channels: [.init(minimum: 0, maximum: 2, baseOffset: 0.02, alternateOffset: 0.02)], alternateHeadroom: 2)
    private static let highMetadata = GainMapMetadata(
        channels: [.init(minimum: 0, maximum: 2, baseOffset: 0.02, alternateOffset: 0.02)], baseHeadroom: 2,
        alternateHeadroom: 0)

    // MARK: Sources

    /// A smooth grey picture that has another value in each corner.
    private static func gray(_ width: Int, _ height: Int, of full: (Int, Int) = (64, 48)) throws -> Image {
        let image = try Image.generated(width: width, height: height) { x, y in
            let across: Double = (Double(x) + 0.5) * Double(full.0) / Double(width)
            let down: Double = (Double(y) + 0.5) * Double(full.1) / Double(height)
            let value = UInt8(20 + 2.4 * across + 1.2 * down)
            return (value, value, value, 255)
        }
        return Image(pixels: image.pixels, hasAlpha: false)
    }

    private static func lossless(_ image: Image, _ format: ImageFormat) throws -> Data {
        var options = EncodingOptions()
        (options.lossless, options.keepsHDR, options.quality) = (true, true, 1)
        let output = try #require(outputs.first { $0.format == format })
        return try output.coder.encode(image, format: format, options: options)
    }

    private static func coded(_ image: Image) throws -> HEIFBytes.Coded {
        try #require(HEIFBytes.coded(in: try lossless(image, .avif), .av1))
    }

    /// The same grey picture in PQ or HLG, with 16 bits.
    private static func curved(_ transfer: Int) throws -> Image {
        let pixels = try gray(64, 48).pixels.converted(to: .rgba16, isOpaque: true)
        // The white of a standard display is three quarters of HLG. Each part of the picture is brighter somewhere.
        if transfer == 18 {
            pixels.withUnsafeMutableBytes { bytes in
                let values = bytes.bindMemory(to: UInt16.self)
                for index in values.indices { values[index] = UInt16(min(Double(values[index]) * 1.25, 65535)) }
            }
        }
        return Image(
            pixels: pixels, colorProfile: ColorProfile(primaries: 9, transfer: transfer), hasAlpha: false)
    }

    private static func source(_ kind: Kind, _ orientation: ImageOrientation) throws -> Data {
        switch kind {
        case .both, .xmp, .iso:
            var base = try lossless(gray(64, 48), .jpeg)
            let exif = JPEGOrientation.segment(orientation)
            base.insert(contentsOf: exif, at: 20)
            let sample = GainMapSample(
                base: base, map: try lossless(gray(16, 12), .jpeg), channels: [[0, 2, 1, 0.02, 0.02]],
                headrooms: (0, 2))
            return sample.file(kind == .both ? .both : kind == .xmp ? .xmp : .iso)
        case .avif, .high:
            let (base, metadata) = kind == .avif ? (try gray(64, 48), metadata) : (try curved(16), highMetadata)
            var sample = ToneMapSample(
                .av1, base: try coded(base), map: try coded(gray(16, 12)), sizes: ((64, 48), (16, 12)),
                metadata: metadata.isoPayload)
            if kind == .high { (sample.baseColors, sample.alternateColors) = ((9, 16, 0), (1, 13, 0)) }
            (sample.turns, sample.isMirrored) = boxes(orientation)
            return sample.file
        case .heic, .apple:
            let coded = HEIFSizeTests.small
            var sample = ToneMapSample(
                .hevc, base: coded, map: coded, sizes: ((64, 64), (64, 64)), metadata: metadata.isoPayload)
            (sample.turns, sample.isMirrored) = boxes(orientation)
            guard kind == .apple else { return sample.file }
            sample.auxiliaryType = "urn:com:apple:photo:2020:aux:hdrgainmap"
            let packet =
                "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/"
                + "1.0/\" HDRGainMap:HDRGainMapVersion=\"131072\" HDRGainMap:HDRGainMapHeadroom=\"4\"/></x:xmpmeta>"
            var file = sample.boxes
            file.items[2] = .init(
                number: 3, type: "mime", data: Array(packet.utf8), size: (64, 64), references: ("cdsc", [2]))
            return file.file
        case .jxl where orientation != .up:
            // A codestream made from a JPEG has the JPEG's orientation; that of the map has it as the base has.
            let (base, map) = (try turnedCodestream(64, 48, orientation), try turnedCodestream(16, 12, orientation))
            let gainMap = GainMap(metadata: metadata, pixels: try gray(16, 12).pixels)
            return try gainMap.added(to: base, codestream: map)
        case .jxl:
            let image = try gray(64, 48)
            image.hdr = HDRDescription(gainMap: GainMap(metadata: metadata, pixels: try gray(16, 12).pixels))
            return try lossless(image, .jpegXL)
        case .pq, .hlg:
            return PNGOrientation.marking(try lossless(curved(kind == .pq ? 16 : 18), .png), orientation)
        }
    }

    /// The codestream of the grey picture, with an orientation in its header.
    private static func turnedCodestream(_ width: Int, _ height: Int, _ orientation: ImageOrientation) throws -> Data {
        var jpeg = try lossless(gray(width, height), .jpeg)
        jpeg.insert(contentsOf: JPEGOrientation.segment(orientation), at: 20)
        let file = try ImageJPEGXLCoder.shared.transcoded(jpeg: jpeg, limits: .default)
        return try file.withUnsafeBytes { bytes in
            let boxes = try HEIFBoxReader(bytes).boxes(in: 0..<bytes.count)
            // Each part begins with its number.
            return boxes.filter { $0.type == "jxlp" }.reduce(into: Data()) { $0 += bytes[$1.content.dropFirst(4)] }
        }
    }

    /// The boxes `irot` and `imir` of an orientation.
    private static func boxes(_ orientation: ImageOrientation) -> (turns: Int, isMirrored: Bool) {
        switch orientation {
        case .up: (0, false)
        case .upMirrored: (2, true)
        case .down: (2, false)
        case .downMirrored: (0, true)
        case .leftMirrored: (1, true)
        case .right: (3, false)
        case .rightMirrored: (3, true)
        case .left: (1, false)
        }
    }

    private static func decoder(_ kind: Kind) -> any ImageCoder {
        switch kind {
        case .both, .xmp, .iso: ImageJPEGCoder.shared
        case .apple, .heic: ImageHEICCoder.shared
        case .avif, .high: ImageAVIFCoder.shared
        case .jxl: ImageJPEGXLCoder.shared
        case .pq, .hlg: ImagePNGCoder.shared
        }
    }

    private static func image(
        _ kind: Kind, _ step: Step, _ range: DecodingOptions.DynamicRange = .keep
    ) throws -> Image {
        var orientation = ImageOrientation.up
        if case .turned(let number) = step { orientation = ImageOrientation(rawValue: number) ?? .up }
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange) = (.rgba8, range)
        if step == .thumbnail { options.thumbnailPixelSize = PixelSize(width: 40, height: 40) }
        if step == .region {
            options.sourceRegion = PixelRegion(left: 10.5, top: 7, width: 40, height: 36)
            options.thumbnailPixelSize = PixelSize(width: 20, height: 18)
        }
        let image = try decoder(kind).decode(try source(kind, orientation), options: options)
        switch step {
        case .crop: return try #require(image.croppedImage(with: CGRect(x: 13, y: 6, width: 31, height: 33)))
        case .flip: return try #require(image.flippedImage(withHorizontal: true, vertical: false))
        case .tint: return try #require(image.tintedImage(with: .white))
        default: return image
        }
    }

    // MARK: Results

    private static func word(_ hdr: HDRDescription?) -> String {
        let curve = hdr?.transfer.map { $0 == .perceptualQuantizer ? "PQ" : "HLG" }
        switch (hdr?.gainMap != nil, curve) {
        case (true, let curve?): return "\(curve) and map"
        case (true, nil): return "map"
        case (false, let curve?): return curve
        case (false, nil): return "dropped"
        }
    }

    static func result(_ kind: Kind, _ step: Step, _ format: ImageFormat) throws -> (String, Data) {
        var options = EncodingOptions()
        (options.keepsHDR, options.quality) = (true, 0.95)
        let output = try #require(outputs.first { $0.format == format })
        let data = try output.coder.encode(try image(kind, step), format: format, options: options)
        // The header of WebP does not say what the profile means.
        let hdr =
            format == .webP
            ? try output.coder.decode(data, options: Samples.straight).colorProfile?.hdr
            : try output.coder.imageInfo(of: data, limits: .default).hdr
        return (word(hdr), data)
    }

    /// The table of the guide: the results of the whole picture, by kind and output. Kinds with equal results share a row.
    private static func table() throws -> [String] {
        var rows: [(kinds: [String], results: String)] = []
        for kind in Kind.allCases {
            let results = (try outputs.map { try result(kind, .full, $0.format).0 }).joined(separator: " | ")
            if let row = rows.firstIndex(where: { $0.results == results }) {
                rows[row].kinds.append(kind.rawValue)
            } else {
                rows.append(([kind.rawValue], results))
            }
        }
        return rows.map { "| \($0.kinds.joined(separator: ", ")) | \($0.results) |" }
    }

    @Test func guidePrintsTheTable() throws {
        let guide = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/WebImage/WebImage.docc/HighDynamicRange.md"), encoding: .utf8)
        for row in try Self.table() { #expect(guide.contains(row + "\n"), "\(row)") }
    }

    @Test(arguments: Kind.allCases, Step.all) func eachStepKeepsOrDropsTheRange(_ kind: Kind, _ step: Step) throws {
        if case .turned(let number) = step { try expectTurned(try Self.image(kind, step), kind, number) }
        for (format, coder) in Self.outputs {
            let (word, data) = try Self.result(kind, step, format)
            let whole = try Self.result(kind, .full, format).0
            let isCurve = [.pq, .hlg].contains(kind)
            // A colour transformer keeps the curve of the pixels, and drops a map that the file brought. JPEG gets a new map
            // from such a curve.
            var wanted = whole
            if step == .tint {
                wanted = isCurve ? whole : kind == .high ? format == .jpeg ? "map" : "PQ" : "dropped"
            }
            #expect(word == wanted, "\(format)")
            guard word.hasSuffix("map"), !isCurve, step != .tint else { continue }
            var options = DecodingOptions()
            (options.pixelFormat, options.dynamicRange) = (.rgba8, .keep)
            try expectTogether(try coder.decode(data, options: options), kind, "\(format)")
        }
    }

    /// The picture is upright: its darkest and its brightest corner are where the orientation places them.
    private func expectTurned(_ image: Image, _ kind: Kind, _ orientation: Int) throws {
        // The picture in the samples of HEIC has equal sides and other values.
        if kind == .heic || kind == .apple { return }
        let (width, height) = (image.pixelSize.width, image.pixelSize.height)
        #expect((width, height) == (orientation < 5 ? (64, 48) : (48, 64)))
        let pixels = try image.pixels.converted(to: .rgba8)
        let corners = pixels.withUnsafeBytes { bytes in
            [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)].map { x, y in
                bytes[y * pixels.bytesPerRow + 4 * x]
            }
        }
        // The corners are top left, top right, bottom left, bottom right.
        let (darkest, brightest) =
            [2: (1, 2), 3: (3, 0), 4: (2, 1), 5: (0, 3), 6: (1, 2), 7: (3, 0), 8: (2, 1)][orientation] ?? (0, 3)
        #expect(corners[darkest] == corners.min() && corners[brightest] == corners.max(), "\(corners)")
    }

    /// The values of the map are those of the base at the same place.
    private func expectTogether(_ image: Image, _ kind: Kind, _ label: String) throws {
        let stored = try #require(image.hdr?.gainMap?.pixels)
        let map = try stored.converted(to: .rgb8, isOpaque: true)
        let ratio = Double(image.pixelSize.width) / Double(map.width)
        let wanted = kind == .apple || kind == .heic ? 1.0 : 4
        #expect(abs(ratio - wanted) < 0.5, "\(label): a map of \(map.width) for \(image.pixelSize)")
        // The base of a file with the higher range is not the picture whose values the map has.
        let base =
            image.pixels.format == .rgba8 ? image.pixels : try image.pixels.converted(to: .rgba8, isOpaque: true)
        guard kind != .high || image.pixels.format == .rgba16 else { return }
        let small = try base.scaled(to: map.size, isOpaque: true)
        var worst = 0.0
        for y in 0..<map.height {
            for x in 0..<map.width {
                let value = small.withUnsafeBytes { Double($0[y * small.bytesPerRow + 4 * x]) }
                let gain = map.withUnsafeBytes { Double($0[y * map.bytesPerRow + 3 * x]) }
                worst = max(worst, abs(gain - (kind == .apple ? Self.appleValue(value) : value)))
            }
        }
        #expect(worst <= 14, "\(label): the map is wrong by \(worst)")
    }

    /// Apple's factor as the logarithm that ISO 21496-1 stores, for a headroom of 4.
    private static func appleValue(_ value: Double) -> Double {
        let part = value / 255
        let light = part < 0.081 ? part / 4.5 : pow((part + 0.099) / 1.099, 1 / 0.45)
        return log2(1 + 3 * light) / 2 * 255
    }

    /// Each map is applied on request, for a display.
    @Test(arguments: Kind.allCases, [Step.full, .thumbnail, .region, .turned(6), .turned(5)])
    func mapIsApplied(_ kind: Kind, _ step: Step) throws {
        guard ![.pq, .hlg].contains(kind) else { return }
        let (kept, high) = (try Self.image(kind, step), try Self.image(kind, step, .high(headroom: 3)))
        #expect(high.pixels.format == .rgbaHalf && high.hdr == nil && high.pixelSize == kept.pixelSize)
        let wanted = try #require(kept.hdr?.gainMap).applied(
            to: try kept.pixels.converted(to: kind == .high ? .rgba16 : .rgba8), profile: kept.colorProfile, headroom: 3
        )
        #expect(rows(wanted.pixels) == rows(high.pixels))
    }

    private func rows(_ pixels: PixelBuffer) -> [UInt8] {
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + count] }
        }
    }
}

/// The segment with the orientation.
private enum JPEGOrientation {
    static func segment(_ orientation: ImageOrientation) -> [UInt8] {
        let directory: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0,
            0,
            0, 0,
        ]
        let payload = Array("Exif\0\0".utf8) + directory
        return [0xFF, 0xE1, 0, UInt8(payload.count + 2)] + payload
    }
}

/// The chunk `eXIf` with the orientation, behind the header of a PNG file.
private enum PNGOrientation {
    static func marking(_ file: Data, _ orientation: ImageOrientation) -> Data {
        guard orientation != .up else { return file }
        let chunk = Array("eXIf".utf8) + JPEGOrientation.segment(orientation).dropFirst(10)
        func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let sum = chunk.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return file.prefix(33) + Data(big(UInt32(chunk.count - 4)) + chunk + big(~sum)) + file.dropFirst(33)
    }
}
