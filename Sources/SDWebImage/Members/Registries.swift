public import WebImage

extension ImageCodersManager {
    /// The coders, the one asked first at the end; setting nil removes all.
    public var coders: [any SDImageCoder]? {
        get { ownCoders }
        set { ownCoders = newValue ?? [] }
    }
}

extension ImageLoadersManager {
    /// The loaders, the one asked first at the end; setting nil removes all.
    public var loaders: [any ImageLoader]? {
        get { ownLoaders }
        set { ownLoaders = newValue ?? [] }
    }
}
