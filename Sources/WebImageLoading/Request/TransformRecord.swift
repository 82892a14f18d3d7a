import Foundation
import WebImageCore

/// Whether a transformer ran on an image, and the options that decided this. The record is stored with the image: the
/// cache key contains only the transformer's name, and this name does not show whether the transformer ran.
struct TransformRecord: Equatable {
    /// Whether the transformer ran.
    var isTransformed: Bool
    /// The options that the transformer requires for this image.
    var options: WebImageOptions

    /// Whether a load with these options would have the same result as the load that created this record.
    func holds(for options: WebImageOptions) -> Bool {
        // Here the transformer skipped an animation. A load with `.decodeFirstFrameOnly` decodes a still image, and
        // a still image is always transformed. The result would therefore differ.
        if !isTransformed, options.contains(.decodeFirstFrameOnly), self.options.contains(.transformAnimatedImage) {
            return false
        }
        return options.isSuperset(of: self.options) == isTransformed
    }

    init(isTransformed: Bool, options: WebImageOptions) {
        self.isTransformed = isTransformed
        self.options = options
    }
}

extension Image {
    /// The options that decided whether a transformer ran; empty if no option affects the result.
    final var transformOptions: WebImageOptions {
        get { WebImageOptions(rawValue: transformOptionBits) }
        set { transformOptionBits = newValue.rawValue }
    }

    /// The record of an animated or vector image. Nil for all other images, because they are always transformed.
    var transformRecord: TransformRecord? {
        let options = transformOptions
        return options.isEmpty ? nil : TransformRecord(isTransformed: isTransformed, options: options)
    }

    /// Whether this cached image is the correct result for a load with a transformer and these options.
    func isVariant(for options: WebImageOptions) -> Bool { transformRecord?.holds(for: options) ?? true }

    /// The options that a load must have so that transformers change this image.
    var neededTransformOptions: WebImageOptions {
        var options: WebImageOptions = []
        if isAnimated { options.insert(.transformAnimatedImage) }
        if isVector { options.insert(.transformVectorImage) }
        return options
    }
}
