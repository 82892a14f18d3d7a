// The module of the original's names declares members of these names in the original's types; inside it they hide these.

extension ImageCache {
    /// ``config``.
    package var ownConfig: ImageCacheConfig {
        get { config }
        set { config = newValue }
    }
}

extension WebImageManager {
    /// ``delegate``.
    package var ownDelegate: (any WebImageManagerDelegate)? {
        get { delegate }
        set { delegate = newValue }
    }
}

extension ImageCodersManager {
    /// ``coders``.
    package var ownCoders: [any ImageCoder] {
        get { coders }
        set { coders = newValue }
    }
}

extension ImageLoadersManager {
    /// ``loaders``.
    package var ownLoaders: [any ImageLoader] {
        get { loaders }
        set { loaders = newValue }
    }
}

extension ImageColor {
    /// ``red``; hidden by the static colour of that name.
    package var ownRed: Double {
        get { red }
        set { red = newValue }
    }
    /// ``green``.
    package var ownGreen: Double {
        get { green }
        set { green = newValue }
    }
    /// ``blue``.
    package var ownBlue: Double {
        get { blue }
        set { blue = newValue }
    }
}
