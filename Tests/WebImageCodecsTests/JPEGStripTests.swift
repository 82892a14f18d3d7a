import CWebImageCodecShim
import CWebImageJPEGSamples
import CWebImageJPEGThumbnail
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// Pictures that libjpeg-turbo decodes in strips, on several threads. The reference decodes them in one piece.
@Suite(.timeLimit(minutes: 5))
struct JPEGStripTests {
    /// Returns the status of the decode in strips. Compares its pixels with those of a decode in one piece.
    private func compare(
        _ file: Data, eighths: Int32, index: Int, threads: Int32, _ text: String
    ) -> Int32 {
        let bytes = ThumbnailSample.formats[index].bytes
        // JCS_GRAYSCALE, JCS_RGB, JCS_EXT_RGBA and JCS_EXT_BGRA of jpeglib.h.
        let colors: [Int32] = [1, 2, 12, 13]
        var (width, height, warnings): (Int32, Int32, Int32) = (0, 0, 0)
        var expected: UnsafeMutablePointer<UInt8>?
        defer { free(expected) }
        return file.withUnsafeBytes { file in
            let start = file.bindMemory(to: UInt8.self).baseAddress
            let isWhole = webimage_jpeg_sample_read_scaled(
                start, file.count, eighths, bytes, &width, &height, &warnings, &expected)
            guard let decoder = webimage_jpeg_decoder_create(start, file.count, .max, .max) else { return -1 }
            defer { webimage_jpeg_decoder_free(decoder) }
            var header = webimage_jpeg_header()
            var (wide, high): (Int32, Int32) = (0, 0)
            guard webimage_jpeg_read_header(decoder, &header) == WEBIMAGE_JPEG_OK,
                webimage_jpeg_output_size(decoder, colors[index], eighths, &wide, &high)
                    == WEBIMAGE_JPEG_OK, wide > 0, high > 0
            else { return Int32(WEBIMAGE_JPEG_FAILED) }
            webimage_jpeg_ignore_cost(decoder)
            let stride = Int(wide) * Int(abs(bytes))
            var pixels = Data(count: stride * Int(high))
            let status = pixels.withUnsafeMutableBytes {
                webimage_jpeg_read_strips(
                    decoder, start, file.count, threads, $0.bindMemory(to: UInt8.self).baseAddress, stride)
            }
            guard status == WEBIMAGE_JPEG_OK else { return status }
            guard isWhole != 0, warnings == 0, let expected else {
                Issue.record("libjpeg-turbo has a warning for the whole file: \(text)")
                return status
            }
            #expect(pixels == Data(bytes: expected, count: pixels.count), "\(text)")
            return status
        }
    }

    private func sample(_ random: inout SeededRandom) -> webimage_jpeg_sample {
        var sample = ThumbnailSample.random(&random)
        sample.height = .random(in: 130...700, using: &random)
        if Int.random(in: 0..<5, using: &random) > 0 {
            sample.kind = Int32(WEBIMAGE_JPEG_SAMPLE_BASELINE)
            sample.restart_interval = 0
        }
        if sample.kind == WEBIMAGE_JPEG_SAMPLE_BASELINE, Int.random(in: 0..<4, using: &random) == 0 {
            sample.code_seed = random.next()
        }
        return sample
    }

