public import Foundation
public import WebImageCore

/// Combines several loaders into one. Checks the loaders in reverse order, beginning with the loader that was added
/// last. The first loader that accepts a URL performs the load.
///
/// All methods are safe on any thread.
public final class ImageLoadersManager: Sendable {
    /// The default manager. It contains the loaders that ``WebImageDefaults`` registers.
    public static let shared: ImageLoadersManager = {
        let loader = makeDefaultLoader.withLock { $0 }.call()
        return loader as? ImageLoadersManager ?? ImageLoadersManager(loaders: [loader])
    }()

    /// The function that creates the shared loader. ``WebImageDefaults`` sets this function.
    static let makeDefaultLoader = Locked<LockedFunction<@Sendable () -> any ImageLoader>>(
        LockedFunction { MissingImageLoader() })

    private let registered: Locked<RoleList<RegisteredLoader>>
    private let lowData = Locked(false)

    /// Creates a manager; the last loader is checked first.
    public init(loaders: [any ImageLoader]) {
        registered = Locked(RoleList(loaders.map(RegisteredLoader.init)))
    }

    /// The loaders; the last loader is checked first.
    public var loaders: [any ImageLoader] {
        get { registered.withLock { $0.roles }.map(\.role) }
        set { registered.withLock { $0.roles = newValue.map(RegisteredLoader.init) } }
    }

    /// Whether loads first try the URL of the smaller image in their context (`.lowDataSource`). Set this property to
    /// true on a metered or slow network. The default is false.
    public var prefersLowData: Bool {
        get { lowData.withLock { $0 } }
        set { lowData.withLock { $0 = newValue } }
    }

    /// Adds a loader. The new loader is checked before all other loaders.
    public func addLoader(_ loader: any ImageLoader) {
        let loader = RegisteredLoader(loader)
        registered.withLock { $0.roles.append(loader) }
    }

    /// Removes a loader. If the loader is an object, it is found by its address. If the loader is a value, it is
    /// found by equality.
    public func removeLoader(_ loader: any ImageLoader) {
        registered.removeRole(\.self, loader) { $0.role }
    }

    /// Returns the loader for a URL; nil when no loader accepts the URL.
    public func loader(for url: URL?) -> (any ImageLoader)? {
        url.flatMap { registeredLoader(of: ImageDataLoad(url: $0)) }?.role
    }

    /// Returns the loader for a load; nil when no loader accepts it.
    func registeredLoader(of load: ImageDataLoad) -> RegisteredLoader? {
        let loaders = registered.withLock { $0.roles }
        let text = load.url.absoluteString
        // Use a loop by index: every memory hit runs this code, and in a debug build a generic search would allocate
        // memory.
        var index = loaders.count
        while index > 0 {
            index -= 1
            // A loader that declares its schemes is not asked about a URL with another one.
            guard loaders[index].mayLoad(text) else { continue }
            if loaders[index].role.canLoad(load) { return loaders[index] }
        }
        return nil
    }

    /// The refusal of a `file:` URL by the policy of any loader of this manager; nil if no policy refuses it.
    ///
    /// Without this check, the order of the loaders would decide whether a policy protects the files of the machine:
    /// ``FileImageLoader`` has no policy, and may be asked before the downloader.
    package func refusal(ofFile url: URL) -> WebImageError? {
        let loaders = registered.withLock { $0.roles }
        for loader in loaders {
            if let refusal = loader.refusal(ofFile: url) { return refusal }
        }
        return nil
    }

    /// The refusal of a URL if it is a `file:` URL; nil for every other URL.
    func refusal(of url: URL) -> WebImageError? {
        url.absoluteString.hasScheme("file") ? refusal(ofFile: url) : nil
    }

    private func noLoader(for url: URL) -> WebImageError {
        let loaders = registered.withLock { $0.roles }
        let schemes = Set(loaders.compactMap(\.capabilities.schemes).joined()).sorted()
        let hint =
            schemes.isEmpty ? "Add a loader for it." : "URLs of these schemes work: \(schemes.joined(separator: ", "))."
        let problem = url.scheme.map { "no loader takes the scheme \($0)" } ?? "the URL has no scheme"
        return WebImageError(.invalidURL, stage: .request, url: url, underlying: .message(problem), hint: hint)
    }
}

extension ImageLoadersManager: ImageLoader {
    /// The manager asks its loaders.
    public var capabilities: LoaderCapabilities {
        var capabilities = LoaderCapabilities()
        capabilities.sharesPlainLoads = { [self] in sharesPlainLoads($0) }
        return capabilities
    }

