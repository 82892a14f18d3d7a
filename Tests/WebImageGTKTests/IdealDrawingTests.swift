import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// The pixels that a view draws are those of the ideal picture: a floating-point Lanczos filter of the exact part of the
    /// full decode.
    @Suite("Ideal drawings") @MainActor struct IdealDrawingTests {
        private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

        let journey: ViewJourney

        init() throws {
            try Display.open()
            journey = try ViewJourney()
        }

        /// A view shows two pictures in turn.
        @Test(arguments: [ImageContentMode.fill, .fit, .cover], [ImageFormat.png, .jpeg])
        func viewDrawsTheIdealPicture(mode: ImageContentMode, format: ImageFormat) async throws {
            var random = SeededRandom.printingSeed()
            for turn in 0..<(Self.isLong ? 40 : 2) {
                let area = PixelSize(
                    width: .random(in: 60...200, using: &random), height: .random(in: 60...200, using: &random))
                let view = ImageView()
                view.contentMode = mode
                let window = try await TestWindow(view.widget, width: area.width, height: area.height)
                defer { window.close() }
                for name in ["first", "second"] {
                    let size = PixelSize(
                        width: .random(in: 250...700, using: &random), height: .random(in: 250...700, using: &random))
                    var options = EncodingOptions()
                    options.quality = 0.95
                    let waves = try IdealPicture.waves(width: size.width, height: size.height)
                    let data = try ImageCodersManager.shared.encode(waves, format: format, options: options)
                    let url = journey.server.url("/\(name)-\(turn)")
                    journey.server.route("/\(name)-\(turn)", .body(data))
                    let full = IdealPicture(
                        try ImageCodersManager.shared.decode(data, options: DecodingOptions()).pixels, hasAlpha: false)
                    let answer = ViewAnswer()
                    view.setImage(with: url, context: journey.context, completed: answer.hear)
                    #expect(try await answer.isSuccess(url))
                    var found: String?
                    _ = try await TestWindow.drawing(of: view.widget) { drawing in
                        found = fault(of: drawing, area, mode, full)
                        return found == nil
                    }
                    #expect(found == nil, "\(name) of \(size) in \(area): \(found ?? "")")
                }
            }
        }

        /// Compares the part of a drawing that shows the picture, without a pixel at its borders.
        private func fault(
            of drawing: Image, _ area: PixelSize, _ mode: ImageContentMode, _ full: IdealPicture
        ) -> String? {
            guard drawing.pixelSize == area else { return "the drawing has \(drawing.pixelSize)" }
            let bounds = CGRect(x: 0, y: 0, width: area.width, height: area.height)
            let rect = mode.rect(for: CGSize(width: full.width, height: full.height), in: bounds)
            let shown = rect.intersection(bounds)
            let (left, top) = (Int(shown.minX.rounded(.up)), Int(shown.minY.rounded(.up)))
            let size = PixelSize(
                width: Int(shown.maxX.rounded(.down)) - left, height: Int(shown.maxY.rounded(.down)) - top)
            let (x, y) = (Double(full.width) / rect.width, Double(full.height) / rect.height)
            let region = PixelRegion(
                left: (Double(left) - rect.minX) * x, top: (Double(top) - rect.minY) * y,
                width: Double(size.width) * x, height: Double(size.height) * y)
            // GTK draws a rectangle that is not rounded to pixels with linear interpolation, which blurs a little.
            let (leastNoise, mostLine) = mode == .fill ? (36.0, 8.0) : (30, 12)
            let result = IdealPicture(drawing.pixels, hasAlpha: false).part(left: left, top: top, size)
            let faults = [IdealPicture.Border.mirrored, .omitted].map {
                full.scaled(to: size, from: region, border: $0).fault(
                    of: result, leastNoise: leastNoise, mostLine: mostLine)
            }
            return faults.contains(nil) ? nil : faults[0]
        }
    }
}
