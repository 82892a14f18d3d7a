// `SDWebImageGTK` declares members of the same names with the types of SDWebImage. Inside that module they hide the
// members declared here; these aliases make them reachable.

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
