public import Foundation
public import WebImageCore

/// A layered cache of two dictionaries that counts what is asked of it.
public final class FakeImageCache: LayeredImageCaching {
    private struct State {
        var memory: [String: Image] = [:]
        var disk: [String: Data] = [:]
        var diskReads = 0
    }

    private let state = Locked(State())

    /// An empty cache.
    public init() {}

    /// Keys with an image in memory.
    public var memoryKeys: Set<String> { Set(state.withLock { $0.memory.keys }) }
    /// What the disk layer holds.
    public var disk: [String: Data] {
        get { state.withLock { $0.disk } }
        set { state.withLock { $0.disk = newValue } }
    }
    /// How often the disk layer was read.
    public var diskReadCount: Int { state.withLock { $0.diskReads } }

    /// The dictionary's.
    public func imageFromMemoryCache(forKey key: String?) -> Image? {
        key.flatMap { key in state.withLock { $0.memory[key] } }
    }
    /// Into the dictionary.
    public func storeImageToMemory(_ image: Image?, forKey key: String?) {
        guard let key else { return }
        state.withLock { $0.memory[key] = image }
    }
    /// The dictionary's.
    public func diskImageData(forKey key: String?) async -> Data? { diskImageDataSync(forKey: key) }
    /// The dictionary's.
    public func diskImageDataSync(forKey key: String?) -> Data? {
        state.withLock { state in
            state.diskReads += 1
            return key.flatMap { state.disk[$0] }
        }
    }
    /// Out of the dictionary.
    public func removeCorruptDiskEntry(forKey key: String?) {
        guard let key else { return }
        state.withLock { $0.disk[key] = nil }
    }
    /// Answers from the dictionaries without decoding.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        let image = imageFromMemoryCache(forKey: key)
        completion?(image, nil, image == nil ? .none : .memory)
        return nil
    }
    /// Into the dictionaries.
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
    /// Out of the dictionaries.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        if let key {
            state.withLock { state in
                if cacheType.includesMemory { state.memory[key] = nil }
                if cacheType.includesDisk { state.disk[key] = nil }
            }
        }
        completion?()
    }
    /// Looks into the dictionaries.
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
