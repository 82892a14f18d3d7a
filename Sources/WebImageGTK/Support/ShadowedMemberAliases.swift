// `SDWebImageGTK` declares members with the same names and with the types of SDWebImage. Inside `SDWebImageGTK`, these
// members hide the members of this module. The aliases in this file make the hidden members accessible.

extension AnimatedImageView {
    /// An alias of ``currentFrameIndex``.
    package var ownCurrentFrameIndex: Int { currentFrameIndex }
    /// An alias of ``currentLoopCount``.
    package var ownCurrentLoopCount: Int { currentLoopCount }
    /// An alias of ``maxBufferSize``.
    package var ownMaxBufferSize: Int {
        get { maxBufferSize }
        set { maxBufferSize = newValue }
    }
}
