public import WebImageHTTP

/// The limits of an ``HTTPServer``.
public struct HTTPServerConfiguration: Sendable, Hashable {
    /// Open connections at most; a further one gets status 503 and is closed.
    public var maxConnections = 10_000
    /// Open connections of one client at most; a further one gets status 429 and is closed.
    ///
    /// IPv6 addresses count by their /64. Local sockets and trusted proxies are not counted.
    public var maxConnectionsPerClient = 1_000
    /// For the whole head of a request, from the accepted connection or from the request line on.
    public var headTimeout = Duration.seconds(10)
    /// Between an answer and the next request line.
    public var idleTimeout = Duration.seconds(30)
    /// Without a byte of an answer acknowledged; a local socket's client may take this long in addition to its rate.
    public var sendTimeout = Duration.seconds(30)
    /// Bytes a second that a client must take of an answer on average, after ``sendTimeout``.
    public var minimumSendRate = 1_024
    /// Bytes of a head at most, 1,024 or more; a longer one gets status 431. Fixed at the start.
    public var maxHeadBytes = 32 << 10
    /// Bytes of a target at most; a longer one gets status 414. Fixed at the start.
    public var maxTargetBytes = 16 << 10
    /// Proxies whose `X-Forwarded-For` names the client. A client of a local socket is always believed.
    public var trustedProxies: [AddressRange] = []
    /// Permissions of local sockets. Fixed at the start.
    public var socketMode: UInt32 = 0o660
    /// Threads that read and write sockets, 1...64; fixed at the start. Requests are answered by tasks, not by these.
    public var threadCount = 2

    /// The defaults.
    public init() {}
}
