import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The pictures that the command writes are the ideal ones: a floating-point Lanczos filter of the exact part of the full
/// decode, with sides that are rounded to the nearest pixel.
@Suite(.timeLimit(minutes: 20))
struct IdealOutputTests {
    enum Path: CaseIterable {
        case convert, thumbnail, load, stretched, filled
    }

    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    @Test(arguments: Path.allCases) func everyCommandWritesTheIdealPicture(path: Path) throws {
        var random = SeededRandom.printingSeed()
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        for _ in 0..<(Self.isLong ? 250 : 4) {
            let size = PixelSize(width: number(60...700), height: number(60...700))
            let format = [ImageFormat.jpeg, .png, .webP][number(0...2)]
            var options = EncodingOptions()
            options.quality = 0.95
            let waves = try IdealPicture.waves(width: size.width, height: size.height)
            let data = try ImageCodersManager.shared.encode(waves, format: format, options: options)
            let input = self.path("in.\(format)")
            try data.write(to: URL(fileURLWithPath: input))
            let least = min(size.width, size.height)
            let box = PixelSize(width: number(max(least / 6, 12)...least), height: number(max(least / 6, 12)...least))
            let words = words(path, box, from: input)
            let outcome = try Tool.run(words + ["--quiet", "--overwrite"])
            guard outcome.code == 0 else {
                Issue.record("\(words): \(outcome.errors)")
                continue
            }
            let full = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
            let written = try Data(contentsOf: URL(fileURLWithPath: self.path("out.png")))
            let image = try ImageCodersManager.shared.decode(written, options: DecodingOptions())
            let result = IdealPicture(image.pixels, hasAlpha: false)
            let (wanted, region) = ideal(path, box, of: size)
            guard result.size == wanted else {
                Issue.record("\(words), \(size): \(result.size), not \(wanted)")
                continue
            }
            let faults = IdealPicture.Border.ofAllPaths(to: wanted).map { border in
                IdealPicture(full.pixels, hasAlpha: false).scaled(to: wanted, from: region, border: border)
                    .fault(of: result)
            }
            #expect(faults.contains(nil), "\(words), \(size): \(faults)")
        }
    }

    private func words(_ path: Path, _ box: PixelSize, from input: String) -> [String] {
        let output = self.path("out.png")
        return switch path {
        case .convert: ["convert", "--size", "\(box.width)x\(box.height)", input, output]
        case .thumbnail: ["thumbnail", "--size", "\(box.width)x\(box.height)", "--out", output, input]
        case .load: ["load", "--cache", "none", "--size", "\(box.width)x\(box.height)", "--out", output, input]
        case .stretched: ["convert", "--resize", "\(box.width)x\(box.height)", input, output]
        case .filled: ["convert", "--resize", "\(box.width)x\(box.height),aspectFill", input, output]
        }
    }

    /// The size of the result and the part of the source that it shows.
    private func ideal(_ path: Path, _ box: PixelSize, of size: PixelSize) -> (PixelSize, PixelRegion) {
        let (width, height) = (Double(size.width), Double(size.height))
        let (x, y) = (Double(box.width) / width, Double(box.height) / height)
        switch path {
        case .convert, .thumbnail, .load:
            func side(_ side: Double) -> Int { max(Int((side * min(x, y)).rounded()), 1) }
            return (PixelSize(width: side(width), height: side(height)), PixelRegion(size))
        case .stretched: return (box, PixelRegion(size))
        case .filled:
            let part = (width: Double(box.width) / max(x, y), height: Double(box.height) / max(x, y))
            let region = PixelRegion(
                left: (width - part.width) / 2, top: (height - part.height) / 2, width: part.width,
                height: part.height)
            return (box, region)
        }
    }
}
