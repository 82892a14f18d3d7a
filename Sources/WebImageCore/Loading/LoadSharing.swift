public import Foundation

/// Who may find a stored body again.
public enum CacheScope: Sendable, Hashable {
    /// Everybody who asks for the URL.
    case shared
    /// Those alone whose loads have the same scope; the text is part of the cache key and holds no secret.
    case scoped(String)
    /// Nobody: it is neither looked up nor stored.
    case unstored

    /// The cache key of a URL's key in this scope; nil where nothing is stored.
    public func key(_ key: String) -> String? {
        switch self {
        case .shared: key
        case .scoped(let scope): "\(key)#scope=\(scope)"
        case .unstored: nil
        }
    }
}

/// What decides whether two loads may share one download and one cache entry.
public struct LoadIdentity: Sendable, Hashable {
    /// Loads with equal texts get the same bytes; nil is shared with nobody. Held in memory alone: it may hold secrets.
    public var sharing: String?
    /// Who may find the stored bytes again.
    public var cacheScope: CacheScope

    /// Makes an identity.
    public init(sharing: String?, cacheScope: CacheScope = .shared) {
        self.sharing = sharing
        self.cacheScope = cacheScope
    }
}

/// A cached body and what stands beside it.
public struct CachedResource: Sendable {
    /// The body.
    public var data: Data
    /// The loader's ``ImageDataResult/resourceMetadata`` of then; nil when none is known.
    public var metadata: Data?
    /// What was stored as its image's ``Image/extendedObject``.
    public var extended: Data?

    /// A body with what stands beside it.
    public init(data: Data, metadata: Data? = nil, extended: Data? = nil) {
        self.data = data
        self.metadata = metadata
        self.extended = extended
    }
}

/// The priority of a load under way, as whoever asked changes it. Safe on any thread.
public final class LoadPriorityHandle: Sendable {
    private struct State {
        var priority: LoadPriority
        var listener: (@Sendable (LoadPriority) -> Void)?
    }

    private let state: Locked<State>

    /// Begins with a priority.
    public init(_ priority: LoadPriority = .normal) { state = Locked(State(priority: priority)) }

    /// The priority now; a change is passed on at once.
    public var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let listener = state.withLock { state in
                defer { state.priority = newValue }
                return state.priority == newValue ? nil : state.listener
            }
            listener?(newValue)
        }
    }

    /// Sets who hears of changes, on the thread that makes them; one listener at a time, nil for none.
    public func whenChanged(_ listener: (@Sendable (LoadPriority) -> Void)?) {
        state.withLock { $0.listener = listener }
    }
}

extension ImageDataLoader {
    /// Shared by URL and by the options that change bytes; scoped by the context's `.cacheScope`.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        let options = load.options.intersection([.handleCookies, .allowInvalidSSLCertificates])
        return LoadIdentity(
            sharing: "\(options.rawValue) \(load.url.absoluteString)", cacheScope: load.declaredScope ?? .shared)
    }

    /// The scope of ``identity(of:)``.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { identity(of: load).cacheScope }
}

extension ImageDataLoad {
    /// The context's `.cacheScope`, as a scope.
    package var declaredScope: CacheScope? { context?.read(.cacheScope, as: String.self).map { .scoped($0) } }
}
