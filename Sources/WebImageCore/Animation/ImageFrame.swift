public import Foundation

/// One frame of an animation and its duration.
public struct ImageFrame: Sendable {
    /// The complete image of the frame, not only the area that differs from the previous frame.
    public let image: Image
    /// The duration in seconds.
    public let duration: TimeInterval

    /// Creates a frame from its image and its duration in seconds.
    public init(image: Image, duration: TimeInterval) {
        self.image = image
        self.duration = duration
    }
}
