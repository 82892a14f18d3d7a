public import WebImage

extension ImageCodersManager {
    /// The registered coders. The manager tries the last coder first. Setting nil removes all coders.
    public var coders: [any SDImageCoder]? {
        get { ownCoders }
        set { ownCoders = newValue ?? [] }
    }
}

extension ImageLoadersManager {
    /// The registered loaders. The manager tries the last loader first. Setting nil removes all loaders.
    public var loaders: [any ImageLoader]? {
        get { ownLoaders }
        set { ownLoaders = newValue ?? [] }
    }
}
