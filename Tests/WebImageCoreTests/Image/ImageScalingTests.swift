import Foundation
import Testing
import WebImageCore

struct ImageScalingTests {
    let tall = PixelSize(width: 100, height: 200)

    @Test func sizesEqualTheOriginalsExamples() {
        let box = PixelSize(width: 150, height: 150)
        #expect(scaled(box, preserve: true, enlarge: false) == PixelSize(width: 75, height: 150))
        #expect(scaled(box, preserve: false, enlarge: false) == PixelSize(width: 100, height: 150))
        #expect(scaled(box, preserve: false, enlarge: true) == box)
        let large = PixelSize(width: 300, height: 300)
        #expect(scaled(large, preserve: true, enlarge: false) == tall)
        #expect(scaled(large, preserve: true, enlarge: true) == PixelSize(width: 150, height: 300))
    }

    /// A side that is a whole number is not rounded up to the following one. With a rounded aspect ratio, one size of
    /// 8,000 had one pixel more.
    @Test func sidesAreThoseOfExactArithmetic() {
        var wrong: [String] = []
        for width in stride(from: 1, through: 1000, by: 7) {
            for height in stride(from: 1, through: 1000, by: 11) {
                for side in stride(from: 1, through: 600, by: 13) {
                    for box in [PixelSize(width: side, height: side), PixelSize(width: side, height: side + 5)] {
                        let isWide = width * box.height > height * box.width
                        let exact = PixelSize(
                            width: isWide ? box.width : (width * box.height + height - 1) / height,
                            height: isWide ? (height * box.width + width - 1) / width : box.height)
                        let size = ImageScaling.size(
                            of: PixelSize(width: width, height: height), in: box, preserveAspectRatio: true,
                            allowsEnlarging: true)
                        let points = ImageCoderHelper.scaledSize(
                            withImageSize: CGSize(width: width, height: height),
                            scaleSize: CGSize(width: box.width, height: box.height), preserveAspectRatio: true,
                            shouldScaleUp: true)
                        if size != exact || points != CGSize(width: exact.width, height: exact.height) {
                            wrong.append("\(width)×\(height) in \(box): \(size) and \(points), not \(exact)")
                        }
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) sizes: \(wrong.prefix(3))")
    }

    @Test func byteLimitAppliesToAllFramesTogether() {
        let size = PixelSize(width: 5250, height: 3450)
        let bounded = ImageScaling.size(of: size, limitBytes: 60 << 20, bytesPerPixel: 4, frameCount: 1)
        #expect(bounded == PixelSize(width: 4892, height: 3214))
        let tiny = ImageScaling.size(
            of: PixelSize(width: 80, height: 60), limitBytes: 1, bytesPerPixel: 4, frameCount: 1)
        #expect(tiny == PixelSize(width: 1, height: 1))
    }

    private func scaled(_ box: PixelSize, preserve: Bool, enlarge: Bool) -> PixelSize {
        ImageScaling.size(of: tall, in: box, preserveAspectRatio: preserve, allowsEnlarging: enlarge)
    }
}
