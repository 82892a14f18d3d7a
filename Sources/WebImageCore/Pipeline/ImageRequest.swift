public import Foundation

/// A request for an image in typed properties: the modern form of a URL with options and a context.
///
/// ```swift
/// var request = ImageRequest(url: url, size: CGSize(width: 200, height: 200), priority: .high)
/// request.transformers = [ImageRoundCornerTransformer(radius: 8)]
/// let image = try await WebImageManager.shared.image(for: request)
/// ```
///
/// A value: copies are independent, and one request may be loaded any number of times, on any thread. Every context key
/// has a property here, so the two forms may be mixed; ``options`` and ``context`` return the request in the other
/// form.
public struct ImageRequest: Sendable {
    /// Which caches a load uses, and whether it may use the network.
    public enum CachePolicy: Sendable, Hashable, CaseIterable {
        /// Memory, disk, then the loader.
        case useCaches
        /// The cached image first, then the loader's if it changed (``WebImageOptions/refreshCached``).
        case refresh
        /// Only the loader; the result is still stored (``WebImageOptions/fromLoaderOnly``).
        case reload
        /// Only the caches; a miss is `.notCached` (``WebImageOptions/fromCacheOnly``).
        case cacheOnly
    }

    /// The URL of the image.
    public var url: URL
    /// Further options of the load; ``cachePolicy`` and ``priority`` are stored as bits of them.
    public var options: WebImageOptions
    var values: RequestContext

    /// Creates a request.
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

    /// Describes a load of an image with the given width and whatever height keeps its aspect ratio.
    ///
    /// - Parameter width: In pixels; an image that is narrower keeps its size. Zero and less is full size.
    public init(url: URL, width: Int, options: WebImageOptions = []) {
        self.init(url: url, size: CGSize(width: Double(width), height: Self.openSide), options: options)
    }

    /// Describes a load of an image with the given height and whatever width keeps its aspect ratio.
    ///
    /// - Parameter height: In pixels; an image that is lower keeps its size. Zero and less is full size.
    public init(url: URL, height: Int, options: WebImageOptions = []) {
        self.init(url: url, size: CGSize(width: Self.openSide, height: Double(height)), options: options)
    }

    /// The side of a box that bounds nothing, in pixels: more than a picture within any limits can have.
    private static let openSide: Double = 1e9

    /// Creates a request from options and a context.
    public init(url: URL, options: WebImageOptions = [], context: WebImageContext?) {
        self.url = url
        self.options = options
        values = RequestContext(context)
    }

    /// The request's values as a context; nil when all have their defaults.
    public var context: WebImageContext? { values.forRoles.flatMap { $0.isEmpty ? nil : $0 } }

    /// The cache policy. Default: all caches, then the loader.
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

    /// The priority of the load relative to others. Default normal.
    public var priority: LoadPriority {
        get { LoadPriority(options) }
        set {
            options.remove([.lowPriority, .highPriority])
            if newValue != .normal { options.insert(newValue == .high ? .highPriority : .lowPriority) }
        }
    }
}

extension ImageRequest {
    /// Accesses a value without its own property, such as one for a custom loader or coder.
    public subscript<Value: Sendable>(key: WebImageContextOption, as type: Value.Type = Value.self) -> Value? {
        get { values.value(key, as: type) }
        set { set(key, newValue) }
    }

    func get<Value>(_ key: WebImageContextOption) -> Value? { values.value(key) }
    mutating func set(_ key: WebImageContextOption, _ value: Any?) { values = values.with(key, value) }
}
