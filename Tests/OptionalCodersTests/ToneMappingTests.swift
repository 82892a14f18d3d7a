import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits

/// PQ and HLG are shown with the curve of ITU-R BT.2390, whatever the format of the file is.
@Suite(.timeLimit(minutes: 5))
struct ToneMappingTests {
    /// The nits of grey patches and their values in sRGB, for pictures with a peak of 1,000, 4,000 and 10,000 nits. The
    /// numbers were computed from the formulas of the report in another language.
    private static let nits = [1.0, 10, 26, 58, 100, 203, 400, 1000, 4000, 10000]
    private static let shown = [
        1000: [15, 63, 100, 146, 186, 229, 250, 255, 255, 255], 4000: [15, 63, 100, 144, 174, 208, 232, 250, 255, 255],
        10000: [15, 63, 100, 138, 164, 195, 219, 241, 254, 255],
    ]

    /// A row of grey patches of 16×16 px with 16 bits.
    private func png(_ signals: [Double], transfer: UInt8, peak: Int?, chunk: String = "cLLI") -> Data {
        var before = PNGBytes.chunk("cICP", Data([9, transfer, 0, 1]))
        if let peak {
            let units = PNGBytes.bigEndian(peak * 10_000)
            let display = Data(count: 16) + units + PNGBytes.bigEndian(50)
            before += PNGBytes.chunk(chunk, chunk == "cLLI" ? units + PNGBytes.bigEndian(1_000_000) : display)
        }
        let row = signals.flatMap { signal -> [UInt8] in
            let value = Int((signal * 65535).rounded())
            return (0..<16 * 3).flatMap { _ in [UInt8(value >> 8), UInt8(value & 255)] }
        }
        return PNGBytes.file(
            header: PNGBytes.header(16 * signals.count, 16, depth: 16, color: 2), before: before,
            rows: Array(repeating: row, count: 16))
    }

