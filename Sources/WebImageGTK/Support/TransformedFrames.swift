import Foundation
import WebImageCore

/// Provides the frames of an animation and transforms each frame before it is shown.
///
/// Each combination of an animation and a transformer key has one instance, so that views of the same animation share
/// decoded frames.
final class TransformedFrames: AnimatedImageProvider {
    private struct Key: Hashable {
        let animation: ObjectIdentifier
        let transformer: String
    }

    private struct Entry {
        weak var frames: TransformedFrames?
    }

    private static let known = Locked<[Key: Entry]>([:])
    private let original: any AnimatedImageProvider
    private let transformer: any ImageTransformer

    static func of(_ original: any AnimatedImageProvider, _ transformer: any ImageTransformer) -> TransformedFrames {
        let key = Key(
            animation: ObjectIdentifier(original as AnyObject), transformer: transformer.transformerKey)
        return known.withLock { known in
            if let frames = known[key]?.frames, frames.original as AnyObject === original as AnyObject { return frames }
            known = known.filter { $0.value.frames != nil }
            let frames = TransformedFrames(original, transformer)
            known[key] = Entry(frames: frames)
            return frames
        }
    }

    private init(_ original: any AnimatedImageProvider, _ transformer: any ImageTransformer) {
        self.original = original
        self.transformer = transformer
    }

    var animatedImageData: Data? { original.animatedImageData }
    var animatedImageFrameCount: Int { original.animatedImageFrameCount }
    var animatedImageLoopCount: Int { original.animatedImageLoopCount }
    var animatedImagePlayCount: Int { original.animatedImagePlayCount }
    func animatedImageDuration(at index: Int) -> TimeInterval { original.animatedImageDuration(at: index) }

    func animatedImageFrame(at index: Int) -> Image? {
        original.animatedImageFrame(at: index).map { transformer.transformedImage(with: $0, forKey: "") ?? $0 }
    }
}
