public import Foundation

/// One frame of an animation and how long it is shown.
public struct ImageFrame: Sendable {
    /// The whole picture of the frame.
    public let image: Image
    /// Seconds it is shown.
    public let duration: TimeInterval

    /// Pairs a picture with its time.
    public init(image: Image, duration: TimeInterval) {
        self.image = image
        self.duration = duration
    }
}
