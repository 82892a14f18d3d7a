public import Foundation
public import WebImageCore

/// A request for an image, with typed properties. Use it instead of a URL with options and an untyped context.
///
/// ```swift
/// var request = ImageRequest(url: url, size: CGSize(width: 200, height: 200), priority: .high)
/// request.transformers = [ImageBlurTransformer(radius: 8)]
/// let image = try await WebImageManager.shared.image(for: request)
/// ```
///
/// A request is a value: copies are independent, and one request can be loaded any number of times, on any thread.
/// Every context key of the library has a property here, so typed properties and context values can be used together.
/// ``options`` and ``context`` return the request in the untyped form.
///
/// Two requests are equal if their URLs, options and values are equal: transformers of one type by their keys, caches,
/// loaders and other objects by their addresses. Values that cannot be compared count as different.
public struct ImageRequest: Sendable, Hashable {
    /// Which caches a load uses, and whether it may use the network.
    public enum CachePolicy: Sendable, Hashable, CaseIterable {
        /// Queries memory, then disk, then the loader.
        case useCaches
        /// Delivers the cached image first. If the image has changed, then delivers the image from the loader
        /// (``WebImageOptions/refreshCached``).
        case refresh
        /// Uses only the loader, but still stores the result (``WebImageOptions/fromLoaderOnly``).
        case reload
        /// Uses only the caches. A miss ends with `.notCached` (``WebImageOptions/fromCacheOnly``).
        case cacheOnly
    }

    /// The URL of the image.
    public var url: URL
    /// The options of the load. They include the bits that represent ``cachePolicy`` and ``priority``.
    public var options: WebImageOptions
    package var values: RequestContext

    package init(url: URL, options: WebImageOptions, values: RequestContext) {
        self.url = url
        self.options = options
        self.values = values
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - size: The box, in pixels, into which the image is decoded. The image keeps its aspect ratio. Nil decodes at
    ///     full size.
    ///   - transformers: The transformers to apply after the decode, in this order. Nil applies the manager's
    ///     transformer. An empty list applies no transformer.
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

    /// Creates a request for an image with the given width. The height follows from the aspect ratio.
    ///
    /// - Parameter width: The width in pixels. A narrower image keeps its size. Zero or less means full size.
    public init(url: URL, width: Int, options: WebImageOptions = []) {
        self.init(url: url, size: CGSize(width: Double(width), height: Self.openSide), options: options)
    }

    /// Creates a request for an image with the given height. The width follows from the aspect ratio.
    ///
    /// - Parameter height: The height in pixels. A lower image keeps its size. Zero or less means full size.
    public init(url: URL, height: Int, options: WebImageOptions = []) {
        self.init(url: url, size: CGSize(width: Self.openSide, height: Double(height)), options: options)
    }

    /// The length, in pixels, of a side of the box that must not limit the image. The decoding limits allow only
    /// images with shorter sides.
    private static let openSide: Double = 1e9

    /// Creates a request from options and a context.
    public init(url: URL, options: WebImageOptions = [], context: WebImageContext?) {
        self.url = url
        self.options = options
        values = RequestContext(context)
    }

    /// The request's values as a context; nil if all values are defaults.
    public var context: WebImageContext? { values.dictionary }

    /// The cache policy. Default ``CachePolicy/useCaches``.
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

    /// The priority of the load relative to other loads. Default normal.
    public var priority: LoadPriority {
        get { LoadPriority(options) }
        set {
            options.remove([.lowPriority, .highPriority])
            if newValue != .normal { options.insert(newValue == .high ? .highPriority : .lowPriority) }
        }
    }
}

extension ImageRequest {
    /// Reads or sets a context value that has no property here, such as a value for a custom loader or coder.
    public subscript<Value: Sendable>(key: WebImageContextOption, as type: Value.Type = Value.self) -> Value? {
        get { values.value(key, as: type) }
        set { values.set(key, newValue) }
    }

    /// Hashes URL, options and size. Requests that are equal in these differ rarely.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(options)
        hasher.combine(size?.width)
        hasher.combine(size?.height)
    }
}
