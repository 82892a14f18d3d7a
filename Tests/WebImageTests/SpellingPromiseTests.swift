import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Requirements of the acceptance list that other suites test only through SDWebImage's names.
@Suite(.timeLimit(minutes: 1)) struct SpellingPromiseTests {
    let journey: Journey

    init() throws { journey = try Journey() }

    @Test(
        .tags(.m3),
        arguments: [
            (PixelFormat.bgra8Premultiplied, 4), (.rgb8, 3), (.gray8, 1),
        ])
    func memoryCostIsPixelsTimesBytesPerPixel(format: PixelFormat, bytes: Int) throws {
        var options = DecodingOptions()
        options.pixelFormat = format
        let file = try Journey.file(width: 64, height: 8)
        let image = try ImageCodersManager.shared.decode(file, options: options)
        #expect(image.memoryCost == 64 * 8 * bytes)
    }

    @Test(.tags(.m4)) func scaleDownOptionAndTransformerLimitTheSize() async throws {
        journey.server.route("/wide.png", .body(try Journey.file(width: 400, height: 100)))
        let url = journey.server.url("/wide.png")
        let bounded = try await journey.manager.image(
            for: url, options: .scaleDownLargeImages, context: [.imageScaleDownLimitBytes: 200 * 50 * 4])
        #expect(bounded.pixelSize == PixelSize(width: 200, height: 50))
        let resizing = ImageResizingTransformer(size: CGSize(width: 30, height: 30), scaleMode: .aspectFit)
        let resized = try await journey.manager.image(for: url, context: [.imageTransformer: resizing])
        #expect(resized.pixelSize == PixelSize(width: 30, height: 30))
    }

    @Test(.tags(.x2)) func customCoderIsAskedFirst() async throws {
        let coder = FakeCoder()
        ImageCodersManager.shared.addCoder(coder)
        defer { ImageCodersManager.shared.removeCoder(coder) }
        journey.server.route("/fake", .body(FakeCoder.file(width: 7, height: 5), type: "image/x-fake"))
        let image = try await journey.manager.image(for: journey.server.url("/fake"))
        #expect(image.pixelSize == PixelSize(width: 7, height: 5) && coder.decodeCount == 1)
    }
}
