package import Foundation

/// One opened animation: what the animated role of a coder keeps and answers from.
package protocol AnimationSource: Sendable {
    /// The encoded animation.
    var data: Data { get }
    /// Frames, plays and delays as stored.
    var info: ImageInfo { get }
    /// A frame on the full canvas; throws `.badImageData` for a number there is none of.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension AnimationSource {
    /// Seconds the frame is played; 0 when there is none of this number.
    package func playedDuration(at index: Int) -> TimeInterval {
        guard info.delaysMilliseconds.indices.contains(index) else { return 0 }
        return FrameDuration.played(milliseconds: info.delaysMilliseconds[index])
    }

    /// Throws when there is no frame of this number.
    package func checkIndex(_ index: Int) throws(WebImageError) {
        guard index >= 0, index < info.frameCount else {
            throw .badData("frames", "there is no frame \(index)", hint: "The picture has \(info.frameCount).")
        }
    }
}

extension WebImageError {
    /// What a coder that was opened for no animation answers.
    package static let noAnimation = WebImageError.badData("frames", "this coder was opened without an animation")
}
