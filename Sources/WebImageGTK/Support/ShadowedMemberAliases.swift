// The module of the original's names declares members of these names in the original's types; inside it they hide these.

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
