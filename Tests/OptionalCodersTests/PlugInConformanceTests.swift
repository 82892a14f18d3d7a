import Foundation
import Testing
import WebImage
import WebImageJPEG2000
import WebImageLottie
import WebImagePDF
import WebImageRaw
import WebImageTestTraits

/// Pictures beside those of other decoders, which `Scripts/parity plugins` has recorded: MuPDF for PDF, the package lottie with
/// cairo for Lottie, LibRaw 0.22 for raw files, and FFmpeg's own decoder for JPEG 2000.
struct PlugInConformanceTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let format: String
        let name: String
        let decoder: String
        let frame: Int
        let width: Int
        let height: Int
        /// The mean colours of 12 × 8 parts in RGBA, multiplied by alpha: 16 bits each, 256 for a level.
        let cells: Data
        let bytes: Data?
        let text: String?

        var testDescription: String { "\(format), \(name)" }
        var data: Data { bytes ?? Data((text ?? "").utf8) }
    }

    static let rows: [Row] = {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appendingPathComponent("Support/plug-in-pictures.json")
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode([Row].self, from: data)) ?? []
    }()

    /// The formats and the largest difference of the mean of a part, in levels. Edges are smoothed by every renderer in its own
    /// way; JPEG 2000 and raw files have exact pixels, but for the rounding of 16 bits.
    static let bounds = ["PDF": 4.5, "Lottie": 3, "raw": 0.6, "JPEG 2000": 1.1]

    @Test func allFormatsAreRecorded() {
        #expect(Set(Self.rows.map(\.format)) == Set(Self.bounds.keys) && Self.rows.count >= 25)
    }

    @Test(arguments: rows) func partsHaveTheColorsOfAnotherDecoder(row: Row) throws {
        guard let coder = Self.coder(of: row.format) else { return }
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let image =
            row.frame == 0
            ? try coder.decode(row.data, options: options)
            : try ImageLottieCoder(animation: row.data, options: options).frame(at: row.frame)
        try #require(image.pixelSize == PixelSize(width: row.width, height: row.height))
        let mine = Self.cells(of: image.pixels)
        let theirs = stride(from: 0, to: row.cells.count, by: 2).map { place in
            Double(Int(row.cells[place]) | Int(row.cells[place + 1]) << 8) / 256
        }
        try #require(mine.count == theirs.count && theirs.contains { $0 > 40 })
        let largest = zip(mine, theirs).map { abs($0 - $1) }.max() ?? .infinity
        #expect(largest <= (Self.bounds[row.format] ?? 0), "\(largest)")
    }

    private static func coder(of format: String) -> (any ImageCoder)? {
        switch format {
        case "PDF": PDFium.isThere ? ImagePDFCoder.shared : nil
        case "Lottie": ImageLottieCoder.shared
        case "raw": ImageRawCoder.shared
        default: ImageJPEG2000Coder.shared
        }
    }

    private static func cells(of pixels: PixelBuffer) -> [Double] {
        pixels.withUnsafeBytes { bytes in
            (0..<96).flatMap { cell -> [Double] in
                let (column, row) = (cell % 12, cell / 12)
                let columns = column * pixels.width / 12..<(column + 1) * pixels.width / 12
                let rows = row * pixels.height / 8..<(row + 1) * pixels.height / 8
                var sums = [0.0, 0, 0, 0]
                for y in rows {
                    for x in columns {
                        let place = y * pixels.bytesPerRow + 4 * x
                        let alpha = Double(bytes[place + 3])
                        for channel in 0..<3 { sums[channel] += Double(bytes[place + channel]) * alpha / 255 }
                        sums[3] += alpha
                    }
                }
                return sums.map { $0 / Double(rows.count * columns.count) }
            }
        }
    }
}
