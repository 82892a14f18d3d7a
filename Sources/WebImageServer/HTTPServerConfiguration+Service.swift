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
        do throws(ConfigurationError) {
            let parsed = try configuration.parsed(only: ["socket-mode", "trusted-proxy"])
            socketMode = parsed.socketMode
            trustedProxies = parsed.trustedProxies
        } catch {
            throw HTTPServerError("\(error)")
        }
    }
}