    private func pq(_ nits: Double) -> Double {
        let power = pow(nits / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    private func grays(_ image: Image) throws -> [Int] {
        let pixels = try image.pixels.converted(to: .rgba8, isOpaque: true)
        return (0..<pixels.width / 16).map { index in
            pixels.withUnsafeBytes { Int($0[8 * pixels.bytesPerRow + (16 * index + 8) * 4 + 1]) }
        }
    }

    private func expect(_ seen: [Int], _ wanted: [Int]?, tolerance: Int = 1, _ label: String) throws {
        let wanted = try #require(wanted)
        let worst = zip(seen, wanted).map { abs($0 - $1) }.max() ?? 0
        #expect(seen.count == wanted.count && worst <= tolerance, "\(label): \(seen) instead of \(wanted)")
    }

    /// The number decides where the curve bends, so that a file with another number shows another picture.
    @Test(arguments: [nil, 255, 400, 1000, 4000, 10000] as [Int?]) func jpegXLKeepsTheDeclaredLight(_ peak: Int?) throws
    {
        for transfer in [16, 18] as [UInt8] {
            let file = png(Self.nits.map(pq), transfer: transfer, peak: peak)
            var (decoding, encoding) = (DecodingOptions(), EncodingOptions())
            decoding.dynamicRange = .keep
            (encoding.keepsHDR, encoding.lossless) = (true, true)
            let written = try ImageJPEGXLCoder.shared.encode(
                try ImagePNGCoder.shared.decode(file, options: decoding), format: .jpegXL, options: encoding)
            let light = try ImageJPEGXLCoder.shared.imageInfo(of: written, limits: .default).hdr?.contentLight?.maximum
            let most = transfer == 16 ? 10_000 : 1_000
            #expect(light.map { abs($0 - min(peak ?? 0, most)) <= 8 } ?? (peak == nil))
            let shown = try grays(ImagePNGCoder.shared.decode(file, options: DecodingOptions()))
            try expect(
                grays(ImageJPEGXLCoder.shared.decode(written, options: DecodingOptions())), shown,
                "\(transfer) \(light ?? 0)")
        }
    }

    @Test(arguments: [1000, 4000, 10000]) func grayLightFollowsTheCurve(_ peak: Int) throws {
        for chunk in ["cLLI", "mDCV"] {
            let file = png(Self.nits.map(pq), transfer: 16, peak: peak, chunk: chunk)
            for format in [PixelFormat.bgra8Premultiplied, .rgba8, .rgba16, .rgb8, .gray8] {
                var options = DecodingOptions()
                options.pixelFormat = format
                let image = try ImagePNGCoder.shared.decode(file, options: options)
                try expect(grays(image), Self.shown[peak], "\(chunk) \(peak) nits, \(format)")
            }
            let info = try ImagePNGCoder.shared.imageInfo(of: file, limits: .default)
            #expect(info.hdr?.transfer == .perceptualQuantizer && info.hdr?.primaries == 9)
            #expect(info.hdr?.contentLight?.maximum == peak)
        }
    }

    /// Without a declared light level, the peak is 1,000 nits.
    @Test func everyFormatShowsTheSameCurve() throws {
        let file = png(Self.nits.map(pq), transfer: 16, peak: nil)
        try expect(
            grays(ImagePNGCoder.shared.decode(file, options: DecodingOptions())), Self.shown[1000], "PNG")
        var keep = DecodingOptions()
        keep.dynamicRange = .keep
        let image = try ImagePNGCoder.shared.decode(file, options: keep)
        #expect(image.pixels.format == .rgba16 && image.hdr?.transfer == .perceptualQuantizer)
        var encoding = EncodingOptions()
        encoding.lossless = true
        encoding.keepsHDR = true
        let coders: [(any ImageCoder, ImageFormat)] = [
            (ImagePNGCoder.shared, .png), (ImageAVIFCoder.shared, .avif), (ImageJPEGXLCoder.shared, .jpegXL),
        ]
        for (coder, format) in coders {
            let data = try coder.encode(image, format: format, options: encoding)
            #expect(try coder.imageInfo(of: data, limits: .default).hdr?.transfer == .perceptualQuantizer, "\(format)")
            // AVIF has 12 bits, which are steps of up to one level here.
            try expect(
                grays(coder.decode(data, options: DecodingOptions())), Self.shown[1000], tolerance: 2, "\(format)")
        }
        // A format without place for numbers stores a profile, which says the same.
        let webP = try ImageWebPCoder.shared.encode(image, format: .webP, options: encoding)
        try expect(
            grays(ImageWebPCoder.shared.decode(webP, options: DecodingOptions())), Self.shown[1000], tolerance: 5,
            "WebP with 8 bits")
    }

    /// The light level survives: a picture for 4,000 nits looks the same after it was written and read again.
    @Test func lightLevelIsWritten() throws {
        let file = png(Self.nits.map(pq), transfer: 16, peak: 4000)
        var keep = DecodingOptions()
        keep.dynamicRange = .keep
        let image = try ImagePNGCoder.shared.decode(file, options: keep)
        #expect(image.hdr?.contentLight == ContentLightLevel(maximum: 4000, average: 100))
        let again = try ImagePNGCoder.shared.encode(image, format: .png, options: EncodingOptions())
        let info = try ImagePNGCoder.shared.imageInfo(of: again, limits: .default)
        #expect(info.hdr?.contentLight == ContentLightLevel(maximum: 4000, average: 100))
        try expect(grays(ImagePNGCoder.shared.decode(again, options: DecodingOptions())), Self.shown[4000], "again")
    }

    /// HLG on a display of 1,000 nits: the signal 0.75 is the white of 203 nits (ITU-R BT.2408).
    @Test func hybridLogGammaFollowsTheCurve() throws {
        let file = png([0.5, 0.75, 1], transfer: 18, peak: nil)
        let image = try ImagePNGCoder.shared.decode(file, options: DecodingOptions())
        // 50.7, 203 and 1,000 nits.
        try expect(grays(image), [137, 229, 255], "HLG")
    }

    /// Profiles without the tag `cicp` that have the curve of PQ.
    @Test func profileWithOnlyTheCurveIsToneMapped() throws {
        let row = Self.nits.flatMap { nits -> [UInt8] in
            let value = Int((pq(nits) * 65535).rounded())
            return (0..<16 * 3).flatMap { _ in [UInt8(value >> 8), UInt8(value & 255)] }
        }
        let profile = PNGBytes.chunk(
            "iCCP", Data([0x70, 0, 0]) + PNGBytes.deflated(raw: [UInt8](ICCSample.perceptualQuantizer)))
        let file = PNGBytes.file(
            header: PNGBytes.header(160, 16, depth: 16, color: 2), before: profile,
            rows: Array(repeating: row, count: 16))
        try expect(
            grays(ImagePNGCoder.shared.decode(file, options: DecodingOptions())), Self.shown[1000], tolerance: 2, "ICC")
    }

    /// A bright colour keeps its hue: the curve applies to its luminance, not to each channel. With a curve for each channel,
    /// an orange of 1,000 nits becomes yellow.
    @Test func brightColoursKeepTheirHue() throws {
        // Linear light of BT.2020 for an orange, in the ratio 1 : 0.4 : 0.15, with 300 nits in red.
        let light = [300.0, 120, 45]
        let values = light.map { Int((pq($0) * 65535).rounded()) }
        let row = (0..<16).flatMap { _ in values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
        let file = PNGBytes.file(
            header: PNGBytes.header(16, 16, depth: 16, color: 2),
            before: PNGBytes.chunk("cICP", Data([9, 16, 0, 1])), rows: Array(repeating: row, count: 16))
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let pixels = try ImagePNGCoder.shared.decode(file, options: options).pixels
        let pixel = pixels.withUnsafeBytes { bytes in (0..<4).map { bytes[8 * pixels.bytesPerRow + 8 * 4 + $0] } }
        let linear = pixel.prefix(3).map { value -> Double in
            let part = Double(value) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        // The direction from grey in linear sRGB is the same before and after. The matrix is that of BT.2087.
        let matrix = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
        let source = matrix.map { row in zip(row, light).reduce(0) { $0 + $1.0 * $1.1 } }
        func ratio(_ color: [Double]) -> Double { (color[1] - color[2]) / (color[0] - color[2]) }
        #expect(abs(ratio(Array(linear)) - ratio(source)) < 0.02, "\(pixel): \(linear) for \(source)")
        #expect(pixel[0] == 255)
    }
}
