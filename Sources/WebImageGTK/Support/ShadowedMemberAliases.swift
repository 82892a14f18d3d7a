// `SDWebImageGTK` declares members of the same names with the types of SDWebImage. Inside that module they hide the
// members declared here; these aliases make them reachable.

extension AnimatedImageView {
    /// ``currentFrameIndex``.
    package var ownCurrentFrameIndex: Int { currentFrameIndex }
    /// ``currentLoopCount``.
    package var ownCurrentLoopCount: Int { currentLoopCount }
    /// ``maxBufferSize``.
    package var ownMaxBufferSize: Int {
        get { maxBufferSize }
        set { maxBufferSize = newValue }
    }
}
