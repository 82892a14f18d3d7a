import Foundation
package import WebImageCore
package import WebImageLoading

/// A load of a history. It contains the values of all parameters of the manager's load.
package struct ReferenceLoad: Hashable, Sendable, CustomStringConvertible {
    /// The credentials that a load sends.
    package enum Credentials: Hashable, Sendable {
        /// No credentials.
        case none
        /// The credentials of user 1 or 2, with the cache scope of this user.
        case scoped(Int)
        /// The credentials of user 1 or 2, sent by a request modifier that declares no cache scope. Their value is the
        /// scope, which differs from that of ``scoped(_:)``.
        case undeclared(Int)
        /// The credentials of user 1 or 2, sent by a request modifier that declares that its loads are neither shared nor
        /// stored.
        case unstored(Int)

        /// The number of the user; 0 without credentials.
        package var user: Int {
            switch self {
            case .none: 0
            case .scoped(let user), .undeclared(let user), .unstored(let user): user
            }
        }
    }

    /// The form in which the caller receives the deliveries.
    package enum Form: Hashable, Sendable, CaseIterable {
        /// The completion block.
        case callback
        /// The `async` function.
        case async
        /// The event stream.
        case events
        /// The phases, for callers that show a widget for each phase.
        case phases
        /// A view without a toolkit. The main actor starts the load, and receives its deliveries.
        case view

        /// The deliveries that this form shows of the deliveries of a load. Only a completion block and a view receive a
        /// miss without an error. The `async` function returns only the last image: the refreshed image or, if there is
        /// none, the cached image. A phase does not name the source of its image.
        func shows(_ delivered: [ReferenceDelivery]) -> [ReferenceDelivery] {
            if self == .callback || self == .view { return delivered }
            let delivered = delivered.map { $0 == .miss ? .failure(.notCached) : $0 }
            if self == .phases { return delivered.map(\.withoutSource) }
            let picture = delivered.last { if case .picture = $0 { true } else { false } }
            return self == .async ? picture.map { [$0] } ?? delivered : delivered
        }
    }

    /// The number of the resource at the origin, 0 to 4.
    package var resource: Int
    /// The form.
    package var form = Form.callback
    /// The options.
    package var options: WebImageOptions = []
    /// The side in pixels of the square box for a thumbnail; nil for the full size.
    package var box: Int?
    /// The numbers of the transformers, in the order in which they run.
    package var transformers: [Int] = []
    /// The credentials.
    package var credentials = Credentials.none
    /// The maximum size of the decoded image in bytes; nil without a limit.
    package var limit: Int?
    /// The caches to query; nil uses the default.
    package var queryType: ImageCacheType?
    /// The caches to store into; nil uses the default.
    package var storeType: ImageCacheType?
    /// The status that a response modifier sets; nil without a modifier.
    package var modifiedStatus: Int?
    /// The signature in the query of the URL, which a key filter removes from the cache key; nil without a filter.
    package var signature: Int?

    /// Makes a load of the full-size image without credentials.
    package init(_ resource: Int) { self.resource = resource }

    /// Whether the resource is a local file or a `data:` URL. Such a resource is stored only in memory.
    var isLocal: Bool { ReferenceHistory.isLocal(resource) }
    /// The load without the properties that need an HTTP resource.
    var withoutHTTP: ReferenceLoad {
        var load = self
        (load.credentials, load.limit, load.queryType, load.storeType) = (.none, nil, nil, nil)
        (load.modifiedStatus, load.signature) = (nil, nil)
        return load
    }
    /// Whether the requested image is a variant, which has its own cache entry.
    var isVariant: Bool { box != nil || !transformers.isEmpty }
    /// The key of the load's cache entry; nil for a load that is not stored.
    var key: ReferenceKey? {
        guard let scope else { return nil }
        return ReferenceKey(scope: scope, box: box, transformers: transformers)
    }
    var originalKey: ReferenceKey? { scope.map { ReferenceKey(scope: $0) } }
    /// The scope of the load's cache entries: the number of the user, negative for a scope that is not declared; nil for
    /// a load that is not stored.
    var scope: Int? {
        switch credentials {
        case .none, .scoped: credentials.user
        case .undeclared(let user): -user
        case .unstored: nil
        }
    }
    var refreshes: Bool {
        options.contains(.refreshCached) && options.isDisjoint(with: [.fromCacheOnly, .fromLoaderOnly])
    }

    /// Whether the load writes a variant to disk.
    var writesVariant: Bool {
        !isLocal && isVariant && (storeType ?? .all).includesDisk && (!transformers.isEmpty || storeType != nil)
    }
    /// The options for the manager. If the load writes a variant, these options include `waitStoreCache`. Without this
    /// option, the manager would write the variant after the delivery.
    package var sentOptions: WebImageOptions { writesVariant ? options.union(.waitStoreCache) : options }

    /// The context of the load.
    package var context: WebImageContext {
        var context: WebImageContext = [:]
        if let box { context[.imageThumbnailPixelSize] = CGSize(width: box, height: box) }
        if !transformers.isEmpty { context[.imageTransformer] = ReferenceTransformerSequence(transformers) }
        if let limit { context[.imageScaleDownLimitBytes] = limit }
        if let queryType { context[.queryCacheType] = queryType }
        if let storeType { context[.storeCacheType] = storeType }
        if let modifiedStatus {
            context[.downloadResponseModifier] = WebImageDownloaderResponseModifier(statusCode: modifiedStatus)
        }
        if signature != nil { context[.cacheKeyFilter] = WebImageCacheKeyFilter { $0.withoutQuery } }
        let user = credentials.user
        if user > 0 {
            let scope: CacheScope? = if case .unstored = credentials { .unstored } else { nil }
            context[.downloadRequestModifier] = WebImageDownloaderRequestModifier(
                headers: ["Authorization": "\(user)"], cacheScope: scope)
        }
        if case .scoped = credentials { context[.cacheScope] = "user \(user)" }
        return context
    }

    /// The size in pixels of the decoded image. A limit in bytes overrides a box.
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

    /// A description of the load, for test messages.
    package var description: String {
        var words = ["load /\(resource)"]
        if let box { words.append("in \(box)x\(box)") }
        if !transformers.isEmpty { words.append("transformed by \(transformers)") }
        switch credentials {
        case .none: break
        case .scoped(let user): words.append("as user \(user)")
        case .undeclared(let user): words.append("as user \(user) without a scope")
        case .unstored(let user): words.append("as user \(user), not stored")
        }
        words += Self.names.filter { options.contains($0.0) }.map { ".\($0.1)" }
        if let limit { words.append("within \(limit) bytes") }
        if let queryType { words.append("looking into .\(queryType)") }
        if let storeType { words.append("storing to .\(storeType)") }
        if let signature { words.append("with the signature \(signature)") }
        if let modifiedStatus { words.append("with the status modified to \(modifiedStatus)") }
        if form != .callback { words.append("by \(form)") }
        return words.joined(separator: " ")
    }
}

