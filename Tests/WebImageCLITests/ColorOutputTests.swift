import Foundation
import Testing
import WebImage
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The command and the service show the colours that a file declares, in every output format, with and without the
/// sandbox. The ideal colours come from the formulas of the standards.
@Suite(.timeLimit(minutes: 10))
struct ColorOutputTests {
    private struct Source {
        let name: String
        let signal: ColorSignal
        let data: Data

        init(_ name: String, _ signal: ColorSignal, data: (ColorSignal) -> Data) {
            (self.name, self.signal, self.data) = (name, signal, data(signal))
        }
    }

    private static let sources = [
        Source("plain.png", ColorSignal(.rgb)) { $0.png(.none) },
        Source("p3.png", ColorSignal(.rgb, .displayP3)) { $0.png(.numbers) },
        Source("p3-alpha.png", ColorSignal(.rgb, .displayP3, hasAlpha: true)) { $0.png(.numbers) },
        Source("p3-deep.png", ColorSignal(.rgb, .displayP3, bits: 16)) { $0.png(.profile) },
        Source("gamma.png", ColorSignal(.rgb, .linear)) { $0.png(.numbers, usesGamma: true) },
        Source("linear-deep.png", ColorSignal(.gray, .linear, bits: 16)) { $0.png(.numbers, usesGamma: true) },
        Source("grey-profile.png", ColorSignal(.gray, .linear)) { $0.png(.profile) },
        Source("pq.png", ColorSignal(.rgb, .pq, bits: 16)) { $0.png(.numbers) },
        Source("hlg.png", ColorSignal(.gray, .hlg, bits: 16)) { $0.png(.numbers) },
        Source("p3.tiff", ColorSignal(.rgb, .displayP3)) { $0.tiff(profile: $0.profile) },
        Source("grey-profile.jpg", ColorSignal(.gray, .linear)) { $0.jpeg(.gray, profile: $0.profile) },
        Source("cmyk.jpg", ColorSignal(.cmyk)) { $0.jpeg(.cmykWithoutMarker) },
    ]

    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        for source in Self.sources { try source.data.write(to: scratch.url.appendingPathComponent(source.name)) }
    }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    /// 3 x 2 px of 12 bits, without loss.
    private static let twelveBits = """
        AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAAgAAAAMAAwsHAAAAAAAPY29scgEAAAAAABAAAACsanAyY/9P/1EA
        LwAAAAAAAwAAAAIAAAAAAAAAAAAAAAMAAAACAAAAAAAAAAAAAwsBAQsBAQsBAf9SAAwAAAABAAAEBAAB/1wABEBg/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBF
        RyB2ZXJzaW9uIDIuNS40/5AACgAAAAAANAAB/5Pf4CwHor8VLJhqqR0zX8/kJAjUJCPpLwbB38/kJAgsKYe0XYJoH//Z
        """
    private static let twelveBitValues = [
        0, 1, 2, 100, 2000, 4095, 4095, 4094, 4093, 17, 33, 65, 1000, 1001, 1002, 2047, 2048, 2049,
    ]

    /// Not only files of 16 bits: a scan of 12 bits became one of 8.
    @Test(arguments: ["png", "tiff"]) func moreThanEightBitsAreKept(_ format: String) throws {
        let file = try #require(Data(base64Encoded: Self.twelveBits, options: .ignoreUnknownCharacters))
        try file.write(to: scratch.url.appendingPathComponent("deep.jp2"))
        for (input, output) in [("deep.jp2", "deep.\(format)"), ("deep.\(format)", "again.png")] {
            let run = try Tool.run("convert", "--overwrite", path(input), path(output))
            #expect(run.code == 0, "\(run.errors)")
        }
        var options = DecodingOptions()
        (options.pixelFormat, options.colorConversion) = (.rgba16, .asStored)
        let data = try Data(contentsOf: scratch.url.appendingPathComponent("again.png"))
        let image = try ImageCodersManager.shared.decode(data, options: options)
        #expect(image.pixels.format == .rgba16)
        let row = image.pixels.bytesPerRow / 2
        let values = image.pixels.withUnsafeBytes { bytes in
            let numbers = bytes.bindMemory(to: UInt16.self)
            return (0..<2).flatMap { y in (0..<9).map { Int(numbers[y * row + $0 / 3 * 4 + $0 % 3]) } }
        }
        #expect(values == Self.twelveBitValues.map { ($0 * 65_535 + 2_047) / 4_095 })
    }

    /// The values in which the error of a coding is measured. A lossy coding adds an error to the values that it codes. A
    /// conversion of these values to sRGB can enlarge the error of a dark channel beside a bright one more than ten times.
    private enum Scale {
        case shown
        /// The values of the source's own space, for a lossy file that keeps them.
        case stored
        /// The values that JPEG XL codes without regard to the space of the file. Two releases of libjxl, each with the
        /// efforts 3 to 9, code full green with up to 28 steps of blue at a quality of 95 or more.
        case mixtures

        func values(_ color: [Int], _ signal: ColorSignal) -> [Double] {
            switch self {
            case .shown: color.map(Double.init)
            case .stored: signal.stored(showing: color)
            case .mixtures: ColorSignal.mixtures(of: color)
            }
        }
    }

    /// Expects that a file shows the colours of the source. The command decodes the file to sRGB.
    private func expect(
        _ name: String, shows source: Source, tolerance: Double, in scale: Scale = .shown, _ label: String
    ) throws {
        let rows = try Tool.run("convert", "--color", "srgb", "--format", "rgba", path(name), "-").bytes
        let side = Int(Double(rows.count / 4).squareRoot())
        guard side >= 32, side * side * 4 == rows.count else {
            Issue.record("\(label): \(rows.count) bytes")
            return
        }
        var worst = (difference: tolerance, text: "")
        for patch in 0..<ColorSignal.patchCount {
            let center = ColorSignal.center(ofPatch: patch, side: side)
            let start = (center.y * side + center.x) * 4
            let (seen, wanted) = (rows[start..<start + 4].map(Int.init), source.signal.shown(patch))
            // A colour that was multiplied by alpha has lost precision in proportion to its transparency.
            let pairs = zip(
                scale.values(Array(seen[..<3]), source.signal), scale.values(Array(wanted[..<3]), source.signal))
            let color = pairs.map { abs($0 - $1) }.max() ?? .infinity
            let difference = max(color * Double(wanted[3]) / 255, Double(abs(seen[3] - wanted[3])))
            if difference > worst.difference {
                worst = (difference, "patch \(patch) is \(seen) instead of \(wanted), by \(difference)")
            }
        }
        #expect(worst.text.isEmpty, "\(label): \(worst.text)")
    }

    /// The tolerance of an output format. The lossy formats have the best quality.
    private func tolerance(_ format: String) -> (Double, Scale) {
        switch format {
        case "jpg", "avif": (6, .shown)
        case "jxl": (2, .mixtures)
        // A scaled picture has more colours than the palette of a GIF.
        case "gif": (16, .shown)
        default: (4, .shown)
        }
    }

    @Test(arguments: [false, true]) func everyCommandKeepsTheColours(isolated: Bool) throws {
        let sandbox = isolated ? ["--sandbox"] : []
        for source in Self.sources {
            for format in ["png", "webp", "jpg", "tiff", "gif", "bmp", "avif", "jxl"].prefix(isolated ? 3 : 8) {
                if source.signal.hasAlpha, ["gif", "jpg"].contains(format) { continue }
                let quality = ["jpg", "avif", "jxl"].contains(format) ? ["--quality", "100"] : []
                for (command, options) in [
                    ("convert", []), ("convert", ["--color", "srgb"]), ("convert", ["--size", "32x32"]),
                    ("thumbnail", ["--size", "32x32"]), ("load", ["--size", "32"]),
                ] {
                    let label = ([command] + options + [source.name, format] + sandbox).joined(separator: " ")
                    let output = "out.\(format)"
                    let words =
                        command == "convert"
                        ? [path(source.name), path(output)] : ["--out", path(output), path(source.name)]
                    let outcome = try Tool.run(
                        [command, "--quiet", "--overwrite"] + sandbox + options + quality + words)
                    guard outcome.code == 0 else {
                        Issue.record("\(label): \(outcome.errors)")
                        continue
                    }
                    // A lossy WebP of a source that is not lossless.
                    let isLossy = format == "webp" && source.name.hasSuffix("jpg")
                    let (tolerance, scale) = isLossy ? (24, .shown) : tolerance(format)
                    try expect(output, shows: source, tolerance: tolerance, in: scale, label)
                }
            }
        }
    }

    /// Every sample of 16 bits is the same after a conversion to PNG, to TIFF and back.
    @Test(arguments: [[], ["--sandbox"]]) func sixteenBitsStay(_ sandbox: [String]) throws {
        func samples(_ name: String) throws -> Data {
            var options = DecodingOptions()
            options.pixelFormat = .rgba16
            options.colorConversion = .asStored
            let data = try Data(contentsOf: scratch.url.appendingPathComponent(name))
            let pixels = try ImageCodersManager.shared.decode(data, options: options).pixels
            return (0..<pixels.height).reduce(into: Data()) { rows, y in
                let start = y * pixels.bytesPerRow
                pixels.withUnsafeBytes { rows += $0[start..<start + 8 * pixels.width] }
            }
        }
        for source in ["p3-deep.png", "linear-deep.png", "pq.png"] {
            let steps = [
                (source, "deep.png"), (source, "deep.tiff"), ("deep.tiff", "deep2.tiff"), ("deep2.tiff", "back.png"),
            ]
            for (input, output) in steps {
                let words = ["convert", "--quiet", "--overwrite"] + sandbox + [path(input), path(output)]
                let outcome = try Tool.run(words)
                #expect(outcome.code == 0, "\(outcome.errors)")
                let info = try Tool.run("info", "--json", path(output)).objects()
                #expect(info.first?["bitDepth"] as? Int == 16, "\(output): \(info)")
            }
            for output in ["deep.png", "back.png"] {
                #expect(try samples(output) == samples(source), "\(source), \(output)")
            }
        }
    }

    /// The largest error of a flat colour in a result of the service, in steps of the blue channel, which has the largest
    /// factors: half a step each for the result, for the conversion before it is coded and for the ideal colour, and the error
    /// of luma and chroma.
    private func servedTolerance(_ format: String) -> Double {
        switch format {
        // The mean of a block is an eighth of the coefficient, which has steps of 6 for luma and 7 for chroma at the
        // quality of 80. Luma: 6/16 and half a step; chroma: (7/16 and half a step) × 1.772.
        case "jpg": 1.5 + 0.875 + 0.9375 * 1.772
        // Coefficients of chroma have steps of 22 at this quality (segments of index 25, and −2 for chroma's mean), and those
        // below 0.57 of a step become 0. Values have a range of 219 or 224 steps. Luma: (0.57 × 46/64 and half a step) × 1.164;
        // chroma: (0.57 × 22/8 and half a step) × 2.017.
        case "webp": 1.5 + (0.41 + 0.5) * 1.164 + (1.57 + 0.5) * 2.017
        default: 4
        }
    }

    @Test func theServiceKeepsTheColours() async throws {
        let service = try await RunningService(["--root", scratch.url.path], in: try ScratchFolder())
        defer { service.stop() }
        for source in Self.sources {
            for format in ["png", "webp", "jpg"] {
                if source.signal.hasAlpha, format == "jpg" { continue }
                // At the service's own quality, only areas of whole blocks are flat. A smaller picture has edges in its
                // blocks, and is therefore compared at the best quality.
                for options in ["scp:1", "scp:0", "q:100/rs:fit:32:32/scp:1", "q:100/rs:fit:32:32/scp:0"] {
                    let isStored = options.hasSuffix("scp:0")
                    let label = "\(options) \(source.name) \(format)"
                    let answer = try await service.get("/_/\(options)/f:\(format)/plain/local:///\(source.name)")
                    guard answer.status == 200 else {
                        Issue.record("\(label): \(answer.status)")
                        continue
                    }
                    try answer.body.write(to: scratch.url.appendingPathComponent("served.\(format)"))
                    // A step of the stored values can be many steps of sRGB in dark colours. Eight bits have such steps for
                    // deep files, and colours that were multiplied by alpha. So the stored values are compared.
                    let isCoarse =
                        ["pq.png", "hlg.png", "linear-deep.png"].contains(source.name) || source.signal.hasAlpha
                    let keeps = isStored && source.signal.model != .cmyk && (format != "png" || isCoarse)
                    try expect(
                        "served.\(format)", shows: source, tolerance: servedTolerance(format),
                        in: keeps ? .stored : .shown, label)
                }
            }
        }
    }
}
