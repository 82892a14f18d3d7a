import Foundation

/// Records the options because of which a transformer ran or did not run. It is recorded with the image, because the
/// cache key contains only the transformer's name.
struct TransformRecord: Equatable {
    /// Whether the transformer ran.
    var isTransformed: Bool
    /// The options that allowed the transformer to run. If it did not run, the options that it would have required.
    var options: WebImageOptions

    /// Whether a load with these options would give the same result.
    func holds(for options: WebImageOptions) -> Bool {
        // The transformer skipped the animation. With `.decodeFirstFrameOnly` the image is a still image, which it
        // transforms under any options.
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

    /// The record of an animated or vector image. Nil for all other images, which are transformed under any options.
    var transformRecord: TransformRecord? {
        let options = transformOptions
        return options.isEmpty ? nil : TransformRecord(isTransformed: isTransformed, options: options)
    }

    /// Whether a load with a transformer and these options may use this image from the cache.
    func isVariant(for options: WebImageOptions) -> Bool { transformRecord?.holds(for: options) ?? true }

    /// The options that transformers require to change this image.
    var neededTransformOptions: WebImageOptions {
        var options: WebImageOptions = []
        if isAnimated { options.insert(.transformAnimatedImage) }
        if isVector { options.insert(.transformVectorImage) }
        return options
    }
}
