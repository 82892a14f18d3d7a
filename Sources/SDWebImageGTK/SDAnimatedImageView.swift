public import Foundation
public import WebImageGTK

/// A widget that plays animations: an ``WebImageGTK/AnimatedImageView`` that shows every frame. As in SDWebImage, a late
/// frame delays the animation.
@MainActor open class SDAnimatedImageView: AnimatedImageView {
    /// Makes a view with a new widget and requests the frame's size for it, in points.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        skipsLateFrames = false
    }
}
