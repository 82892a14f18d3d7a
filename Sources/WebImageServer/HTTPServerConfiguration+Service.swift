import WebImageHTTP
public import WebImageService

extension HTTPServerConfiguration {
    /// Creates the limits of a server from the configuration of a service.
    ///
    /// - Throws: ``HTTPServerError`` if the socket mode is not octal or a trusted proxy is not an address range.
    public init(_ configuration: ServiceConfiguration) throws(HTTPServerError) {
        self.init()
        maxConnections = configuration.maxConnections
        maxConnectionsPerClient = configuration.maxConnectionsPerClient
        headTimeout = .seconds(configuration.headTimeout)
        idleTimeout = .seconds(configuration.idleTimeout)
        sendTimeout = .seconds(configuration.sendTimeout)
        maxHeadBytes = configuration.maxHeadBytes
        maxTargetBytes = min(configuration.maxTargetBytes, configuration.maxHeadBytes)
        guard let mode = UInt32(configuration.socketMode, radix: 8), mode <= 0o777 else {
            throw HTTPServerError("socket-mode: '\(configuration.socketMode)' is not an octal number up to 777")
        }
        socketMode = mode
        for text in configuration.trustedProxies {
            guard let range = AddressRange(text) else {
                throw HTTPServerError("trusted-proxy: '\(text)' is not an address or ADDRESS/BITS")
            }
            trustedProxies.append(range)
        }
    }
}
