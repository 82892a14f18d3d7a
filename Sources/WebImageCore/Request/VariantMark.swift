import Foundation

/// What decided whether a transformer ran, kept with its result: the key says only which transformer it was.
struct VariantMark: Equatable {
    /// Whether it ran.
    var isTransformed: Bool
    /// The options it ran with, or for want of which it did not.
    var options: WebImageOptions

    /// Whether a load with these options gets the same.
    func holds(for options: WebImageOptions) -> Bool {
        // An animation was left alone; its first frame alone is transformed as any still is.
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
    /// The options on which it depended whether a transformer ran; none where any would do.
    final var transformOptions: WebImageOptions {
        get { WebImageOptions(rawValue: transformOptionBits) }
        set { transformOptionBits = newValue.rawValue }
    }

    /// The mark of a picture that is animated or drawn from vectors; nil for all others, which any options transform.
    var variantMark: VariantMark? {
        let options = transformOptions
        return options.isEmpty ? nil : VariantMark(isTransformed: isTransformed, options: options)
    }

    /// Whether a load with a transformer and these options gets this image from its key.
    func isVariant(for options: WebImageOptions) -> Bool { variantMark?.holds(for: options) ?? true }

    /// The options without which transformers leave this image alone.
    var neededTransformOptions: WebImageOptions {
        var options: WebImageOptions = []
        if isAnimated { options.insert(.transformAnimatedImage) }
        if isVector { options.insert(.transformVectorImage) }
        return options
    }
}
