import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct PNGAnimationTests {
    private let coder = ImagePNGCoder.shared
    private let header = PNGBytes.header(2, 2, color: 0)
    private let grey = [[UInt8]](repeating: [50, 50], count: 2)

    private func pixels(_ data: Data) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        return try coder.decode(data, options: options).pixels
    }

    /// Returns a file with a default image that is not part of the animation. After it, `frame` and `data` are the
    /// chunks of the only frame.
    private func file(frame: Data, data: Data) -> Data {
        PNGBytes.file(
            header: header, before: PNGBytes.animationControl(frames: 1, plays: 3), rows: grey, after: frame + data)
    }

    @Test func infoReportsFramesAsStored() throws {
        let animation =
            PNGBytes.animationControl(frames: 3, plays: 7) + PNGBytes.frameControl(0, 2, 2, delay: (1, 0))
        let frames =
            PNGBytes.frameControl(1, 1, 1, delay: (0, 10)) + PNGBytes.frameData(2, rows: [[1]])
            + PNGBytes.frameControl(3, 1, 1, delay: (75, 1000)) + PNGBytes.frameData(4, rows: [[1]])
        let file = PNGBytes.file(header: header, before: animation, rows: grey, after: frames)
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.format == .apng && info.frameCount == 3 && info.loopCount == 7)
        #expect(info.delaysMilliseconds == [10, 0, 75])
        let image = try coder.decode(file, options: DecodingOptions())
        #expect(image.imageFormat == .png)
    }

    @Test func stillHasNoLoopCount() throws {
        let info = try coder.imageInfo(of: PNGBytes.file(header: header, rows: grey), limits: .default)
        #expect(info.format == .png && info.loopCount == nil && info.delaysMilliseconds.isEmpty)
        let late = PNGBytes.file(header: header, rows: grey, after: PNGBytes.animationControl(frames: 1, plays: 0))
        #expect(try coder.imageInfo(of: late, limits: .default).format == .png)
    }

    @Test func animationControlMayFollowAFrameControlButNotRepeat() throws {
        let (control, frame) = (PNGBytes.animationControl(frames: 1, plays: 2), PNGBytes.frameControl(0, 2, 2))
        let swapped = PNGBytes.file(header: header, before: frame + control, rows: grey)
        #expect(try coder.imageInfo(of: swapped, limits: .default).loopCount == 2)
        let doubled = PNGBytes.file(header: header, before: control + control + frame, rows: grey)
        #expect(try coder.imageInfo(of: doubled, limits: .default).format == .png)
    }

    @Test func firstFrameIsDrawnOnAClearCanvas() throws {
        let frame = PNGBytes.frameControl(0, 1, 1, x: 1, y: 1)
        let data = file(frame: frame, data: PNGBytes.frameData(1, rows: [[200]]))
        #expect(Sample.pixel(try pixels(data), 1, 1) == [200, 200, 200, 255])
        #expect(Sample.pixel(try pixels(data), 0, 0) == [0, 0, 0, 0])
        #expect(try coder.decode(data, options: DecodingOptions()).hasAlpha)
    }

    @Test func damagedFirstFrameFallsBackToTheDefaultImage() throws {
        let frame = PNGBytes.frameControl(0, 1, 1)
        var broken = PNGBytes.frameData(1, rows: [[200]])
        broken[broken.count - 1] ^= 1
        #expect(Sample.pixel(try pixels(file(frame: frame, data: broken)), 0, 0) == [50, 50, 50, 255])
        let outside = PNGBytes.frameControl(0, 1, 1, x: 2)
        let data = PNGBytes.frameData(1, rows: [[200]])
        #expect(Sample.pixel(try pixels(file(frame: outside, data: data)), 0, 0) == [50, 50, 50, 255])
    }

    @Test func everyTruncationIsAPictureOrATypedError() {
        let whole = file(frame: PNGBytes.frameControl(0, 1, 1), data: PNGBytes.frameData(1, rows: [[200]]))
        for length in 0..<whole.count {
            do throws(WebImageError) {
                _ = try coder.decode(whole.prefix(length), options: DecodingOptions())
            } catch {
                #expect(error.code == .badImageData)
            }
        }
    }

    @Test func animationPixelsAreLimitedUnlessOneFrameIsWanted() throws {
        let control = PNGBytes.animationControl(frames: 2, plays: 0) + PNGBytes.frameControl(0, 2, 2)
        let second = PNGBytes.frameControl(1, 2, 2) + PNGBytes.frameData(2, rows: grey)
        let file = PNGBytes.file(header: header, before: control, rows: grey, after: second)
        var options = DecodingOptions()
        options.limits.maxAnimationPixels = 7
        #expect(throws: WebImageError.self) { try coder.decode(file, options: options) }
        #expect(throws: WebImageError.self) { try coder.imageInfo(of: file, limits: options.limits) }
        options.firstFrameOnly = true
        #expect(try coder.decode(file, options: options).pixelSize == PixelSize(width: 2, height: 2))
    }
}
