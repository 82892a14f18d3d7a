// `SDWebImageGTK` declares some members of this module again: under the same names, but with the types that SDWebImage
// uses. Inside `SDWebImageGTK`, the new declarations hide the members of this module. The aliases in this file make the
// hidden members accessible.

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

extension WidgetView {
    /// An alias of ``imageIndicator``.
    package var ownIndicator: (any WebImageIndicator)? {
        get { imageIndicator }
        set { imageIndicator = newValue }
    }
}
