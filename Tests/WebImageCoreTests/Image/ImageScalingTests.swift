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
