import Foundation
import WebImage
import WebImageServer
import WebImageService

/// A running service: the image service, its HTTP servers and its access log.
final class ServiceProcess: Sendable {
    private let service: ImageService
    private let server: HTTPServer
    private let admin: HTTPServer?
    private let log: AccessLog
    private let configuration: Locked<ServiceConfiguration>
    /// Whether a listener accepts connections from other machines.
    private let isOpen: Bool

    /// Starts the service.
    ///
    /// - Parameter inherited: The listening sockets that the process has inherited from the service manager (systemd).
    ///   Sockets named `admin` replace the configured address for the operator's commands. Other sockets replace the
    ///   configured listening addresses.
    init(_ configuration: ServiceConfiguration, inherited: [ListenAddress]) throws(UsageError) {
        let (addresses, adminAddresses) = try Self.addresses(configuration, inherited)
        isOpen = !addresses.allSatisfy(\.isLoopback)
        try Self.check(configuration, isOpen: isOpen)
        let log = AccessLog(configuration.accessLog)
        do {
            let limits = try HTTPServerConfiguration(configuration)
            let service = try ImageService(configuration: configuration)
            self.service = service
            server = try HTTPServer(
                listening: addresses, configuration: limits,
                respondImmediately: { request in
                    let response = service.respondFromMemory(to: request)
                    if let response { log.write(request, response) }
                    return response
                },
                respond: { request in
                    let response = await service.respond(to: request)
                    log.write(request, response)
                    return response
                })
            admin = try Self.admin(adminAddresses, limits, service, server)
        } catch let error as ConfigurationError {
            throw UsageError("\(error)")
        } catch let error as HTTPServerError {
            throw UsageError("\(error)")
        } catch {
            throw UsageError("\(error)")
        }
        self.log = log
        self.configuration = Locked(configuration)
    }

