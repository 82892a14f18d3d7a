import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite.IdealDrawingTests {
    private func side(_ range: ClosedRange<Int>, _ random: inout SeededRandom) -> Int {
        Int.random(in: range, using: &random)
    }

    /// Compares what a widget draws until it is ideal.
    private func lastFault(
        in view: ImageView, _ area: PixelSize, _ mode: ImageContentMode, _ format: ImageFormat, _ full: IdealPicture
    ) async throws -> String? {
        var found: String? = "nothing is drawn"
        let fault = ideal(area, mode, format, full)
        _ = try await TestWindow.drawing(of: view.widget) { drawing in
            found = fault(drawing)
            return found == nil
        }
        return found
    }

    /// Each frame of an animation is ideal, at the size of the view, before and after a second round.
    @Test(arguments: [ImageContentMode.fill, .fit, .cover], [ImageFormat.png, .webP, .gif])
    func viewDrawsIdealFrames(mode: ImageContentMode, format: ImageFormat) async throws {
        try await frames(mode, format, of: 250...500, in: 20...120)
    }

    /// Frames that are too large for a copy while the view is drawn.
    @Test(arguments: [ImageContentMode.fill, .cover])
    func viewDrawsIdealLargeFrames(mode: ImageContentMode) async throws {
        try await frames(mode, .png, of: 600...800, in: 200...320)
    }

    private func frames(
        _ mode: ImageContentMode, _ format: ImageFormat, of sides: ClosedRange<Int>, in areas: ClosedRange<Int>
    ) async throws {
        var random = SeededRandom.printingSeed()
        for turn in 0..<(Self.isLong ? 20 : 1) {
            let area = PixelSize(width: side(areas, &random), height: side(areas, &random))
            let size = PixelSize(width: side(sides, &random), height: side(sides, &random))
            let waves = try IdealPicture.waves(width: size.width, height: size.height)
            let mirrored = try #require(waves.flippedImage(withHorizontal: true, vertical: false))
            var options = EncodingOptions()
            options.quality = 0.95
            let data = try ImageCodersManager.shared.encode(
                frameCount: 2, loopCount: 0, format: format, options: options
            ) { index throws(WebImageError) in ImageFrame(image: index == 0 ? waves : mirrored, duration: 0.1) }
            let whole = try #require(AnimatedImage(data: data))
            let frames = try (0..<2).map { index in
                IdealPicture(try #require(whole.animatedImageFrame(at: index)).pixels, hasAlpha: false)
            }
            let link = ManualDisplayLink()
            let view = AnimatedImageView(displayLink: { _ in link })
            view.contentMode = mode
            let window = try await TestWindow(view.widget, width: area.width, height: area.height)
            defer { window.close() }
            let url = journey.server.url("/\(format)-\(turn)")
            journey.server.route("/\(format)-\(turn)", .body(data))
            let answer = ViewAnswer()
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            for index in [0, 1, 0, 1] {
                let isShown = try await pump {
                    if view.currentFrameIndex != index { link.tick(0.1) }
                    return view.currentFrameIndex == index
                }
                #expect(isShown)
                let found = try await lastFault(in: view, area, mode, format, frames[index])
                #expect(found == nil, "\(format) frame \(index) of \(size) in \(area), \(mode): \(found ?? "")")
            }
        }
    }

    /// Until the copy of a large frame is ready, that of the frame before is drawn. If the next frame comes sooner, it is drawn
    /// by GTK, so that an animation with short frames does not stand still.
    @Test func copyOfTheFrameBeforeIsDrawnUntilThatOfTheFrameIsReady() async throws {
        let texture = try #require(try IdealPicture.waves(width: 700, height: 500).makeTexture())
        let area = CGRect(x: 0, y: 0, width: 350, height: 250)
        func version(_ exact: ExactTexture) -> Texture? { exact.version(for: area, of: area, scale: 1) {} }
        let first = ExactTexture(texture, after: nil)
        #expect(version(first) == nil)
        #expect(try await pump { version(first) != nil })
        let copy = try #require(version(first))
        let second = ExactTexture(texture, after: first)
        #expect(version(second) === copy)
        let third = ExactTexture(texture, after: second)
        #expect(version(third) == nil)
        #expect(try await pump { version(second) !== copy && version(third) != nil })
        let narrower = CGRect(x: 0, y: 0, width: 300, height: 250)
        #expect(ExactTexture(texture, after: third).version(for: narrower, of: narrower, scale: 1) {} == nil)
    }

    /// A picture that the program hands over is scaled as one that the view has loaded.
    @Test(arguments: [ImageContentMode.fill, .fit, .cover, .scaleDown])
    func viewDrawsAPictureOfTheProgramIdeally(mode: ImageContentMode) async throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<(Self.isLong ? 30 : 2) {
            let area = PixelSize(width: side(20...200, &random), height: side(20...200, &random))
            let size = PixelSize(width: side(250...900, &random), height: side(250...900, &random))
            let waves = try IdealPicture.waves(width: size.width, height: size.height)
            let view = ImageView()
            view.contentMode = mode
            let window = try await TestWindow(view.widget, width: area.width, height: area.height)
            defer { window.close() }
            view.image = waves
            let found = try await lastFault(
                in: view, area, mode, .png, IdealPicture(waves.pixels, hasAlpha: false))
            #expect(found == nil, "\(size) in \(area), \(mode): \(found ?? "")")
        }
    }

    /// A photo of more than eight megapixels, which is read in strips or by rows, or handed over by the program.
    @Test(arguments: [ImageFormat.jpeg, .png]) func viewDrawsALargePictureIdeally(format: ImageFormat) async throws {
        var random = SeededRandom.printingSeed()
        let area = PixelSize(width: side(150...600, &random), height: side(150...600, &random))
        let size = PixelSize(width: side(3500...3700, &random), height: side(2500...2700, &random))
        let waves = try IdealPicture.waves(width: size.width, height: size.height)
        var options = EncodingOptions()
        options.quality = 0.95
        let data = try ImageCodersManager.shared.encode(waves, format: format, options: options)
        let full = IdealPicture(
            try ImageCodersManager.shared.decode(data, options: DecodingOptions()).pixels, hasAlpha: false)
        let url = journey.server.url("/large.\(format)")
        journey.server.route("/large.\(format)", .body(data))
        let view = ImageView()
        view.contentMode = .cover
        let window = try await TestWindow(view.widget, width: area.width, height: area.height)
        defer { window.close() }
        let answer = ViewAnswer()
        view.setImage(with: url, context: journey.context, completed: answer.hear)
        #expect(try await answer.isSuccess(url))
        let loaded = try await lastFault(in: view, area, .cover, format, full)
        #expect(loaded == nil, "\(size) in \(area): \(loaded ?? "")")
        view.contentMode = .fit
        view.image = waves
        let handed = try await lastFault(in: view, area, .fit, .png, IdealPicture(waves.pixels, hasAlpha: false))
        #expect(handed == nil, "handed over, \(size) in \(area): \(handed ?? "")")
    }
}