    /// A loader that does not say whether it shares plain loads concerns only the URLs that it may accept.
    private func sharesPlainLoads(_ url: String) -> Bool {
        let loaders = registered.withLock { $0.roles }
        var index = 0
        while index < loaders.count {
            let capabilities = loaders[index].capabilities
            if capabilities.sharesPlainLoads?(url) != true {
                guard let schemes = capabilities.schemes, !url.hasScheme(in: schemes) else { return false }
            }
            index += 1
        }
        return true
    }

    /// Whether at least one loader accepts the load.
    public func canLoad(_ load: ImageDataLoad) -> Bool { registeredLoader(of: load) != nil }

    /// Returns the decision of the loader that accepts the load. If no loader accepts the load, returns whether the URL
    /// itself causes the error.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool {
        registeredLoader(of: load)?.role.shouldBlock(load, after: error) ?? error.shouldBlockURL
    }

    /// The loader of a load.
    ///
    /// - Throws: `.invalidURL` if no loader accepts the URL, `.invalidDownloadOperation` if the policy of any loader refuses
    ///   a `file:` URL.
    package func acceptingLoader(of load: ImageDataLoad) throws(WebImageError) -> any ImageLoader {
        guard let loader = registeredLoader(of: load) else { throw noLoader(for: load.url) }
        if let refusal = refusal(of: load.url) { throw refusal }
        return loader.role
    }

    /// Fetches the bytes with the loader that accepts the URL. If the context contains further sources, tries one
    /// source after another and returns the bytes of the first source that succeeds.
    ///
    /// - Throws: `.invalidURL` if no loader accepts the URL, `.invalidDownloadOperation` if the policy of any loader refuses
    ///   a `file:` URL, or the error of the loader.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let sources = AlternativeSources(load, prefersLowData: prefersLowData)
        guard sources.isPlain else {
            return try await sources.first(load) { attempt throws(WebImageError) in
                try await self.bytes(attempt, progress: progress)
            }
        }
        return try await acceptingLoader(of: load).loadData(for: load, progress: progress)
    }

    /// Passes the call to the loader that accepts the load. If the context contains further sources, the body can be that of
    /// any of them: the call is passed on for each.
    public func discard(_ body: Data, of load: ImageDataLoad, after error: WebImageError) {
        for attempt in AlternativeSources(load, prefersLowData: prefersLowData).loads(like: load) {
            registeredLoader(of: attempt)?.role.discard(body, of: attempt, after: error)
        }
    }

    /// Loads one of several sources. All of them share their bytes with loads of other sizes, so they must be bytes.
    private func bytes(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let loader = try acceptingLoader(of: load)
        guard registeredLoader(of: load)?.returnsImages != true else {
            throw WebImageError(
                .invalidDownloadOperation, stage: .request, url: load.url,
                underlying: .message("\(type(of: loader)) returns images, not bytes"),
                hint: "Only loaders that return bytes can have further sources.")
        }
        return try await loader.loadData(for: load, progress: progress)
    }

    /// Returns the identity that the loader for the URL determines. If this loader returns images instead of bytes,
    /// loads with the same URL have the same identity. If the context contains further sources, combines the
    /// identities of all sources.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        guard hasFurtherSources(load) else { return ownIdentity(of: load) }
        let sources = AlternativeSources(load, prefersLowData: prefersLowData)
        let identities = sources.loads(like: load).map(ownIdentity)
        let sharing = identities.compactMap(\.sharing)
        return LoadIdentity(
            sharing: sharing.count == identities.count
                ? sharing.joinedWithLengths(separator: " or ") : nil,
            cacheScope: Self.common(identities.map(\.cacheScope)))
    }

    /// Whether a load has other sources in addition to its URL. The manager does not pass such a load to a single
    /// loader, but tries the sources itself.
    func hasFurtherSources(_ load: ImageDataLoad) -> Bool {
        // Every memory hit runs this code. Therefore do not create the list if the context contains no further source.
        guard load.request.alternativeURLs != nil || load.request.lowDataURL != nil else { return false }
        return !AlternativeSources(load, prefersLowData: prefersLowData).isPlain
    }

    /// Returns the scope for bytes that can come from any of several sources. `scopes` are the scopes of these sources.
    private static func common(_ scopes: [CacheScope]) -> CacheScope {
        if Set(scopes).count == 1 { return scopes[0] }
        if scopes.contains(.unstored) { return .unstored }
        let names = scopes.map { if case .scoped(let name) = $0 { "\(name.utf8.count):\(name)" } else { "" } }
        return .scoped("!sources:" + names.joined(separator: ","))
    }

    /// Returns the result of ``cacheScope(of:)``. If the loader had to prepare the load to determine the scope, also
    /// returns the prepared load. Every memory hit runs this function.
    func scope(of load: ImageDataLoad) -> (scope: CacheScope, prepared: PreparedLoad?) {
        if hasFurtherSources(load) { return (identity(of: load).cacheScope, nil) }
        return registeredLoader(of: load)?.ownScope(of: load) ?? (load.declaredScope ?? .shared, nil)
    }

    private func ownIdentity(of load: ImageDataLoad) -> LoadIdentity {
        if let loader = registeredLoader(of: load), !loader.returnsImages { return loader.role.identity(of: load) }
        let url = load.url.absoluteString
        var identity = LoadIdentity(sharing: url, cacheScope: load.declaredScope ?? .shared)
        identity.urlPart = 0..<url.utf8.count
        return identity
    }

    /// Returns the scope that the loader for the URL determines. If the context contains further sources, combines the
    /// scopes of all sources.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope {
        if hasFurtherSources(load) { return identity(of: load).cacheScope }
        return registeredLoader(of: load)?.cacheScope(of: load) ?? load.declaredScope ?? .shared
    }
}

