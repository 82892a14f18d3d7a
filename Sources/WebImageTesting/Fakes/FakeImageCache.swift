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
    /// Delivers the image in the memory dictionary. Never reads the disk dictionary.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        let image = imageFromMemoryCache(forKey: key)
        completion?(image, nil, image == nil ? .none : .memory)
        return nil
    }
    /// Stores the image and its bytes in the dictionaries that `cacheType` includes. If `imageData` is nil, the disk
    /// dictionary receives the text `encoded`.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        if let key {
            state.withLock { state in
                if cacheType.includesMemory, let image { state.memory[key] = image }
                if cacheType.includesDisk { state.disk[key] = imageData ?? Data("encoded".utf8) }
            }
        }
        completion?()
    }
    /// Removes the entry from the dictionaries that `cacheType` includes.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        if let key {
            state.withLock { state in
                if cacheType.includesMemory { state.memory[key] = nil }
                if cacheType.includesDisk { state.disk[key] = nil }
            }
        }
        completion?()
    }
    /// Searches the dictionaries that `cacheType` includes, memory before disk.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        let found = state.withLock { state -> ImageCacheType in
            guard let key else { return .none }
            if cacheType.includesMemory, state.memory[key] != nil { return .memory }
            return cacheType.includesDisk && state.disk[key] != nil ? .disk : .none
        }
        completion?(found)
    }
    /// Empties the dictionaries that `cacheType` includes.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        state.withLock { state in
            if cacheType.includesMemory { state.memory = [:] }
            if cacheType.includesDisk { state.disk = [:] }
        }
        completion?()
    }
}
