import Foundation
import WebImageCore
import WebImageGraphics

/// Writes GIF files. Each frame stores only the rectangle that changed, with a palette for the colours of this
/// rectangle.
///
/// A frame is drawn over the previous frame. A GIF frame cannot make an opaque pixel transparent. If a pixel must
/// become transparent, the previous frame gets the disposal `background`, which clears the previous frame's rectangle.
enum GIFEncoding {
    static func encode(
        frameCount: Int, loopCount: Int, options: EncodingOptions, frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        let outcome: Result<Data, WebImageError> = withoutActuallyEscaping(frame) { frame in
            Result { () throws(WebImageError) in
                var frames = FrameEncoding(options: options, keepsProfile: false, frame: frame)
                let first = try frames.next(0)
                var animation = try GIFAnimationWriter(
                    PixelSize(width: first.pixels.width, height: first.pixels.height),
                    loopCount: frameCount > 1 ? loopCount : 1)
                try animation.append(first)
                for index in 1..<max(frameCount, 1) { try animation.append(try frames.next(index)) }
                return try animation.finished()
            }
        }
        return try outcome.get()
    }
}

/// Writes the frames of a file. Writes a frame only when the next frame is appended, because the disposal of a frame
/// depends on the next frame.
private struct GIFAnimationWriter {
    private let file: GIFFileWriter
    private var clock = FrameClock(unitsPerSecond: 100, limit: 65535)
    private var waiting: Waiting?

    private struct Waiting {
        var pixels: PixelBuffer
        var rectangle: FrameRectangle
        var delay: Int
    }

    /// Starts the file. If it plays once, writes no loop extension: viewers play a file without this extension once.
    init(_ screen: PixelSize, loopCount: Int) throws(WebImageError) {
        file = try GIFFileWriter(screen)
        if loopCount != 1 { try file.appendLoop(repetitions: max(loopCount, 1) - 1) }
    }

    mutating func append(_ frame: FrameEncoding.Frame) throws(WebImageError) {
        let delay = clock.next(frame.duration)
        guard let before = waiting else {
            waiting = Waiting(pixels: frame.pixels, rectangle: .whole(frame.pixels), delay: delay)
            return
        }
        let changed = FrameRectangle(from: before.pixels, to: frame.pixels)
        let clears = frame.hasAlpha && changed.losesOpaquePixels(from: before.pixels, to: frame.pixels)
        try write(before, clears: clears)
        waiting = Waiting(
            pixels: frame.pixels, rectangle: clears ? .whole(frame.pixels) : changed, delay: delay)
    }

    consuming func finished() throws(WebImageError) -> Data {
        if let last = waiting { try write(last, clears: false) }
        return try file.finished()
    }

    private func write(_ frame: Waiting, clears: Bool) throws(WebImageError) {
        // The disposal `background` clears only the frame's rectangle. Therefore the frame must cover the whole canvas
        // if the whole canvas must be cleared.
        let rectangle = clears ? .whole(frame.pixels) : frame.rectangle
        try file.append(
            try IndexedPicture(try rectangle.cut(from: frame.pixels)), x: rectangle.x.lowerBound,
            y: rectangle.y.lowerBound, delay: frame.delay, disposal: clears ? .background : .none)
    }
}

extension FrameRectangle {
    /// Whether at least one pixel of the rectangle is opaque in `before` and transparent in `after`.
    fileprivate func losesOpaquePixels(from before: PixelBuffer, to after: PixelBuffer) -> Bool {
        for row in y {
            let old = (before.baseAddress + row * before.bytesPerRow).assumingMemoryBound(to: UInt32.self)
            let new = (after.baseAddress + row * after.bytesPerRow).assumingMemoryBound(to: UInt32.self)
            var column = x.lowerBound
            while column < x.upperBound {
                if new[column] >> 24 < IndexedPicture.opaqueAlpha, old[column] >> 24 >= IndexedPicture.opaqueAlpha {
                    return true
                }
                column &+= 1
            }
        }
        return false
    }
}
