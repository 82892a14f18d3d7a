public import WebImageHTTP

/// The limits of an ``HTTPServer``.
public struct HTTPServerConfiguration: Sendable, Hashable {
    /// The maximum of open connections; further ones receive status 503 and are closed.
    public var maxConnections = 10_000
    /// The maximum of open connections per client; further ones receive status 429 and are closed.
    ///
    /// An IPv6 /64 counts as one client. Unix sockets and trusted proxies are not counted.
    public var maxConnectionsPerClient = 1_000
    /// The time for the whole head of a request, measured from the accepted connection or from the request line.
    public var headTimeout = Duration.seconds(10)
    /// The time between an answer and the next request line.
    public var idleTimeout = Duration.seconds(30)
    /// The time without an acknowledged byte of an answer. A Unix socket's client may take this long in addition to the
    /// time that ``minimumSendRate`` allows.
    public var sendTimeout = Duration.seconds(30)
    /// The average rate in bytes per second at which a client must accept an answer, after ``sendTimeout``.
    public var minimumSendRate = 1_024
    /// The maximum size of a head in bytes, 1,024 or more; a longer one receives status 431. Fixed at the start.
    public var maxHeadBytes = 32 << 10
    /// The maximum length of a target in bytes; a longer one receives status 414. Fixed at the start.
    public var maxTargetBytes = 16 << 10
    /// Proxies whose `X-Forwarded-For` is used as the client's address. Unix socket clients are always trusted.
    public var trustedProxies: [AddressRange] = []
    /// Permissions of Unix sockets. Fixed at the start.
    public var socketMode: UInt32 = 0o660
    /// Threads that read and write sockets, 1...64; fixed at the start. Requests are answered by tasks, not by these
    /// threads.
    public var threadCount = 2

    /// Creates a configuration with the defaults.
    public init() {}
}
