public import Foundation
public import WebImageCore
public import WebImageLoading

/// A layered cache that consists of two dictionaries: one for the memory layer and one for the disk layer. It counts
/// the reads of the disk layer.
public final class FakeImageCache: ImageCaching, ImageCacheLayers {
    private struct State {
        var memory: [String: Image] = [:]
        var disk: [String: Data] = [:]
        var diskReads = 0
    }

    private let state = Locked(State())

    /// Makes an empty cache.
    public init() {}

    /// The keys of the images in the memory layer.
    public var memoryKeys: Set<String> { Set(state.withLock { $0.memory.keys }) }
    /// The contents of the disk layer.
    public var disk: [String: Data] {
        get { state.withLock { $0.disk } }
        set { state.withLock { $0.disk = newValue } }
    }
    /// The number of reads of the disk layer.
    public var diskReadCount: Int { state.withLock { $0.diskReads } }

    /// Returns the image in the memory dictionary.
    public func imageFromMemoryCache(forKey key: String?) -> Image? {
        key.flatMap { key in state.withLock { $0.memory[key] } }
    }
    /// Stores the image in the memory dictionary. A nil image removes the entry.
    public func storeImageToMemory(_ image: Image?, forKey key: String?) {
        guard let key else { return }
        state.withLock { $0.memory[key] = image }
    }
    /// Returns the bytes in the disk dictionary.
    public func diskImageData(forKey key: String?) async -> Data? { diskImageDataSync(forKey: key) }
    /// Returns the bytes in the disk dictionary.
    public func diskImageDataSync(forKey key: String?) -> Data? {
        state.withLock { state in
            state.diskReads += 1
            return key.flatMap { state.disk[$0] }
        }
    }
    /// Removes the entry from the disk dictionary.
    public func removeCorruptDiskEntry(forKey key: String?) {
        guard let key else { return }
        state.withLock { $0.disk[key] = nil }
    }
    /// Returns the image in the memory dictionary. Never reads the disk dictionary.
    public func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        imageFromMemoryCache(forKey: request.key).map { ImageCacheHit(image: $0, layer: .memory) }
    }
    /// Stores the image and its bytes in the dictionaries that the request includes. Without bytes, the disk dictionary
    /// receives the text `encoded`.
    public func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        state.withLock { state in
            if request.layers.includesMemory, let image { state.memory[request.key] = image }
            if request.layers.includesDisk { state.disk[request.key] = data ?? Data("encoded".utf8) }
        }
    }
    /// Removes the entry from the dictionaries that `layers` includes.
    public func remove(_ key: String, from layers: ImageCacheType) async {
        state.withLock { state in
            if layers.includesMemory { state.memory[key] = nil }
            if layers.includesDisk { state.disk[key] = nil }
        }
    }
    /// Searches the dictionaries that `layers` includes, memory before disk.
    public func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        state.withLock { state in
            if layers.includesMemory, state.memory[key] != nil { return .memory }
            return layers.includesDisk && state.disk[key] != nil ? .disk : .none
        }
    }
    /// Empties the dictionaries that `layers` includes.
    public func removeAll(from layers: ImageCacheType) async {
        state.withLock { state in
            if layers.includesMemory { state.memory = [:] }
            if layers.includesDisk { state.disk = [:] }
        }
    }
}
