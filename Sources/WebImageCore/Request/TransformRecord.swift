import Foundation

/// Records why a transformer ran or not, together with its result. The key only names the transformer.
struct TransformRecord: Equatable {
    /// Whether the transformer ran.
    var isTransformed: Bool
    /// The options that made it run; if it did not run, the missing options.
    var options: WebImageOptions

    /// Whether a load with these options would give the same result.
    func holds(for options: WebImageOptions) -> Bool {
        // The transformer skipped an animation, but it does transform its first frame alone, like any still image.
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
    /// The options that decided whether a transformer ran; empty when no option matters.
    final var transformOptions: WebImageOptions {
        get { WebImageOptions(rawValue: transformOptionBits) }
        set { transformOptionBits = newValue.rawValue }
    }

    /// The mark of an animated or vector image; nil for all others, which are transformed under any options.
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