/// A loader with what it declares, which is read once: when a manager is created with it, when it is added to an
/// ``ImageLoadersManager``, or when a load names it.
final class RegisteredLoader: Sendable {
    let role: any ImageLoader
    let capabilities: LoaderCapabilities
    /// The loader if it is a list of loaders; otherwise nil.
    let manager: ImageLoadersManager?

    init(_ role: any ImageLoader) {
        (self.role, capabilities) = (role, role.capabilities)
        manager = role as? ImageLoadersManager
    }

    /// Whether the loader returns decoded images.
    var returnsImages: Bool { capabilities.returnsImages }

    /// Whether the loader must be asked about a URL. False if it declares other schemes.
    func mayLoad(_ url: String) -> Bool { capabilities.schemes.map { url.hasScheme(in: $0) } ?? true }

    /// Returns the loader that performs the load: for an ``ImageLoadersManager``, the loader that the manager chooses;
    /// for any other loader, the loader itself.
    func chosen(for load: ImageDataLoad) -> RegisteredLoader {
        guard let manager, let loader = manager.registeredLoader(of: load) else { return self }
        // The policy of another loader forbids the file. The `ImageLoadersManager` throws the refusal.
        if manager.refusal(of: load.url) != nil { return self }
        // Only the `ImageLoadersManager` can try several sources, and only with loaders that return bytes. A loader
        // that returns decoded images is used directly.
        if !loader.returnsImages, manager.hasFurtherSources(load) { return self }
        return loader.chosen(for: load)
    }

    /// The reason why the policy of this loader forbids a local file; nil if it may be read.
    func refusal(ofFile url: URL) -> WebImageError? {
        manager?.refusal(ofFile: url) ?? capabilities.preparation?.refusalOfFile(url)
    }

    /// Returns the scope of a load. If the loader had to prepare the load to determine the scope, also returns the
    /// prepared load. Every memory hit runs this function.
    func scope(of load: ImageDataLoad) -> (scope: CacheScope, prepared: PreparedLoad?) {
        manager?.scope(of: load) ?? ownScope(of: load)
    }

    /// The same for a loader that is no ``ImageLoadersManager``.
    func ownScope(of load: ImageDataLoad) -> (scope: CacheScope, prepared: PreparedLoad?) {
        guard let preparation = capabilities.preparation else { return (cacheScope(of: load), nil) }
        let prepared = preparation.prepareForScope(load)
        return (prepared?.identity.cacheScope ?? load.declaredScope ?? .shared, prepared)
    }

    func cacheScope(of load: ImageDataLoad) -> CacheScope {
        returnsImages ? load.declaredScope ?? .shared : role.cacheScope(of: load)
    }
}

/// The default loader of a program that links no product with loaders. Every load fails with an error that explains
/// the missing product.
struct MissingImageLoader: ImageLoader {
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        throw WebImageError(
            .invalidDownloadOperation, stage: .download, url: load.url,
            underlying: .message("no loader is registered"),
            hint: "Link the product WebImage, or give the manager a loader.")
    }

    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
}
