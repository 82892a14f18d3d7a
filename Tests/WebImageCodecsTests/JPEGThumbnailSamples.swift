import CWebImageJPEGSamples
import CWebImageJPEGThumbnail
import Foundation
import WebImageTesting

/// Files for the tests of the thumbnail loop, and the two decoders that must write the same pixels.
enum ThumbnailSample {
    typealias Status = webimage_jpeg_thumbnail_status

    static let formats: [(format: webimage_jpeg_thumbnail_format, bytes: Int32)] = [
        (WEBIMAGE_JPEG_THUMBNAIL_GRAY, 1), (WEBIMAGE_JPEG_THUMBNAIL_RGB, 3), (WEBIMAGE_JPEG_THUMBNAIL_RGBA, 4),
        (WEBIMAGE_JPEG_THUMBNAIL_BGRA, -4),
    ]

    /// A picture of 4:2:0, as cameras write it.
    static func plain(_ width: Int = 640, _ height: Int = 480) -> webimage_jpeg_sample {
        var sample = webimage_jpeg_sample()
        sample.width = Int32(width)
        sample.height = Int32(height)
        sample.quality = 85
        sample.is_baseline = 1
        sample.seed = 1
        sample.horizontal = (2, 1, 1, 1)
        sample.vertical = (2, 1, 1, 1)
        return sample
    }

    /// A picture with random properties. libjpeg cannot write some of them.
    static func random(_ random: inout SeededRandom) -> webimage_jpeg_sample {
        let sides = [1...40, 1...200, 1...600]
        var sample = plain(
            Int.random(in: sides.randomElement(using: &random) ?? 1...1, using: &random),
            Int.random(in: sides.randomElement(using: &random) ?? 1...1, using: &random))
        sample.color = [0, 0, 0, 0, 1, 2].randomElement(using: &random) ?? 0
        sample.kind = [0, 0, 0, 1, 2, 3].randomElement(using: &random) ?? 0
        sample.content = [0, 0, 0, 1, 2, 3].randomElement(using: &random) ?? 0
        sample.quality = .random(in: 1...100, using: &random)
        sample.is_baseline = .random(in: 0...1, using: &random)
        sample.optimizes_codes = .random(in: 0...1, using: &random)
        sample.has_long_codes = sample.kind == 0 ? .random(in: 0...1, using: &random) : 0
        sample.restart_interval = [0, 0, 0, 1, 7, 100].randomElement(using: &random) ?? 0
        sample.seed = random.next()
        let luma: [(UInt8, UInt8)] = [(2, 2), (2, 2), (2, 2), (2, 1), (1, 2), (4, 1), (4, 2), (1, 1)]
        let (horizontal, vertical) = luma.randomElement(using: &random) ?? (1, 1)
        sample.horizontal = (horizontal, 1, 1, 1)
        sample.vertical = (vertical, 1, 1, 1)
        if Int.random(in: 0..<8, using: &random) == 0 {
            func factor() -> UInt8 { .random(in: 1...4, using: &random) }
            sample.horizontal = (factor(), factor(), factor(), 1)
            sample.vertical = (factor(), factor(), factor(), 1)
        }
        return sample
    }

    /// Returns the file, or nil if libjpeg cannot write the sample.
    static func file(_ sample: webimage_jpeg_sample) -> Data? {
        var sample = sample
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = webimage_jpeg_sample_write(&sample, &bytes)
        defer { free(bytes) }
        return bytes.map { Data(bytes: $0, count: count) }
    }

    /// The result of libjpeg-turbo at 1/8.
    struct Reference {
        var size = (width: 0, height: 0)
        /// Nil if libjpeg-turbo refuses the file, or the file ends early.
        var pixels: Data?
        var warnings = 0
    }

    static func reference(_ file: Data, bytes: Int32) -> Reference {
        var width: Int32 = 0
        var height: Int32 = 0
        var warnings: Int32 = 0
        var pixels: UnsafeMutablePointer<UInt8>?
        let isComplete = file.withUnsafeBytes {
            webimage_jpeg_sample_read(
                $0.bindMemory(to: UInt8.self).baseAddress, $0.count, bytes, &width, &height, &warnings, &pixels)
        }
        defer { free(pixels) }
        var reference = Reference(size: (Int(width), Int(height)), warnings: Int(warnings))
        if isComplete != 0, let pixels {
            reference.pixels = Data(bytes: pixels, count: Int(width) * Int(height) * Int(abs(bytes)))
        }
        return reference
    }

    struct Result {
        var status = WEBIMAGE_JPEG_THUMBNAIL_OK
        var pixels = Data()
        var work = webimage_jpeg_thumbnail_work()
    }

    /// Decodes a file with the loop. `size` is that of the output.
    static func decode(
        _ file: Data, size: (width: Int, height: Int), index: Int = 2, windowBytes: Int = 0,
        change: (inout webimage_jpeg_thumbnail_request) -> Void = { _ in }
    ) -> Result {
        let (format, bytes) = formats[index]
        var result = Result()
        let stride = size.width * Int(abs(bytes))
        result.pixels = Data(count: stride * size.height)
        result.status = result.pixels.withUnsafeMutableBytes { pixels in
            file.withUnsafeBytes { file in
                withUnsafeMutablePointer(to: &result.work) { work in
                    var request = webimage_jpeg_thumbnail_request()
                    request.width = Int32(size.width)
                    request.height = Int32(size.height)
                    request.format = format
                    request.pixels = pixels.bindMemory(to: UInt8.self).baseAddress
                    request.stride = stride
                    request.deadline = .max
                    request.ignores_cost = 1
                    request.window_bytes = windowBytes
                    request.work = work
                    change(&request)
                    return webimage_jpeg_thumbnail_decode(
                        file.bindMemory(to: UInt8.self).baseAddress, file.count, &request)
                }
            }
        }
        return result
    }
}
