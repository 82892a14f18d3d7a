import Foundation
public import WebImageCore

/// A load of a history as a value: all parameters of the manager's load.
public struct ReferenceLoad: Hashable, Sendable, CustomStringConvertible {
    /// The credentials that a load sends.
    public enum Credentials: Hashable, Sendable {
        /// None.
        case none
        /// Those of user 1 or 2, in this user's cache scope.
        case scoped(Int)
        /// Those of user 1 or 2, sent by a modifier that declares no scope: the load is neither shared nor stored.
        case undeclared(Int)

        /// 0 without credentials.
        public var user: Int {
            switch self {
            case .none: 0
            case .scoped(let user), .undeclared(let user): user
            }
        }
    }

    /// The resource of the origin; 0…4.
    public var resource: Int
    /// The options.
    public var options: WebImageOptions = []
    /// The side of the thumbnail's box in pixels; nil for the full size.
    public var box: Int?
    /// The numbers of the transformers.
    public var transformers: [Int] = []
    /// The credentials.
    public var credentials = Credentials.none
    /// The maximum number of bytes of the image; nil without a limit.
    public var limit: Int?
    /// The caches to query; nil is the default.
    public var queryType: ImageCacheType?
    /// The caches to store into; nil is the default.
    public var storeType: ImageCacheType?
    /// The status that a response modifier sets; nil without a modifier.
    public var modifiedStatus: Int?

    /// Makes a load of the full-size image without credentials.
    public init(_ resource: Int) { self.resource = resource }

    /// Whether the requested image is a variant, with its own entry.
    var isVariant: Bool { box != nil || !transformers.isEmpty }
    /// Nil for a load that is not stored.
    var key: ReferenceKey? {
        guard let scope else { return nil }
        return ReferenceKey(scope: scope, box: box, transformers: transformers)
    }
    var originalKey: ReferenceKey? { scope.map { ReferenceKey(scope: $0) } }
    /// The scope of its entries, a user's number; nil for a load that is not stored.
    var scope: Int? { if case .undeclared = credentials { nil } else { credentials.user } }
    var refreshes: Bool {
        options.contains(.refreshCached) && options.isDisjoint(with: [.fromCacheOnly, .fromLoaderOnly])
    }

    /// Whether a variant is written to disk.
    var writesVariant: Bool {
        isVariant && (storeType ?? .all).includesDisk && (!transformers.isEmpty || storeType != nil)
    }
    /// The options for the manager. A variant is encoded and written after its delivery, unless the load waits for it.
    public var sentOptions: WebImageOptions { writesVariant ? options.union(.waitStoreCache) : options }

    /// The context of the load.
    public var context: WebImageContext {
        var context: WebImageContext = [:]
        if let box { context[.imageThumbnailPixelSize] = CGSize(width: box, height: box) }
        if !transformers.isEmpty { context[.imageTransformer] = ReferenceTransformerSequence(transformers) }
        if let limit { context[.imageScaleDownLimitBytes] = limit }
        if let queryType { context[.queryCacheType] = queryType }
        if let storeType { context[.storeCacheType] = storeType }
        if let modifiedStatus {
            context[.downloadResponseModifier] = WebImageDownloaderResponseModifier(statusCode: modifiedStatus)
        }
        let user = credentials.user
        if user > 0 {
            context[.downloadRequestModifier] = WebImageDownloaderRequestModifier(headers: ["Authorization": "\(user)"])
        }
        if case .scoped = credentials { context[.cacheScope] = "user \(user)" }
        return context
    }

    /// The size in pixels of the decoded image; a limit in bytes takes precedence over a box.
    var size: PixelSize {
        let full = ReferencePicture.fullSize
        if let limit {
            let bounded = ImageScaling.size(of: full, limitBytes: limit, bytesPerPixel: 4, frameCount: 1)
            return bounded.width >= full.width || bounded.height >= full.height ? full : bounded
        }
        guard let box else { return full }
        return ImageScaling.size(
            of: full, in: PixelSize(width: box, height: box), preserveAspectRatio: true, allowsEnlarging: false)
    }

    private static let names: [(WebImageOptions, String)] = [
        (.retryFailed, "retryFailed"), (.refreshCached, "refreshCached"), (.fromCacheOnly, "fromCacheOnly"),
        (.fromLoaderOnly, "fromLoaderOnly"), (.queryDiskDataSync, "queryDiskDataSync"),
        (.waitStoreCache, "waitStoreCache"), (.lowPriority, "lowPriority"), (.highPriority, "highPriority"),
    ]

    /// A text for messages.
    public var description: String {
        var words = ["load /\(resource)"]
        if let box { words.append("in \(box)x\(box)") }
        if !transformers.isEmpty { words.append("transformed by \(transformers)") }
        switch credentials {
        case .none: break
        case .scoped(let user): words.append("as user \(user)")
        case .undeclared(let user): words.append("as user \(user) without a scope")
        }
        words += Self.names.filter { options.contains($0.0) }.map { ".\($0.1)" }
        if let limit { words.append("within \(limit) bytes") }
        if let queryType { words.append("looking into .\(queryType)") }
        if let storeType { words.append("storing to .\(storeType)") }
        if let modifiedStatus { words.append("with the status modified to \(modifiedStatus)") }
        return words.joined(separator: " ")
    }
}

/// The key of one resource's entry: its scope and variant.
public struct ReferenceKey: Hashable, Sendable {
    var scope: Int
    var box: Int?
    var transformers: [Int] = []

    var isVariant: Bool { box != nil || !transformers.isEmpty }
}

/// One delivery of a load.
public enum ReferenceDelivery: Hashable, Sendable, CustomStringConvertible {
    /// An image and its source.
    case picture(ReferencePicture, ImageCacheType)
    /// Neither image nor error: a miss of a load that may not fetch.
    case miss
    /// An error with this code.
    case failure(WebImageError.Code)
    /// An image that no origin of a history has.
    case strange(String)

    /// A text for messages.
    public var description: String {
        switch self {
        case .picture(let picture, let origin): "\(picture) from \(origin == .none ? "the network" : "\(origin)")"
        case .miss: "a miss"
        case .failure(let code): "the error .\(code)"
        case .strange(let what): what
        }
    }
}
