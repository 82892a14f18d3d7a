public import Foundation
public import WebImageCore

extension ImageGIFCoder: DetailedAnimatedImageCoder {
    /// Opens a GIF file to give its frames, composited, in any order.
    ///
    /// Frames are shown as browsers do: disposal 2 makes the rectangle transparent, the background is never painted. Of a
    /// file that is cut off the whole frames are there.
    ///
    /// - Throws: `.badImageData` when there is no whole frame, `.limitExceeded` also for the frames' number and their
    ///   pixels together.
    public convenience init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        self.init(try GIFAnimationSource.open(data, options: options))
    }

    /// The animation this instance was opened on, or what has arrived of one.
    private var animation: OpenedAnimation? {
        opened
            ?? streaming?.animation { data, options throws(WebImageError) in
                try GIFAnimationSource.open(data, options: options)
            }
    }

    /// A frame on the whole canvas, at the wanted size and layout.
    ///
    /// Asked for in order, one frame is decoded for each; any other order costs a bounded number.
    ///
    /// - Throws: `.badImageData` also for a number there is no frame of, `.limitExceeded` when it takes too long.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let animation else { throw .noAnimation }
        return try animation.frame(at: index)
    }

    /// The file this instance was opened on, or what of it has arrived and was opened.
    public var animatedImageData: Data? { animation?.data }

    /// Whole frames, of an incremental instance those that have arrived; 1 for a still, 0 where there is no animation.
    public var animatedImageFrameCount: Int { animation?.frameCount ?? 0 }

    /// How often it plays; 0 is for ever. A file that does not say plays once.
    public var animatedImageLoopCount: Int { animation?.loopCount ?? 0 }

    /// Seconds a frame is shown, as it is played; 0 when there is none of this number.
    public func animatedImageDuration(at index: Int) -> TimeInterval { animation?.duration(at: index) ?? 0 }

    /// Frames decoded so far, to see what an order of access costs.
    package var decodedFrameCount: Int { opened?.drawnFrameCount ?? 0 }
}
