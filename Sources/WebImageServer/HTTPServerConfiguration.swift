public import WebImageHTTP

/// The limits of an ``HTTPServer``.
public struct HTTPServerConfiguration: Sendable, Hashable {
    /// The maximum number of open connections. Further connections receive status 503 and are closed.
    public var maxConnections = 10_000
    /// The maximum number of open connections per client. Further connections receive status 429 and are closed.
    ///
    /// All addresses of an IPv6 /64 network count as one client. Connections of Unix sockets and trusted proxies are
    /// not counted.
    public var maxConnectionsPerClient = 1_000
    /// The time in which the whole head of a request must arrive. For the first request of a connection, the time
    /// starts when the connection is accepted. For later requests, the time starts at the request line.
    public var headTimeout = Duration.seconds(10)
    /// The longest time between an answer and the next request line. After this time, the connection is closed.
    public var idleTimeout = Duration.seconds(30)
    /// The longest time in which the client acknowledges no further byte of an answer. After this time, the connection
    /// is closed.
    ///
    /// A Unix socket does not report acknowledged bytes. For clients of Unix sockets, only the limit for the whole
    /// answer applies (``minimumSendRate``).
    public var sendTimeout = Duration.seconds(30)
    /// The average rate in bytes per second at which a client must accept an answer. The whole answer must be accepted
    /// within its size divided by this rate, plus ``sendTimeout``.
    public var minimumSendRate = 1_024
    /// The maximum size of a head in bytes, 1,024 or more. A request with a longer head receives status 431. Fixed at
    /// the start.
    public var maxHeadBytes = 32 << 10
    /// The maximum length of a target in bytes. A request with a longer target receives status 414. Fixed at the start.
    public var maxTargetBytes = 16 << 10
    /// The addresses of trusted proxies. For a request from a trusted proxy, the field `X-Forwarded-For` supplies the
    /// address of the client. Peers that connect to a Unix socket are always trusted.
    public var trustedProxies: [AddressRange] = []
    /// The file permissions of Unix sockets. Fixed at the start.
    public var socketMode: UInt32 = 0o660
    /// The number of threads that read and write sockets, 1...64. Fixed at the start. These threads answer only
    /// the requests that the immediate responder answers. Tasks answer all other requests.
    public var threadCount = 2

    /// Creates a configuration with the defaults.
    public init() {}
}