    private static func addresses(
        _ configuration: ServiceConfiguration, _ inherited: [ListenAddress]
    ) throws(UsageError) -> (service: [ListenAddress], admin: [ListenAddress]) {
        func isAdmin(_ address: ListenAddress) -> Bool {
            if case .inherited(_, let name) = address { name == "admin" } else { false }
        }
        do throws(HTTPServerError) {
            var service = inherited.filter { !isAdmin($0) }
            if service.isEmpty {
                for text in configuration.listen.isEmpty ? ["127.0.0.1:8080"] : configuration.listen {
                    service.append(try ListenAddress(text))
                }
            }
            var admin = inherited.filter(isAdmin)
            if admin.isEmpty, !configuration.admin.isEmpty { admin = [try ListenAddress(configuration.admin)] }
            return (service, admin)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Throws if other machines can connect and targets need no signature. Does not throw if the configuration allows
    /// this (`--insecure`). Without signatures, every client can make the service fetch and decode any picture.
    private static func check(_ configuration: ServiceConfiguration, isOpen: Bool) throws(UsageError) {
        guard isOpen, configuration.allowsUnsigned, !configuration.isInsecure else { return }
        let grammar = configuration.keys.isEmpty ? "" : "thumbor-"
        throw UsageError(
            "other machines could use this service without a signature; set \(grammar)key"
                + (configuration.keys.isEmpty ? " and salt" : " and not thumbor-unsafe")
                + " in the --config file or in variables (WEBIMAGE_KEY and WEBIMAGE_SALT, made by 'openssl rand -hex 32'),"
                + " listen on 127.0.0.1, or pass --insecure")
    }

    private static func admin(
        _ addresses: [ListenAddress], _ limits: HTTPServerConfiguration, _ service: ImageService, _ server: HTTPServer
    ) throws(HTTPServerError) -> HTTPServer? {
        guard !addresses.isEmpty else { return nil }
        return try HTTPServer(listening: addresses, configuration: limits) { request in
            var response = await service.respondToOperator(request)
            if response.record.route == .metrics, response.status == 200, case .bytes(let text) = response.body {
                response.body = .bytes(text + Data(ConnectionMetrics.text(server.statistics).utf8))
            }
            return response
        }
    }

    /// Prints the listening addresses and reports to systemd that the service is ready.
    func announce() {
        let configuration = configuration.withLock { $0 }
        let prefix = configuration.pathPrefix
        var places = server.addresses.map { "\($0)" }
        if let first = server.addresses.firstIndex(where: { $0.webAddress != nil }) {
            places[first] += "; open \(server.addresses[first].webAddress ?? "")\(prefix)/ in a browser"
        }
        let signing = configuration.requiresSignature ? "signed targets" : "unsigned targets"
        Console.error("serving \(signing) on \(places.joined(separator: ", "))")
        if let admin { Console.error("metrics and purges on \(admin.addresses[0])") }
        SystemdNotifier.notify("READY=1")
    }

    /// Applies another configuration. Running requests continue with the old configuration. Blocks while files are
    /// read.
    func reload(_ configuration: ServiceConfiguration) throws(UsageError) {
        try Self.check(configuration, isOpen: isOpen)
        do {
            let limits = try HTTPServerConfiguration(configuration)
            try service.reload(configuration)
            server.update(limits)
            admin?.update(limits)
        } catch {
            throw UsageError("\(error)")
        }
        log.format = AccessLog.Format(rawValue: configuration.accessLog) ?? .text
        let old = self.configuration.withLock { current in
            defer { current = configuration }
            return current
        }
        for name in old.fixedAtStart(differingFrom: configuration) {
            Console.error("\(name): the new value is used after a restart")
        }
    }

    /// Stops the service. Refuses new requests, waits for the accepted requests for at most the configured drain time,
    /// and writes the caches to disk.
    func stop() async {
        let drain = Duration.seconds(configuration.withLock { $0.drain })
        SystemdNotifier.notify("STOPPING=1")
        // The HTTP server refuses new requests. The image service must still answer the requests that the server has
        // accepted.
        service.announceDraining()
        await server.stop(within: drain)
        service.beginDraining()
        await admin?.stop(within: .zero)
        await service.shutdown()
        log.close()
    }
}

/// Formats the metrics of the HTTP server's connections as Prometheus text.
enum ConnectionMetrics {
    static func text(_ statistics: HTTPServer.Statistics) -> String {
        let rows: [(name: String, type: String, help: String, value: Int)] = [
            ("connections_open", "gauge", "Open connections.", statistics.openConnections),
            ("connections_total", "counter", "Connections that were taken.", statistics.acceptedConnections),
            (
                "connections_refused_total", "counter", "Connections refused because of their number.",
                statistics.refusedConnections + statistics.refusedConnectionsOfClient
            ),
            ("head_timeouts_total", "counter", "Connections closed for a slow head.", statistics.headTimeouts),
            ("idle_timeouts_total", "counter", "Connections closed for being idle.", statistics.idleTimeouts),
            ("send_timeouts_total", "counter", "Connections closed for taking no answer.", statistics.sendTimeouts),
            ("abandoned_total", "counter", "Requests whose client left.", statistics.abandonedRequests),
        ]
        return rows.map { row in
            "# HELP webimage_\(row.name) \(row.help)\n# TYPE webimage_\(row.name) \(row.type)\n"
                + "webimage_\(row.name) \(row.value)\n"
        }.joined()
    }
}

extension ListenAddress {
    /// The URL at which a browser on this machine can open the service. Nil for Unix sockets and inherited sockets.
    fileprivate var webAddress: String? {
        switch self {
        case .network(let host, let port):
            ["0.0.0.0", "::"].contains(host)
                ? "http://localhost:\(port)" : "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .everywhere(let port): "http://localhost:\(port)"
        case .local, .inherited: nil
        }
    }
}

extension ServiceConfiguration {
    /// Returns the names of changed settings that take effect only after a restart of the service.
    fileprivate func fixedAtStart(differingFrom other: ServiceConfiguration) -> [String] {
        let pairs: [(String, Bool)] = [
            ("listen", listen == other.listen), ("admin", admin == other.admin),
            ("socket-mode", socketMode == other.socketMode), ("max-head-bytes", maxHeadBytes == other.maxHeadBytes),
            ("root", root == other.root), ("cache-dir", cacheFolder == other.cacheFolder),
            ("result-cache", resultCacheBytes == other.resultCacheBytes),
            ("source-cache", sourceCacheBytes == other.sourceCacheBytes),
            ("result-memory", resultMemoryBytes == other.resultMemoryBytes), ("queue", queue == other.queue),
            ("queue-per-host", queuePerHost == other.queuePerHost), ("queue-wait", queueWait == other.queueWait),
            ("max-requests", maxRequests == other.maxRequests),
            ("max-requests-per-client", maxRequestsPerClient == other.maxRequestsPerClient),
            ("allowed-address", allowedAddresses == other.allowedAddresses),
            ("source-timeout", sourceTimeout == other.sourceTimeout),
            ("source-deadline", sourceDeadline == other.sourceDeadline),
            ("max-redirects", maxRedirects == other.maxRedirects), ("user-agent", userAgent == other.userAgent),
        ]
        return pairs.filter { !$0.1 }.map(\.0)
    }
}