extension URL {
    /// The text of the URL up to its query.
    fileprivate var withoutQuery: String { absoluteString.split(separator: "?").first.map(String.init) ?? "" }

    /// The URL with the signature of a load; the same URL if the load has none.
    func signed(_ load: ReferenceLoad) -> URL {
        load.signature.flatMap { URL(string: absoluteString + "?s=\($0)") } ?? self
    }
}

/// The key of a cache entry of one resource. It consists of the scope and the variant of the entry.
package struct ReferenceKey: Hashable, Sendable {
    var scope: Int
    var box: Int?
    var transformers: [Int] = []

    var isVariant: Bool { box != nil || !transformers.isEmpty }
}

/// One delivery of a load.
package enum ReferenceDelivery: Hashable, Sendable, CustomStringConvertible {
    /// An image and its source.
    case picture(ReferencePicture, ImageCacheType)
    /// Neither an image nor an error. This is the result of a load with the option `fromCacheOnly` that finds no image
    /// in the caches.
    case miss
    /// An error with a code.
    case failure(WebImageError.Code)
    /// An image that the origin cannot have sent.
    case strange(String)

    /// The same delivery with the source `.all`, for a form that does not name the source.
    var withoutSource: ReferenceDelivery {
        if case .picture(let picture, _) = self { .picture(picture, .all) } else { self }
    }

    /// A description of the result, for test messages.
    package var description: String {
        switch self {
        case .picture(let picture, .all): "\(picture)"
        case .picture(let picture, let origin): "\(picture) from \(origin == .none ? "the network" : "\(origin)")"
        case .miss: "a miss"
        case .failure(let code): "the error .\(code)"
        case .strange(let what): what
        }
    }
}
