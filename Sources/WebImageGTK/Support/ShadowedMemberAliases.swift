// SDWebImageGTK declares members of the same names with the original's types, which hide these in that module.

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
