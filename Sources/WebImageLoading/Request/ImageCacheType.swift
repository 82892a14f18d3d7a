import WebImageCore

/// The layers of a cache. As a parameter, a value selects the layers to query or to store in. In a result, a value
/// identifies the layer from which the image came.
public enum ImageCacheType: Int, Sendable {
    /// As a parameter, this case selects no layer. In a result, it means that the image came from the loader or was not
    /// found.
    case none = 0
    /// The disk layer.
    case disk = 1
    /// The memory layer.
    case memory = 2
    /// Both layers.
    case all = 3

    /// Whether the memory layer is included.
    public var includesMemory: Bool { self == .memory || self == .all }
    /// Whether the disk layer is included.
    public var includesDisk: Bool { self == .disk || self == .all }
}
