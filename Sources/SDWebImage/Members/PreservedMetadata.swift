public import WebImage
public import WebImageGraphics

// The built-in transformers always copy the metadata. The setter of `preserveImageMetadata` is therefore unavailable.
// The compiler's error message for the setter names the alternative.

extension ImageRoundCornerTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageResizingTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageCroppingTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageFlippingTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageRotationTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageTintTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageBlurTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageFilterTransformer {
    /// Whether the transformer copies the descriptive metadata to the transformed image. Always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}
