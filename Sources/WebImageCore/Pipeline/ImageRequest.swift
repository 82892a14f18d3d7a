public import Foundation

/// What one load asks for, in typed properties: the modern form of a URL with options and a context.
///
/// ```swift
/// var request = ImageRequest(url: url, size: CGSize(width: 200, height: 200), priority: .high)
/// request.transformers = [ImageRoundCornerTransformer(radius: 8)]
/// let image = try await WebImageManager.shared.image(for: request)
/// ```
///
/// A value: copies are independent, and one request may be loaded any number of times, on any thread. Every context key
/// has its property here, so the two forms may be mixed; ``options`` and ``context`` are the request in the other form.
public struct ImageRequest: Sendable {
    /// Which caches a load uses, and whether it may use the network.
    public enum CachePolicy: Sendable, Hashable, CaseIterable {
        /// Memory, disk, then the loader.
        case useCaches
        /// The cached image first, then the loader's if it changed (``WebImageOptions/refreshCached``).
        case refresh
        /// The loader alone; the result is still stored (``WebImageOptions/fromLoaderOnly``).
        case reload
        /// The caches alone; a miss is `.notCached` (``WebImageOptions/fromCacheOnly``).
        case cacheOnly
    }

    /// What to load.
    public var url: URL
    /// How the load behaves beyond the other properties; ``cachePolicy`` and ``priority`` are bits of it.
    public var options: WebImageOptions
    var values: RequestContext

    /// Describes a load.
    ///
    /// - Parameters:
    ///   - size: The box in pixels to decode into, keeping the aspect ratio; nil decodes at full size.
    ///   - transformers: Applied in this order after the decode; nil applies the manager's own, an empty list none.
    public init(
        url: URL, size: CGSize? = nil, transformers: [any ImageTransformer]? = nil,
        cachePolicy: CachePolicy = .useCaches, priority: LoadPriority = .normal, options: WebImageOptions = []
    ) {
        self.url = url
        self.options = options
        values = RequestContext(nil)
        self.size = size
        self.transformers = transformers
        if cachePolicy != .useCaches { self.cachePolicy = cachePolicy }
        if priority != .normal { self.priority = priority }
    }

    /// The request that options and a context describe.
    public init(url: URL, options: WebImageOptions = [], context: WebImageContext?) {
        self.url = url
        self.options = options
        values = RequestContext(context)
    }

    /// The request's values as a context; nil when all are at their defaults.
    public var context: WebImageContext? { values.forRoles.flatMap { $0.isEmpty ? nil : $0 } }

    /// Which caches the load uses. Default all of them, then the loader.
    public var cachePolicy: CachePolicy {
        get {
            if options.contains(.fromCacheOnly) { return .cacheOnly }
            if options.contains(.fromLoaderOnly) { return .reload }
            return options.contains(.refreshCached) ? .refresh : .useCaches
        }
        set {
            options.remove([.fromCacheOnly, .fromLoaderOnly, .refreshCached])
            switch newValue {
            case .useCaches: break
            case .refresh: options.insert(.refreshCached)
            case .reload: options.insert(.fromLoaderOnly)
            case .cacheOnly: options.insert(.fromCacheOnly)
            }
        }
    }

    /// When the load gets its turn relative to others. Default normal.
    public var priority: LoadPriority {
        get { LoadPriority(options) }
        set {
            options.remove([.lowPriority, .highPriority])
            if newValue != .normal { options.insert(newValue == .high ? .highPriority : .lowPriority) }
        }
    }
}

extension ImageRequest {
    /// A value of the request that has no property of its own, such as one for a loader or coder of yours.
    public subscript<Value: Sendable>(key: WebImageContextOption, as type: Value.Type = Value.self) -> Value? {
        get { values.value(key, as: type) }
        set { set(key, newValue) }
    }

    func get<Value>(_ key: WebImageContextOption) -> Value? { values.value(key) }
    mutating func set(_ key: WebImageContextOption, _ value: Any?) { values = values.with(key, value) }
}
