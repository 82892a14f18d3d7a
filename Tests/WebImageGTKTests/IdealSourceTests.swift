import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTesting
import WebImageViews

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
        var random = SeededRandom.printingSeed()
        for turn in 0..<(Self.isLong ? 20 : 1) {
            let area = PixelSize(width: side(20...120, &random), height: side(20...120, &random))
            let size = PixelSize(width: side(250...500, &random), height: side(250...500, &random))
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
