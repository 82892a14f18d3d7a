public import Foundation
public import WebImageCore

/// A layered cache that stores its memory and disk layers in two dictionaries and counts reads of the disk layer.
public final class FakeImageCache: LayeredImageCaching {
    private struct State {
        var memory: [String: Image] = [:]
        var disk: [String: Data] = [:]
        var diskReads = 0
    }

    private let state = Locked(State())

    /// Makes an empty cache.
    public init() {}

    /// Keys with an image in memory.
    public var memoryKeys: Set<String> { Set(state.withLock { $0.memory.keys }) }
    /// The contents of the disk layer.
    public var disk: [String: Data] {
        get { state.withLock { $0.disk } }
        set { state.withLock { $0.disk = newValue } }
    }
    /// The number of reads of the disk layer.
    public var diskReadCount: Int { state.withLock { $0.diskReads } }

    /// Returns the dictionary's value.
    public func imageFromMemoryCache(forKey key: String?) -> Image? {
        key.flatMap { key in state.withLock { $0.memory[key] } }
    }
    /// Stores into the dictionary.
    public func storeImageToMemory(_ image: Image?, forKey key: String?) {
        guard let key else { return }
        state.withLock { $0.memory[key] = image }
    }
    /// Returns the dictionary's value.
    public func diskImageData(forKey key: String?) async -> Data? { diskImageDataSync(forKey: key) }
    /// Returns the dictionary's value.
    public func diskImageDataSync(forKey key: String?) -> Data? {
        state.withLock { state in
            state.diskReads += 1
            return key.flatMap { state.disk[$0] }
        }
    }
    /// Removes from the dictionary.
    public func removeCorruptDiskEntry(forKey key: String?) {
        guard let key else { return }
        state.withLock { $0.disk[key] = nil }
    }
    /// Returns the image in the memory dictionary; decodes nothing.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        let image = imageFromMemoryCache(forKey: key)
        completion?(image, nil, image == nil ? .none : .memory)
        return nil
    }
    /// Stores into the dictionaries.
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
    /// Removes from the dictionaries.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        if let key {
            state.withLock { state in
                if cacheType.includesMemory { state.memory[key] = nil }
                if cacheType.includesDisk { state.disk[key] = nil }
            }
        }
        completion?()
    }
    /// Searches the dictionaries.
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
    /// Empties the dictionaries.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        state.withLock { state in
            if cacheType.includesMemory { state.memory = [:] }
            if cacheType.includesDisk { state.disk = [:] }
        }
        completion?()
    }
}
