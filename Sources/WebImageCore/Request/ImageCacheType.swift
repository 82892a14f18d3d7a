/// A layer of a cache: where to look or to store as a request, where an image came from as an answer.
public enum ImageCacheType: Int, Sendable {
    /// Do nothing; or: from the loader, not found.
    case none = 0
    /// The disk layer.
    case disk = 1
    /// The memory layer.
    case memory = 2
    /// Both layers.
    case all = 3

    /// Whether the memory layer is meant.
    public var includesMemory: Bool { self == .memory || self == .all }
    /// Whether the disk layer is meant.
    public var includesDisk: Bool { self == .disk || self == .all }
}
