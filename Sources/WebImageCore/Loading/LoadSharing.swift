public import Foundation

/// Who may find a stored body again.
public enum CacheScope: Sendable, Hashable {
    /// Everybody who asks for the URL.
    case shared
    /// Those alone whose loads have the same scope; a keyed hash of the text is part of the cache key.
    case scoped(String)
    /// Nobody: it is neither looked up nor stored.
    case unstored

    /// The cache key of a URL's key in this scope; nil where nothing is stored.
    public func key(_ key: String) -> String? {
        switch self {
        case .shared: key
        case .scoped(let scope): "\(key)#scope=\(Self.keyedHash(scope))"
        case .unstored: nil
        }
    }

    /// A scope's name in key strings: no URL's author can make it up, and no key string tells the scope.
    private static func keyedHash(_ scope: String) -> String {
        let known = lastHash.withLock { $0 }
        if let known, known.scope == scope { return known.hash }
        let hash = SHA256.shortName(of: [machine, "scope", scope].map { "\($0.utf8.count):\($0)" }.joined())
        lastHash.withLock { $0 = (scope, hash) }
        return hash
    }

    /// The last one made: the loads of one user follow each other.
    private static let lastHash = Locked<(scope: String, hash: String)?>(nil)
    /// The same in every process of this user on this machine, so that each finds what another stored.
    private static let machine =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"
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
    /// What the disk layer recorded of the entry; nil where it records nothing.
    package var record: EntryRecord? {
        get { recordBox?.record }
        set { recordBox = newValue.map(RecordBox.init) }
    }
    // Boxed: the compiler (6.3) copies an optional of this struct wrongly when it holds such a value itself.
    private var recordBox: RecordBox?

    private final class RecordBox: Sendable {
        let record: EntryRecord
        init(_ record: EntryRecord) { self.record = record }
    }

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
