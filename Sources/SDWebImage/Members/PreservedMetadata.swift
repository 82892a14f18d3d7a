public import WebImage
public import WebImageGraphics

// The built-in transformers are values that keep the metadata. The setter is unavailable; its message names the
// alternative.

extension ImageRoundCornerTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageResizingTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageCroppingTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageFlippingTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageRotationTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageTintTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageBlurTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}

extension ImageFilterTransformer {
    /// Whether the descriptive metadata is copied to the changed image; always true.
    public var preserveImageMetadata: Bool {
        get { true }
        @available(*, unavailable, message: "Subclass SDImageBaseTransformer, whose preserveImageMetadata can be set")
        nonmutating set {}
    }
}
