import Foundation
import WebImageCore

/// The opened file of an animated coder: an animation, or a still that acts as an animation of one frame.
struct OpenedAnimation: Sendable {
    private enum Content: Sendable {
        case animation(AnimationDecoder)
        case still(@Sendable () throws(WebImageError) -> Image)
    }

    let data: Data
    let loopCount: Int
    /// The number of times that the animation plays by the rules of its format; 0 means forever.
    let playCount: Int
    private let content: Content

    /// - Parameter playCount: The same as `loopCount` if it is nil.
    init(_ data: Data, _ animation: AnimationDecoder, loopCount: Int, playCount: Int? = nil) {
        self.data = data
        self.loopCount = loopCount
        self.playCount = playCount ?? loopCount
        content = .animation(animation)
    }

    init(still data: Data, loopCount: Int, _ decode: @escaping @Sendable () throws(WebImageError) -> Image) {
        self.data = data
        (self.loopCount, playCount) = (loopCount, loopCount)
        content = .still(decode)
    }

    var frameCount: Int {
        switch content {
        case .animation(let animation): animation.frameCount
        case .still: 1
        }
    }

    /// The number of frames that were decoded so far. A frame that was decoded twice counts twice. The value is always
    /// 0 for a still.
    var drawnFrameCount: Int {
        switch content {
        case .animation(let animation): animation.drawnFrameCount
        case .still: 0
        }
    }

    func duration(at index: Int) -> TimeInterval {
        switch content {
        case .animation(let animation): animation.duration(at: index)
        case .still: index == 0 ? FrameDuration.played(milliseconds: 0) : 0
        }
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        switch content {
        case .animation(let animation): return try animation.frame(at: index)
        case .still(let decode):
            guard index == 0 else { throw .badData("animation", "there is no frame \(index)", hint: "It is a still.") }
            return try decode()
        }
    }
}

extension WebImageError {
    /// A coder that contains no animation throws this error when a frame is requested.
    static let noAnimation = WebImageError.badData(
        "animation", "this coder holds no animation", hint: "Open one with init(animation:options:).")
}
