package import Foundation

/// One opened animation: the implementation behind an animated coder.
package protocol AnimationSource: Sendable {
    /// The encoded animation.
    var data: Data { get }
    /// The frame count, loop count and delays as stored.
    var info: ImageInfo { get }
    /// Returns a frame on the full canvas; throws `.badImageData` for an index out of range.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension AnimationSource {
    /// Returns the seconds that the frame is shown during playback; 0 when the index is out of range.
    package func playedDuration(at index: Int) -> TimeInterval {
        guard info.delaysMilliseconds.indices.contains(index) else { return 0 }
        return FrameDuration.played(milliseconds: info.delaysMilliseconds[index])
    }

    /// Throws when the index is out of range.
    package func checkIndex(_ index: Int) throws(WebImageError) {
        guard index >= 0, index < info.frameCount else {
            throw .badData("frames", "there is no frame \(index)", hint: "The number of frames is \(info.frameCount).")
        }
    }
}

extension WebImageError {
    /// The error of a coder that was made without an animation.
    package static let noAnimation = WebImageError.badData("frames", "this coder was opened without an animation")
}
