import CWebImageJPEGSamples
import CWebImageJPEGThumbnail
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTesting

/// Files for the tests of the thumbnail loop, and the two decoders that must write the same pixels.
enum ThumbnailSample {
    typealias Status = webimage_jpeg_thumbnail_status

    static let formats: [(format: webimage_jpeg_thumbnail_format, bytes: Int32)] = [
        (WEBIMAGE_JPEG_THUMBNAIL_GRAY, 1), (WEBIMAGE_JPEG_THUMBNAIL_RGB, 3), (WEBIMAGE_JPEG_THUMBNAIL_RGBA, 4),
        (WEBIMAGE_JPEG_THUMBNAIL_BGRA, -4), (WEBIMAGE_JPEG_THUMBNAIL_CMYK, 4),
    ]
    /// The output in inks in ``formats``.
    static let inkIndex = 4
    private static let inkColors = [WEBIMAGE_JPEG_SAMPLE_CMYK, WEBIMAGE_JPEG_SAMPLE_YCCK]

    /// A random output of the loop at 1/8 for a file.
    static func index(for sample: webimage_jpeg_sample, _ random: inout SeededRandom) -> Int {
        inkColors.contains(Int(sample.color)) ? inkIndex : .random(in: 0..<inkIndex, using: &random)
    }

