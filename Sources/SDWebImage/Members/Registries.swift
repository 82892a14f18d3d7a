public import WebImage

extension ImageCodersManager {
    /// The coders; the last one is asked first. Setting nil removes all.
    public var coders: [any SDImageCoder]? {
        get { ownCoders }
        set { ownCoders = newValue ?? [] }
    }
}

extension ImageLoadersManager {
    /// The loaders; the last one is asked first. Setting nil removes all.
    public var loaders: [any ImageLoader]? {
        get { ownLoaders }
        set { ownLoaders = newValue ?? [] }
    }
}
