package import Foundation

/// An opened animation. An animated coder reads its frames from this source.
package protocol AnimationSource: Sendable {
    /// The encoded animation.
    var data: Data { get }
    /// The frame count, loop count and delays as stored.
    var info: ImageInfo { get }
    /// Returns a complete frame in the size of the canvas. Throws `.badImageData` when the index is out of range.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension AnimationSource {
    /// Returns the duration of a frame during playback in seconds; 0 when the index is out of range.
    package func playedDuration(at index: Int) -> TimeInterval {
        guard info.delaysMilliseconds.indices.contains(index) else { return 0 }
        return FrameDuration.played(milliseconds: info.delaysMilliseconds[index])
    }

    /// Throws `.badImageData` when there is no frame with this index.
    package func checkIndex(_ index: Int) throws(WebImageError) {
        guard index >= 0, index < info.frameCount else {
            throw .badData("frames", "there is no frame \(index)", hint: "The number of frames is \(info.frameCount).")
        }
    }
}

extension WebImageError {
    /// The error of a coder that was created without an animation and therefore has no frames.
    package static let noAnimation = WebImageError.badData("frames", "this coder was opened without an animation")
}