    static func componentCount(of sample: webimage_jpeg_sample) -> Int {
        sample.color == WEBIMAGE_JPEG_SAMPLE_GRAY ? 1 : inkColors.contains(Int(sample.color)) ? 4 : 3
    }

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
        sample.color = [0, 0, 0, 0, 1, 2, 3, 4].randomElement(using: &random) ?? 0
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
        // Black has the resolution of the first component.
        sample.horizontal = (horizontal, 1, 1, horizontal)
        sample.vertical = (vertical, 1, 1, vertical)
        if Int.random(in: 0..<8, using: &random) == 0 {
            func factor() -> UInt8 { .random(in: 1...4, using: &random) }
            sample.horizontal = (factor(), factor(), factor(), factor())
            sample.vertical = (factor(), factor(), factor(), factor())
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

    /// The complete decode of libjpeg-turbo: grey, RGB, or with 4 bytes the stored inks of CMYK and YCCK. Nil if there are
    /// warnings, unless they are allowed.
    static func complete(
        _ file: Data, bytes: Int32 = 3, allowsWarnings: Bool = false
    ) -> (width: Int, height: Int, pixels: Data)? {
        var (width, height, warnings) = (Int32(), Int32(), Int32())
        var rows: UnsafeMutablePointer<UInt8>?
        let isComplete = file.withUnsafeBytes { source in
            webimage_jpeg_sample_read_scaled(
                source.bindMemory(to: UInt8.self).baseAddress, source.count, 8, bytes, &width, &height, &warnings, &rows
            )
        }
        defer { free(rows) }
        guard isComplete == 1, warnings == 0 || allowsWarnings, let rows else { return nil }
        return (Int(width), Int(height), Data(bytes: rows, count: Int(width * height) * Int(abs(bytes))))
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

/// Decodes planes, and computes them in real numbers.
enum PlaneSample {
    /// The numbers of samples that a row of a block can have.
    static let sides = [2, 3, 4, 8]

    /// - Parameters:
    ///   - index: The number of the output format in ``ThumbnailSample/formats``.
    ///   - size: The size of the file, if its header cannot be read.
    static func decode(
        _ file: Data, to target: (width: Int, height: Int), index: Int = 2, region: PixelRegion? = nil, side: Int,
        chroma: Int? = nil, component: Int = 0, isPortable: Bool = false, windowBytes: Int = 0,
        of size: (width: Int, height: Int)? = nil,
        change: (inout webimage_jpeg_thumbnail_request) -> Void = { _ in },
        changePlanes: (inout webimage_jpeg_thumbnail_planes) -> Void = { _ in }
    ) -> ThumbnailSample.Result {
        let size = size ?? headerSize(of: file)
        var planes = webimage_jpeg_thumbnail_planes()
        planes.file_width = Int32(size.width)
        planes.file_height = Int32(size.height)
        planes.x = region?.left ?? 0
        planes.y = region?.top ?? 0
        planes.width = region?.width ?? Double(size.width)
        planes.height = region?.height ?? Double(size.height)
        planes.side = Int32(side)
        planes.chroma_side = Int32(chroma ?? side)
        planes.component = Int32(component)
        planes.is_portable = isPortable ? 1 : 0
        planes.is_complete = component == 0 ? 0 : 1
        changePlanes(&planes)
        return withUnsafePointer(to: planes) { planes in
            ThumbnailSample.decode(file, size: target, index: index, windowBytes: windowBytes) { request in
                request.planes = planes
                change(&request)
            }
        }
    }

    private static func headerSize(of file: Data) -> (width: Int, height: Int) {
        let info = try? ImageJPEGCoder.shared.imageInfo(of: file, limits: DecodingLimits())
        return (info?.storedSize.width ?? 1, info?.storedSize.height ?? 1)
    }

    /// The plane of a component in real numbers, or nil if libjpeg-turbo refuses the file.
    static func expected(_ file: Data, component: Int, side: Int) -> (
        size: (width: Int, height: Int), samples: [Float]
    )? {
        var width: Int32 = 0
        var height: Int32 = 0
        var samples: UnsafeMutablePointer<Float>?
        let isComplete = file.withUnsafeBytes {
            webimage_jpeg_sample_plane(
                $0.bindMemory(to: UInt8.self).baseAddress, $0.count, Int32(component), Int32(side), &width, &height,
                &samples)
        }
        defer { free(samples) }
        guard isComplete != 0, let samples else { return nil }
        let count = Int(width) * Int(height)
        // Complete blocks have the samples of a complete decode, from black to white.
        let values = UnsafeBufferPointer(start: samples, count: count)
        let limited = side < 8 ? Array(values) : values.map { $0.isNaN ? $0 : min(max($0, 0), 255) }
        return ((Int(width), Int(height)), limited)
    }

    /// The result in real numbers: each plane is scaled from its part of the picture, then the colours are converted.
    static func ideal(
        _ file: Data, _ sample: webimage_jpeg_sample, region: PixelRegion, side: Int, chroma: Int,
        to target: (width: Int, height: Int)
    ) throws -> (gray: [Float], colors: [[Float]]) {
        let target = PixelSize(width: target.width, height: target.height)
        var planes: [[Float]] = []
        for component in 1...(sample.color == 2 ? 1 : 3) {
            let isFull = component == 1 || sample.horizontal.0 == 1
            let samples = isFull ? side : chroma
            let (size, plane) = try #require(expected(file, component: component, side: samples))
            let factor = Double(samples) / 8 / (isFull || sample.color == 2 ? 1 : 2)
            let picture = IdealPicture(width: size.width, height: size.height, planes: [plane])
            // A complete decode spreads a sample of chroma with half the resolution over four pixels, 1/8 and 3/8 of it each.
            let spread: [(place: Double, share: Float)] =
                isFull || sample.color == 2
                ? [(0, 1)] : [(-1.5, 0.125), (-0.5, 0.375), (0.5, 0.375), (1.5, 0.125)]
            var sum = [Float](repeating: 0, count: target.width * target.height)
            for (x, shareX) in spread {
                for (y, shareY) in spread {
                    var part = region
                    part.left += x
                    part.top += y
                    part = part.scaled(x: factor, y: factor)
                    // The colours are limited only after they are converted.
                    let scaled = picture.scaled(to: target, from: part, limits: .nowhere).planes[0]
                    for index in sum.indices { sum[index] += scaled[index] * shareX * shareY }
                }
            }
            planes.append(sum)
        }
        let limited = planes.map { $0.map { min(max($0, 0), 255) } }
        guard planes.count == 3 else { return (limited[0], [limited[0], limited[0], limited[0]]) }
        guard sample.color == 0 else { return (limited[0], limited) }
        var colors = [[Float]](repeating: [], count: 3)
        for index in planes[0].indices {
            let (y, cb, cr) = (planes[0][index], planes[1][index] - 128, planes[2][index] - 128)
            let red = mixed(cr) { (1.402 * $0).rounded() }
            let green = mixed(cb) { cb in mixed(cr) { cr in (-0.344136 * cb - 0.714136 * cr).rounded() } }
            let blue = mixed(cb) { (1.772 * $0).rounded() }
            for (channel, offset) in [red, green, blue].enumerated() {
                colors[channel].append(min(max(y + offset, 0), 255))
            }
        }
        return (limited[0], colors)
    }

    /// What chroma adds to a colour: a complete decode has whole samples of chroma and rounds what they add.
    private static func mixed(_ chroma: Float, _ offset: (Float) -> Float) -> Float {
        let whole = chroma.rounded(.down)
        return offset(whole) + (chroma - whole) * (offset(whole + 1) - offset(whole))
    }
}