    @Test(arguments: 0..<4) func randomFilesHaveTheSamePixels(part: Int) throws {
        var random = SeededRandom.printingSeed()
        var accepted = 0
        for _ in 0..<50 {
            let sample = sample(&random)
            guard let file = ThumbnailSample.file(sample) else { continue }
            let index = sample.color == WEBIMAGE_JPEG_SAMPLE_GRAY ? 0 : Int.random(in: 1...3, using: &random)
            for eighths: Int32 in [8, 4, 2] {
                let threads = Int32.random(in: 2...6, using: &random)
                let status = compare(
                    file, eighths: eighths, index: index, threads: threads,
                    "\(sample), \(eighths)/8, \(threads) threads")
                accepted += status == WEBIMAGE_JPEG_OK ? 1 : 0
                // A grey picture has one scan even if each component has its own.
                let hasOneScan =
                    sample.kind == WEBIMAGE_JPEG_SAMPLE_BASELINE
                    || sample.kind == WEBIMAGE_JPEG_SAMPLE_SEPARATE_SCANS && sample.color == WEBIMAGE_JPEG_SAMPLE_GRAY
                let hasStrips = hasOneScan && sample.restart_interval == 0
                if status == WEBIMAGE_JPEG_OK { #expect(hasStrips, "\(sample)") }
            }
        }
        #expect(accepted >= 20)
    }

    /// A strip that libjpeg-turbo finds damaged is not used. Damage behind the last start is only found by the decode.
    @Test(arguments: 0..<2) func damagedFilesHaveTheSamePixelsOrNone(part: Int) throws {
        var random = SeededRandom.printingSeed()
        var (accepted, refused) = (0, 0)
        for _ in 0..<20 {
            var sample = sample(&random)
            sample.kind = Int32(WEBIMAGE_JPEG_SAMPLE_BASELINE)
            sample.width = .random(in: 16...150, using: &random)
            sample.height = .random(in: 256...400, using: &random)
            guard let file = ThumbnailSample.file(sample) else { continue }
            for _ in 0..<40 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    let range = Bool.random(using: &random) ? 2..<damaged.count : damaged.count / 2..<damaged.count
                    damaged[Int.random(in: range, using: &random)] = .random(in: 0...255, using: &random)
                }
                if Int.random(in: 0..<10, using: &random) == 0 { damaged.removeLast(damaged.count / 3) }
                let size = ThumbnailSample.reference(Data(damaged.prefix(700)), bytes: 3).size
                guard size.width * size.height < 5000 else { continue }
                let status = compare(
                    damaged, eighths: [8, 4, 2].randomElement(using: &random) ?? 8, index: sample.color == 2 ? 0 : 1,
                    threads: .random(in: 2...4, using: &random), "\(sample)")
                if status == WEBIMAGE_JPEG_OK { accepted += 1 } else { refused += 1 }
            }
        }
        #expect(accepted > 0 && refused > 50)
    }

    /// Metadata and profiles before the picture are not part of a strip's file. The colour space, which other segments
    /// declare, is.
    @Test func segmentsBeforeThePictureChangeNothing() throws {
        var sample = ThumbnailSample.plain(320, 400)
        sample.color = Int32(WEBIMAGE_JPEG_SAMPLE_RGB)
        for color in [WEBIMAGE_JPEG_SAMPLE_RGB, WEBIMAGE_JPEG_SAMPLE_YCC] {
            sample.color = Int32(color)
            var file = try #require(ThumbnailSample.file(sample))
            for marker: UInt8 in [0xe1, 0xe2, 0xed, 0xfe] {
                file.insert(contentsOf: [0xff, marker, 0xea, 0x62] + Data(repeating: 7, count: 60_000), at: 2)
            }
            #expect(compare(file, eighths: 8, index: 1, threads: 3, "\(color)") == WEBIMAGE_JPEG_OK)
        }
    }

    @Test func theCoderUsesStripsForFullAndReducedDecodes() throws {
        var sample = ThumbnailSample.plain(1000, 800)
        let file = try #require(ThumbnailSample.file(sample))
        for side: Int? in [nil, 400, 200] {
            var options = DecodingOptions()
            options.thumbnailPixelSize = side.map { PixelSize(width: $0, height: $0) }
            let whole = try JPEGThumbnailLoop.$use.withValue(.never) {
                try ImageJPEGCoder.shared.decode(file, options: options)
            }
            let strips = try JPEGThumbnailLoop.$use.withValue(.never) {
                try JPEGStrips.$use.withValue(.always(threads: 3, isRequired: true)) {
                    try ImageJPEGCoder.shared.decode(file, options: options)
                }
            }
            #expect(rows(strips) == rows(whole))
        }
        // A file without strips is decoded in one piece.
        sample.kind = Int32(WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE)
        let progressive = try #require(ThumbnailSample.file(sample))
        let whole = try ImageJPEGCoder.shared.decode(progressive, options: DecodingOptions())
        let other = try JPEGStrips.$use.withValue(.always(threads: 3)) {
            try ImageJPEGCoder.shared.decode(progressive, options: DecodingOptions())
        }
        #expect(rows(other) == rows(whole))
        #expect(throws: WebImageError.self) {
            try JPEGStrips.$use.withValue(.always(threads: 3, isRequired: true)) {
                _ = try ImageJPEGCoder.shared.decode(progressive, options: DecodingOptions())
            }
        }
    }

    /// The threads end before the decode returns, also when its caller no longer wants the picture.
    @Test func aCancelledDecodeEndsOnAllThreads() throws {
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(2000, 3000)))
        let threads = threadCount()
        for checks in [0, 1, 3, 10, 40] {
            let budget = WorkBudget(time: nil, countdown: DeadlineCountdown(checks: checks))
            do throws(WebImageError) {
                _ = try budget.run { () throws(WebImageError) in
                    let result = JPEGStrips.$use.withValue(.always(threads: 4, isRequired: true)) {
                        Result { () throws(WebImageError) in
                            try ImageJPEGCoder.shared.decode(file, options: DecodingOptions())
                        }
                    }
                    return try result.get()
                }
            } catch {
                #expect(error.code == .cancelled, "\(checks)")
            }
        }
        #expect(threadCount() <= threads)
    }

    /// The rows without the bytes behind them, which are not initialised.
    private func rows(_ image: Image) -> [Data] {
        let pixels = image.pixels
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).map { row in
                let start = row * pixels.bytesPerRow
                return Data(bytes[start..<start + pixels.width * pixels.format.bytesPerPixel])
            }
        }
    }

    private func threadCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    /// Several threads are worth their work only for a large picture whose decoder is optimised, in a pool with idle
    /// threads.
    @Test func aLargePictureUsesTheIdleThreadsOfItsPool() async throws {
        let pool = DecodePool(width: 4, byteBudget: .max / 2)
        let (large, small) = (PixelSize(width: 4000, height: 3000), PixelSize(width: 2000, height: 3000))
        let isOptimized = webimage_jpeg_thumbnail_is_optimized() != 0
        #expect(try JPEGStrips.withThreads(for: large) { $0 } == 1)
        let counts = try await pool.run { () throws(WebImageError) in
            try [large, small].map { size throws(WebImageError) in
                try JPEGStrips.withThreads(for: size) { threads throws(WebImageError) in threads }
            }
        }
        #expect(counts == [isOptimized ? min(4, Processors.count) : 1, 1])
    }
}
