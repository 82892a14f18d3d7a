import Foundation
import Testing
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 5))
struct StreamingTests {
    @Test(arguments: StreamingSample.allCases, [1, 7, 100, 1_000_000])
    func piecesOfAnySizeDecodeToTheSameImage(_ sample: StreamingSample, size: Int) throws {
        let stream = sample.makeStream()
        try feed(try sample.data, to: stream, size: size)
        let image = try #require(stream.incrementalImage(options: nil))
        let whole = try sample.decoded()
        #expect(!image.isIncremental)
        #expect(image.hasAlpha == whole.hasAlpha)
        #expect(image.imageFormat == whole.imageFormat)
        #expect(Sample.values(image.pixels) == Sample.values(whole.pixels))
    }

    @Test(arguments: StreamingSample.allCases)
    func streamedThumbnailsEqualThoseOfOneDecode(_ sample: StreamingSample) throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 11, height: 11)
        let stream = sample.makeStream(options)
        try feed(try sample.data, to: stream, size: 50) { image in
            #expect(max(image.pixelSize.width, image.pixelSize.height) == 11)
        }
        let whole = try sample.decoded(options)
        #expect(
            Sample.values(try #require(stream.incrementalImage(options: nil)).pixels) == Sample.values(whole.pixels)
        )
    }

    /// In a scaled-down partial image, a row appears only after all source rows of this row have arrived.
    @Test(arguments: [StreamingSample.baseline, .png, .webP, .turned])
    func thumbnailPreviewsShowOnlyFinalRows(_ sample: StreamingSample) throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 45, height: 45)
        let whole = try sample.decoded(options)
        var most = 0
        try feed(try sample.data, to: sample.makeStream(options), size: 32) { image in
            guard image.isIncremental else { return }
            var shown = 0
            for y in 0..<image.pixelSize.height {
                for x in 0..<image.pixelSize.width where Sample.pixel(image.pixels, x, y) != [0, 0, 0, 0] {
                    shown += 1
                    let (pixel, final) = (Sample.pixel(image.pixels, x, y), Sample.pixel(whole.pixels, x, y))
                    #expect(zip(pixel, final).allSatisfy { abs($0 - $1) <= 1 }, "\(x), \(y)")
                }
            }
            most = max(most, shown)
        }
        #expect(most > 45)
    }

    /// If a format stores the image row by row, every visible pixel of a partial image is final.
    @Test(arguments: [StreamingSample.baseline, .png, .webP, .turned])
    func previewsShowOnlyFinalRows(_ sample: StreamingSample) throws {
        let whole = try sample.decoded()
        var shares: [Double] = []
        try feed(try sample.data, to: sample.makeStream(), size: 64) { image in
            guard image.isIncremental else { return }
            #expect(image.pixelSize == whole.pixelSize)
            var shown = 0
            for y in 0..<image.pixelSize.height {
                for x in 0..<image.pixelSize.width {
                    let pixel = Sample.pixel(image.pixels, x, y)
                    if pixel == [0, 0, 0, 0] { continue }
                    shown += 1
                    #expect(pixel == Sample.pixel(whole.pixels, x, y))
                }
            }
            shares.append(Double(shown) / Double(image.pixelSize.pixelCount))
        }
        #expect(shares.count > 1)
        #expect(shares == shares.sorted())
        #expect(shares.contains { (0.1...0.9).contains($0) })
    }

    @Test(arguments: [StreamingSample.progressive, .interlaced])
    func laterPassesAreCloserToTheFinalImage(_ sample: StreamingSample) throws {
        let whole = Sample.values(try sample.decoded().pixels)
        var differences: [Int] = []
        let stream = sample.makeStream()
        try feed(try sample.data, to: stream, size: 8) { image in
            let values = Sample.values(image.pixels)
            differences.append(zip(values, whole).reduce(0) { $0 + abs($1.0 - $1.1) })
            // In premultiplied pixels, no channel may exceed the alpha of its pixel.
            let pixels = stride(from: 0, to: values.count, by: 4)
            #expect(pixels.allSatisfy { (values[$0..<$0 + 3].max() ?? 0) <= values[$0 + 3] })
        }
        #expect(differences.count > 3)
        #expect(differences.last == 0)
        #expect(try #require(differences.first) > 2 * differences[differences.count / 2])
    }

    /// The stream reuses the memory of released partial images, but never the memory of images that are still in use.
    @Test(arguments: StreamingSample.allCases)
    func returnedPreviewNeverChanges(_ sample: StreamingSample) throws {
        var kept: [(image: Image, values: [Int])] = []
        let stream = sample.makeStream()
        var count = 0
        try feed(try sample.data, to: stream, size: 8) { image in
            count += 1
            if count % 2 == 0, kept.last?.image !== image { kept.append((image, Sample.values(image.pixels))) }
        }
        #expect(kept.allSatisfy { Sample.values($0.image.pixels) == $0.values })
        let whole = Sample.values(try sample.decoded().pixels)
        #expect(Sample.values(try #require(stream.incrementalImage(options: nil)).pixels) == whole)
    }

    @Test(arguments: StreamingSample.allCases)
    func headerIsReportedBeforeThreeQuartersOfTheData(_ sample: StreamingSample) throws {
        let data = try sample.data
        let stream = sample.makeStream()
        var known: Int?
        for (index, byte) in data.enumerated() {
            try stream.append(Data([byte]), finished: false)
            if known == nil, stream.incrementalInfo != nil { known = index }
        }
        let info = try #require(stream.incrementalInfo)
        let whole = try sample.coder.imageInfo(of: data, limits: .default)
        #expect(info.pixelSize == whole.pixelSize)
        #expect(info.orientation == whole.orientation)
        #expect(try #require(known) < data.count * 3 / 4)
    }

    @Test(arguments: StreamingSample.allCases)
    func cumulativeUpdatesEqualPieces(_ sample: StreamingSample) throws {
        let data = try sample.data
        let stream = sample.makeStream()
        for end in stride(from: 1, to: data.count, by: 33) {
            try stream.update(data.prefix(end), finished: false)
        }
        try stream.update(data, finished: true)
        try stream.update(Data(), finished: true)
        let image = try #require(stream.incrementalImage(options: DecodingOptions([.decodeScaleFactor: 2])))
        #expect(image.scale == 2)
        #expect(Sample.values(image.pixels) == Sample.values(try sample.decoded().pixels))
    }

    @Test(arguments: StreamingSample.allCases)
    func aFileThatIsCutOffIsRefusedAtItsEnd(_ sample: StreamingSample) throws {
        let data = try sample.data
        for share in [1, 2, 3] {
            let stream = sample.makeStream()
            // Cut a GIF inside its first frame. After the first frame, the stream returns a complete image instead of
            // an error.
            let end = sample == .gif ? data.count * share / 8 : data.count * share / 4
            try stream.append(data.prefix(end), finished: false)
            #expect(throws: WebImageError.self) { try stream.append(Data(), finished: true) }
            #expect(stream.incrementalImage(options: nil)?.isIncremental != false)
        }
    }

    @Test(arguments: StreamingSample.allCases)
    func garbageEndsInAnErrorAndNoImage(_ sample: StreamingSample) throws {
        let stream = sample.makeStream()
        #expect(throws: WebImageError.self) {
            try stream.append(Data(repeating: 0x55, count: 1000), finished: false)
            try stream.append(Data(repeating: 0x55, count: 1000), finished: true)
        }
        #expect(stream.incrementalImage(options: nil) == nil)
        #expect(stream.incrementalInfo == nil)
        // After an error, the stream throws an error for all further data.
        #expect(throws: WebImageError.self) { try stream.append(try sample.data, finished: true) }
        #expect(stream.incrementalImage(options: nil) == nil)
    }

    @Test(arguments: StreamingSample.allCases)
    func limitsApplyToStreams(_ sample: StreamingSample) throws {
        var options = DecodingOptions()
        options.limits.maxPixels = 100
        let stream = sample.makeStream(options)
        let error = #expect(throws: WebImageError.self) { try feed(try sample.data, to: stream, size: 9) }
        #expect(error?.code == .limitExceeded)
        #expect(stream.incrementalImage(options: nil) == nil)
    }

    @Test(arguments: StreamingSample.allCases)
    func deadlineAppliesToStreams(_ sample: StreamingSample) throws {
        var options = DecodingOptions()
        options.limits.maxDecodeTime = .zero
        let stream = sample.makeStream(options)
        let error = #expect(throws: WebImageError.self) {
            try feed(try sample.data, to: stream, size: 9, showing: false)
        }
        guard case .limit(.decodeTime, _, _)? = error?.underlying else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// If the image has eight times as many rows, decoding must take less than 24 times the processor time. Quadratic
    /// work would take 64 times the processor time.
    @Test(arguments: [StreamingSample.baseline, .png, .webP])
    func streamingWorkIsProportionalToTheBytes(_ sample: StreamingSample) throws {
        func time(_ count: Int) throws -> Double {
            let image = Image(pixels: try Sample.gradient(160, count, .rgb8))
            let coder = sample.coder
            let format: ImageFormat = sample == .baseline ? .jpeg : sample == .png ? .png : .webP
            let data = try coder.encode(image, format: format, options: EncodingOptions())
            let start = ProcessorTime.seconds
            try feed(data, to: sample.makeStream(), size: 16, showing: false)
            return ProcessorTime.seconds - start
        }
        _ = try time(50)
        let ratios = try (0..<3).map { _ in try time(800) / time(100) }
        #expect(try #require(ratios.min()) < 8 * 3)
    }

    @Test(arguments: StreamingSample.allCases)
    func streamsReleaseTheirDecoderHandles(_ sample: StreamingSample) async throws {
        let data = try sample.data
        for end in [data.count / 3, data.count] {
            try sample.makeStream().append(data.prefix(end), finished: false)
        }
        // Wait until none of these handles is open, because other tests use such handles at the same time.
        try await LiveHandles.expectNone(within: .seconds(20)) {
            ["jpeg decompressor", "png_reader", "webp_decoder"].contains($0)
        }
    }

    private func feed(
        _ data: Data, to stream: any StreamingImageCoder, size: Int, showing: Bool = true,
        _ show: (Image) throws -> Void = { _ in }
    ) throws {
        var revision = 0
        for start in stride(from: 0, to: data.count, by: size) {
            let end = min(start + size, data.count)
            try stream.append(data[data.startIndex + start..<data.startIndex + end], finished: end == data.count)
            guard showing, stream.incrementalRevision > revision else { continue }
            revision = stream.incrementalRevision
            try show(try #require(stream.incrementalImage(options: nil)))
        }
    }
}
