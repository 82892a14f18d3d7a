import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// AVIF files whose boxes declare smaller sizes than the coded images have. In these tests, the coded image is the main
/// image, a tile or an alpha plane.
@Suite(.timeLimit(minutes: 2), .serialized)
struct AVIFSizeTests {
    private static func coded(_ width: Int, _ height: Int) throws -> HEIFBytes.Coded {
        var options = EncodingOptions()
        options.quality = 0.5
        let file = try ImageAVIFCoder.shared.encode(
            try TestImages.solid(width: width, height: height), format: .avif, options: options)
        return try #require(HEIFBytes.coded(in: file, .av1))
    }

    private let large: HEIFBytes.Coded
    private let small: HEIFBytes.Coded

    init() throws { (large, small) = (try Self.coded(256, 192), try Self.coded(64, 64)) }

    private func item(
        _ number: Int, _ coded: HEIFBytes.Coded, width: Int = 64, height: Int = 64,
        references: (type: String, to: [Int])? = nil
    ) -> HEIFBytes.Item {
        HEIFBytes.Item(
            number: number, type: "av01", data: coded.data, size: (width, height), configuration: coded.configuration,
            references: references)
    }

    private func grid(
        _ number: Int = 1, rows: Int = 1, columns: Int = 1, width: Int = 64, height: Int = 64,
        said: (Int, Int) = (64, 64), to: [Int]
    ) -> HEIFBytes.Item {
        HEIFBytes.Item(
            number: number, type: "grid",
            data: HEIFBytes.grid(rows: rows, columns: columns, width: width, height: height),
            size: said, configuration: nil, references: ("dimg", to))
    }

    private func file(_ items: [HEIFBytes.Item]) -> Data {
        var boxes = HEIFBytes(items: items)
        (boxes.codec, boxes.sharesData) = (.av1, true)
        return boxes.file
    }

    /// Limits that allow 64 × 64 pixels. `large` has twelve times as many pixels.
    private let limits = DecodingLimits(maxPixels: 64 * 64)

    private func decode(_ data: Data, _ limits: DecodingLimits) throws(WebImageError) -> Image {
        var options = DecodingOptions()
        options.limits = limits
        return try ImageAVIFCoder.shared.decode(data, options: options)
    }

    private func code(_ items: [HEIFBytes.Item]) -> WebImageError.Code? {
        do throws(WebImageError) {
            let image = try decode(file(items), limits)
            #expect(image.pixelSize.pixelCount <= limits.maxPixels)
            return nil
        } catch { return error.code }
    }

    @Test func sizesWithinTheLimitAreDecoded() throws {
        let size = PixelSize(width: 64, height: 64)
        #expect(try decode(file([item(1, small)]), limits).pixelSize == size)
        #expect(try decode(file([grid(to: [2]), item(2, small)]), limits).pixelSize == size)
        let four = [grid(rows: 2, columns: 2, width: 128, height: 128, said: (128, 128), to: [2, 3, 4, 5])]
        let tiles = (2...5).map { item($0, small) }
        #expect(try decode(file(four + tiles), .default).pixelSize == PixelSize(width: 128, height: 128))
    }

    /// Other readers refuse sides over 32,768 px. Such a file is read, as far as the limits allow, but not written.
    @Test func longSidesAreReadAndNotWritten() throws {
        let tile = try Self.coded(1040, 64)
        let canvas = grid(columns: 32, width: 33_280, height: 64, said: (33_280, 64), to: Array(2...33))
        let tiles = (2...33).map { item($0, tile, width: 1040) }
        #expect(try decode(file([canvas] + tiles), .default).pixelSize == PixelSize(width: 33_280, height: 64))
        let error = #expect(throws: WebImageError.self) { try Self.coded(32_769, 2) }
        #expect(error?.code == .encodingFailed && error?.hint?.contains("maximum pixel size") == true)
    }

    @Test func codedImagesOverTheLimitAreRefusedAtEachNesting() {
        // Each file contains one image. The box of the first file declares the true size. The box of the second file
        // declares a smaller size.
        #expect(code([item(1, large, width: 256, height: 192)]) == .limitExceeded)
        #expect(code([item(1, large)]) != nil)
        // In these three files, the large image is a tile, the alpha plane of an image, or the alpha plane of a grid.
        #expect(code([grid(to: [2]), item(2, large)]) != nil)
        #expect(code([item(1, small), item(2, large, references: ("auxl", [1]))]) != nil)
        #expect(code([grid(to: [2]), item(2, small), item(3, large, references: ("auxl", [1]))]) != nil)
    }

    @Test func canvasesOverTheLimitAreRefused() {
        let tiles = (2...17).map { item($0, small) }
        let numbers = Array(2...17)
        let canvas = grid(rows: 4, columns: 4, width: 256, height: 256, said: (256, 256), to: numbers)
        #expect(code([canvas] + tiles) == .limitExceeded)
        // The `ispe` box of the grid declares a smaller size than the grid has.
        let lying = grid(rows: 4, columns: 4, width: 256, height: 256, to: numbers)
        #expect(code([lying] + tiles) != nil)
        // In the first file, two grids refer to each other. In the second file, a grid refers to itself. In the third
        // file, a grid refers to another grid, which refers to the large image.
        let back = grid(2, to: [1])
        #expect(code([grid(to: [2]), back]) != nil)
        #expect(code([grid(to: [1])]) != nil)
        #expect(code([grid(to: [2]), grid(2, to: [3]), item(3, large)]) != nil)
    }

    /// A grid with a canvas of 1024 × 1024 px refers to 200 tiles of the same size. All tiles except one are outside
    /// the canvas. All tiles share the same data, so the file is small.
    @Test func tilesOutsideTheCanvasAllocateNoMemory() throws {
        let tile = try Self.coded(1024, 1024)
        let numbers = Array(2...201)
        let file = file(
            [grid(rows: 10, columns: 20, width: 1024, height: 1024, said: (1024, 1024), to: numbers)]
                + numbers.map { item($0, tile, width: 1024, height: 1024) })
        #expect(file.count < 100_000)
        let before = ProcessMemory.isMeasurable && ProcessMemory.resetPeak() ? ProcessMemory.peakBytes : nil
        let error = #expect(throws: WebImageError.self) {
            try decode(file, DecodingLimits(maxPixels: 1024 * 1024))
        }
        #expect(error?.code == .limitExceeded || error?.code == .badImageData)
        guard let before, let after = ProcessMemory.peakBytes else { return }
        #expect(after - before < 64 << 20, "\((after - before) >> 20) MB")
    }
}
