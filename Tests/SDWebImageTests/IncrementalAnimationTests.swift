import Foundation
import SDWebImage
import Testing
import WebImageTesting

import struct WebImageCore.Locked

/// Incremental coders return the frames received so far.
struct IncrementalAnimationTests {
    enum Kind: String, CaseIterable, Sendable { case gif, apng }

    /// Returns a file whose frames have different colours, and an incremental coder without data.
    private func make(_ kind: Kind, frames count: Int = 12) throws -> (
        Data, any SDAnimatedImageCoder & SDProgressiveImageCoder
    ) {
        let frames = try (0..<count).map { index in
            SDImageFrame(
                image: try TestImages.solid(width: 24, height: 24, blue: UInt8(truncatingIfNeeded: index * 20)),
                duration: 0.05 + Double(index) / 100)
        }
        switch kind {
        case .gif:
            let file = SDImageGIFCoder.shared.encodedData(with: frames, loopCount: 0, format: .GIF)
            return (try #require(file), SDImageGIFCoder(incrementalWithOptions: nil))
        case .apng:
            let file = SDImageAPNGCoder.shared.encodedData(with: frames, loopCount: 0, format: .PNG)
            return (try #require(file), SDImageAPNGCoder(incrementalWithOptions: nil))
        }
    }

    @Test(arguments: Kind.allCases) func framesAreAvailableAsTheyArrive(_ kind: Kind) throws {
        let (file, coder) = try make(kind)
        #expect(coder.animatedImageFrameCount == 0 as UInt && coder.animatedImageFrame(at: 0 as UInt) == nil)
        #expect(SDAnimatedImage(animatedCoder: coder, scale: 1) == nil)
        coder.updateIncrementalData(file.prefix(file.count / 3), finished: false)
        let early: UInt = coder.animatedImageFrameCount
        #expect(early > 1 && early < 12)
        let part = try #require(SDAnimatedImage(animatedCoder: coder, scale: 1))
        part.sd_isIncremental = true
        #expect(part.animatedImageFrameCount == early && (part.animatedCoder as AnyObject) === (coder as AnyObject))

        coder.updateIncrementalData(file.prefix(file.count * 2 / 3), finished: false)
        let later: UInt = coder.animatedImageFrameCount
        #expect(later > early && later < 12)
        coder.updateIncrementalData(file, finished: true)
        #expect(coder.animatedImageFrameCount == 12 as UInt && coder.animatedImageData == file)
        coder.updateIncrementalData(file, finished: true)
        #expect(coder.animatedImageFrameCount == 12 as UInt)
    }

    @Test(arguments: Kind.allCases) func incrementalFramesEqualThoseOfTheWholeFile(_ kind: Kind) throws {
        let (file, coder) = try make(kind)
        for end in stride(from: 16, through: file.count, by: 97) + [file.count] {
            coder.updateIncrementalData(file.prefix(end), finished: end == file.count)
        }
        let whole = try #require(SDAnimatedImage(data: file))
        #expect(coder.animatedImageLoopCount == 0 as UInt)
        for index in 0..<12 as Range<UInt> {
            let (frame, other) = (
                try #require(coder.animatedImageFrame(at: index)), try #require(whole.animatedImageFrame(at: index))
            )
            #expect(frame.sd_color(at: CGPoint(x: 3, y: 3)) == other.sd_color(at: CGPoint(x: 3, y: 3)))
            #expect(coder.animatedImageDuration(at: index) == whole.animatedImageDuration(at: index))
        }
        #expect(coder.animatedImageFrame(at: 12 as UInt) == nil && coder.animatedImageDuration(at: 12 as UInt) == 0)
    }

    @Test(arguments: Kind.allCases) func everyPrefixDecodesOrReturnsNil(_ kind: Kind) throws {
        let (file, _) = try make(kind, frames: 3)
        for end in 0...file.count {
            let (_, coder) = try make(kind, frames: 1)
            coder.updateIncrementalData(file.prefix(end), finished: false)
            let count: UInt = coder.animatedImageFrameCount
            #expect(count <= 3 && count != 1)
            if count > 0 { #expect(coder.animatedImageFrame(at: count - 1) != nil) }
            // Now report the end of the file. The coder must have no frames, or the same frames as a coder that opens
            // the truncated file.
            coder.updateIncrementalData(file.prefix(end), finished: true)
            let opened = type(of: coder).init(animatedImageData: file.prefix(end), options: nil)
            let (now, last): (UInt, UInt) = (coder.animatedImageFrameCount, opened?.animatedImageFrameCount ?? 0)
            #expect(now == last || now == 0)
            if now > 0 {
                let frames = [coder.animatedImageFrame(at: now - 1), opened?.animatedImageFrame(at: now - 1)]
                #expect((frames[0] == nil) == (frames[1] == nil))
            }
        }
    }

    /// One thread passes the last bytes while another thread reads the frame count. A view does the same while it loads
    /// an animation.
    @Test(arguments: Kind.allCases) func frameReaderReceivesTheEndOfTheFile(_ kind: Kind) async throws {
        let (file, _) = try make(kind)
        for _ in 0..<200 {
            let coder = try make(kind, frames: 1).1
            coder.updateIncrementalData(file.prefix(file.count / 2), finished: false)
            let isOver = Locked(false)
            async let reader: Void = Task.detached {
                while !isOver.withLock({ $0 }) { _ = coder.animatedImageFrameCount as UInt }
            }.value
            coder.updateIncrementalData(file, finished: true)
            isOver.withLock { $0 = true }
            await reader
            #expect(coder.animatedImageFrameCount == 12 as UInt)
        }
    }

    @Test func stillHasNoAnimation() throws {
        let coder = SDImageAPNGCoder(incrementalWithOptions: nil)
        let file = try #require(try TestImages.solid().pngData())
        coder.updateIncrementalData(file, finished: true)
        #expect(coder.animatedImageFrameCount == 0 as UInt && coder.incrementalDecodedImage(options: nil) != nil)
    }
}
