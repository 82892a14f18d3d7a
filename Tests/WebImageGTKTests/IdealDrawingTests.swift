import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTesting
import WebImageViews

@testable import WebImageGTK

extension GTKSuite {
    /// The pixels that a view draws are those of the ideal picture: a floating-point Lanczos filter of the exact part of the
    /// full decode.
    @Suite("Ideal drawings") @MainActor struct IdealDrawingTests {
        static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

        let journey: ViewJourney

        init() throws {
            try Display.open()
            journey = try ViewJourney()
        }

        /// A view shows two pictures in turn.
        @Test(arguments: [ImageContentMode.fill, .fit, .cover, .scaleDown], [ImageFormat.png, .jpeg])
        func viewDrawsTheIdealPicture(mode: ImageContentMode, format: ImageFormat) async throws {
            var random = SeededRandom.printingSeed()
            for turn in 0..<(Self.isLong ? 40 : 2) {
                let sides = 20...200
                let area = PixelSize(
                    width: .random(in: sides, using: &random), height: .random(in: sides, using: &random))
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
                        found = fault(of: drawing, area, mode, format, full)
                        return found == nil
                    }
                    #expect(found == nil, "\(name) of \(size) in \(area): \(found ?? "")")
                }
            }
        }

        /// A picture that covers or fills its area has more pixels than the area, and is scaled once more to those that are drawn.
        @Test(arguments: [ImageContentMode.fill, .cover], [20, 40, 96])
        func drawingOfAPictureWithMorePixelsIsIdeal(mode: ImageContentMode, side: Int) async throws {
            var random = SeededRandom.printingSeed()
            for scale in [1, 2] {
                let drawing = PictureDrawing()
                drawing.mode = mode
                drawing.scaleFactor = { CGFloat(scale) }
                for turn in 0..<(Self.isLong ? 20 : 3) {
                    let width = turn == 0 ? side : Int.random(in: side...2 * side, using: &random)
                    let points = CGSize(width: width, height: side)
                    let area = PixelSize(width: Int(points.width) * scale, height: side * scale)
                    let size = PixelSize(
                        width: .random(in: 450...700, using: &random), height: .random(in: 450...700, using: &random))
                    let waves = try IdealPicture.waves(width: size.width, height: size.height)
                    let data = try ImageCodersManager.shared.encode(waves, format: .png, options: EncodingOptions())
                    var options = DecodingOptions()
                    let viewSize = ViewSize.area(CGSize(width: area.width, height: area.height))
                    options.thumbnailPixelSize = viewSize.box(for: turn == 1 ? size : nil).flatMap(PixelSize.init(box:))
                    let image = try ImageCodersManager.shared.decode(data, options: options)
                    drawing.picture = PictureDrawing.Layer(texture: try #require(image.makeTexture()), size: waves.size)
                    let full = IdealPicture(waves.pixels, hasAlpha: false)
                    var found: String?
                    // The copy of a large picture is made in the background.
                    _ = try await pump {
                        let drawn = try? WidgetSnapshot.drawn(width: area.width, height: area.height) { snapshot in
                            gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
                            gdk_paintable_snapshot(drawing.pointer, snapshot, points.width, points.height)
                        }
                        found = drawn.map { fault(of: $0, area, mode, .png, full) } ?? "no drawing"
                        return found == nil
                    }
                    #expect(found == nil, "\(size) in \(points) at scale \(scale): \(found ?? "")")
                }
            }
        }

        /// Compares the part of a drawing that shows the picture, without a pixel at its borders.
        func fault(
            of drawing: Image, _ area: PixelSize, _ mode: ImageContentMode, _ format: ImageFormat, _ full: IdealPicture
        ) -> String? { ideal(area, mode, format, full)(drawing) }

        /// Returns the comparison of drawings with the ideal one. The ideal picture is made once for all drawings, because that
        /// of a large source takes seconds.
        func ideal(
            _ area: PixelSize, _ mode: ImageContentMode, _ format: ImageFormat, _ full: IdealPicture
        ) -> (Image) -> String? {
            let bounds = CGRect(x: 0, y: 0, width: area.width, height: area.height)
            let place = mode.rect(for: CGSize(width: full.width, height: full.height), in: bounds)
            // A picture is drawn at whole pixels, and is rounded up to them.
            let rect =
                mode == .fill
                ? place : wholePixels(place, keepsWidth: place.width == bounds.width, place.height == bounds.height)
            let shown = rect.intersection(bounds)
            let (left, top) = (Int(shown.minX.rounded(.up)), Int(shown.minY.rounded(.up)))
            let size = PixelSize(
                width: Int(shown.maxX.rounded(.down)) - left, height: Int(shown.maxY.rounded(.down)) - top)
            let (x, y) = (Double(full.width) / rect.width, Double(full.height) / rect.height)
            let region = PixelRegion(
                left: (Double(left) - rect.minX) * x, top: (Double(top) - rect.minY) * y,
                width: Double(size.width) * x, height: Double(size.height) * y)
            let mirrored = full.scaled(to: size, from: region, border: .mirrored)
            var omitted: IdealPicture?
            // The planes of a scaled JPEG are not those of the full decode.
            let leastNoise = format == .jpeg ? 40.0 : 50
            return { drawing in
                guard drawing.pixelSize == area else { return "the drawing has \(drawing.pixelSize)" }
                let result = IdealPicture(drawing.pixels, hasAlpha: false).part(left: left, top: top, size)
                guard let fault = mirrored.fault(of: result, leastNoise: leastNoise) else { return nil }
                let other = omitted ?? full.scaled(to: size, from: region, border: .omitted)
                omitted = other
                return other.fault(of: result, leastNoise: leastNoise) == nil ? nil : fault
            }
        }

        private func wholePixels(_ place: CGRect, keepsWidth: Bool, _ keepsHeight: Bool) -> CGRect {
            func whole(_ middle: CGFloat, _ length: CGFloat) -> (CGFloat, CGFloat) {
                let pixels = (length - 1e-4).rounded(.up)
                return ((middle - pixels / 2 - 1e-4).rounded(), pixels)
            }
            let (x, width) = keepsWidth ? (place.minX, place.width) : whole(place.midX, place.width)
            let (y, height) = keepsHeight ? (place.minY, place.height) : whole(place.midY, place.height)
            return CGRect(x: x, y: y, width: width, height: height)
        }

        /// A picture is drawn on whole device pixels at every scale factor, within its area.
        @Test func rectanglesLieOnDevicePixels() {
            var random = SeededRandom.printingSeed()
            let scales: [CGFloat] = [1, 1.25, 1.5, 2, 3]
            for _ in 0..<2000 {
                let scale = scales.randomElement(using: &random) ?? 1
                func side(_ range: ClosedRange<CGFloat>) -> CGFloat { CGFloat.random(in: range, using: &random) }
                let bounds = CGRect(x: 0, y: 0, width: side(10...400).rounded(), height: side(10...400).rounded())
                let size = CGSize(width: side(1...900), height: side(1...900))
                let mode = ImageContentMode.allCases.randomElement(using: &random) ?? .fit
                let place = mode.rect(for: size, in: bounds)
                let rect = place.onWholePixels(scale: scale, in: bounds)
                let text = "\(mode) \(size) in \(bounds.size) at \(scale): \(rect)"
                let across = isWhole(rect.minX, rect.width, of: place.midX, place.width, in: bounds.width, scale)
                let down = isWhole(rect.minY, rect.height, of: place.midY, place.height, in: bounds.height, scale)
                #expect(across && down, "\(text)")
            }
        }

        private func isWhole(
            _ start: CGFloat, _ length: CGFloat, of middle: CGFloat, _ own: CGFloat, in limit: CGFloat, _ scale: CGFloat
        ) -> Bool {
            func isNear(_ one: CGFloat, _ two: CGFloat) -> Bool { abs(one - two) < 1e-6 }
            guard abs(start + length / 2 - middle) * scale <= 0.5 + 1e-3 else { return false }
            if isNear(own, limit) { return isNear(length, own) }
            let (left, pixels) = (start * scale, length * scale)
            guard isNear(left, left.rounded()), isNear(pixels, pixels.rounded()) else { return false }
            guard pixels >= own * scale - 1e-3, pixels < own * scale + 1 else { return false }
            // An area of a whole number of pixels is not exceeded.
            let room = limit * scale
            guard isNear(room, room.rounded()), own < limit else { return true }
            return left >= -1e-6 && left + pixels <= room + 1e-6
        }
    }
}
