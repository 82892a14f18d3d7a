import Foundation
import WebImage
import WebImageCore
import WebImageLoading
import WebImageServer
import WebImageService

/// A running service: the image service, its HTTP servers and its access log.
final class ServiceProcess: Sendable {
    private let service: ImageService
    private let server: HTTPServer
    private let admin: HTTPServer?
    private let log: AccessLog
    private let configuration: Locked<ServiceConfiguration>
    private let tiers: CacheTiers?
    /// Reports when a tier goes and when it is back.
    private let watch = Locked<Task<Void, Never>?>(nil)
    private let inherited: [ListenAddress]
    /// Whether a listener accepts connections from other machines.
    private let isOpen: Bool

    /// Starts the service.
    ///
    /// - Parameter inherited: The listening sockets that the process has inherited from the service manager (systemd).
    ///   Sockets named `admin` replace the configured address for the operator's commands. Other sockets replace the
    ///   configured listening addresses.
    init(_ reading: ServiceArguments.Reading, inherited: [ListenAddress]) throws(UsageError) {
        let configuration = reading.configuration
        self.inherited = inherited
        let (addresses, adminAddresses) = try Self.addresses(reading, inherited)
        if let place = reading.places["listen"], addresses.contains(where: \.isInherited) {
            Console.error("\(place): listen: not used, because the service manager passed listening sockets")
        }
        isOpen = !addresses.allSatisfy(\.isLoopback)
        try Self.check(configuration, isOpen: isOpen)
        let log = AccessLog(try reading.parsed().accessLog)
        do {
            let limits = try Self.limits(configuration)
            if limits.maxConnections < configuration.maxConnections {
                Console.error(
                    "max-connections: \(limits.maxConnections) instead of \(configuration.maxConnections), because of the limit of"
                        + " open files ('ulimit -n')")
            }
            try configuration.checkCacheFolder()
            let clock = Self.clock
            let tiers = try TierAddress.tiers(configuration, clock: clock)
            self.tiers = tiers
            let service = try ImageService(
                configuration: configuration, loader: nil, clock: clock, tiers: tiers)
            self.service = service
            server = try HTTPServer(
                listening: addresses, configuration: limits,
                answered: { log.write($0, $1) }, refuse: { service.answer(to: $0) },
                respondImmediately: { service.respondFromMemory(to: $0) },
                respond: { await service.respond(to: $0) })
            admin = try Self.admin(adminAddresses, limits, service, server)
        } catch let error as ConfigurationError {
            throw reading.error(error)
        } catch let error as HTTPServerError {
            throw UsageError("\(error)")
        } catch {
            throw UsageError("\(error)")
        }
        self.log = log
        self.configuration = Locked(configuration)
    }

    /// The limits of a server, within those of the process.
    private static func limits(_ configuration: ServiceConfiguration) throws(HTTPServerError) -> HTTPServerConfiguration
    {
        var limits = try HTTPServerConfiguration(configuration)
        limits.maxConnections = min(limits.maxConnections, ProcessLimits.mostConnections(configuration))
        return limits
    }

    /// The system's clock. In a debug build, a variable shifts its date, for tests of machines whose clocks differ.
    private static var clock: any DelayClock {
        #if DEBUG
            let shift = ProcessInfo.processInfo.environment["SWIFT_WEB_IMAGE_CLOCK_SHIFT"].flatMap(TimeInterval.init)
            if let shift { return ShiftedClock(shift: shift) }
        #endif
        return SystemClock()
    }

    private static func addresses(
        _ reading: ServiceArguments.Reading, _ inherited: [ListenAddress]
    ) throws(UsageError) -> (service: [ListenAddress], admin: [ListenAddress]) {
        let configuration = reading.configuration
        var setting = "listen"
        var named: [ListenAddress] = []
        func parsed(_ text: String) throws(HTTPServerError) -> ListenAddress {
            let address = try ListenAddress(text)
            try address.check(beside: named)
            named.append(address)
            return address
        }
        func isAdmin(_ address: ListenAddress) -> Bool {
            if case .inherited(_, let name) = address { name == "admin" } else { false }
        }
        do throws(HTTPServerError) {
            var service = inherited.filter { !isAdmin($0) }
            if service.isEmpty {
                for text in configuration.listen { service.append(try parsed(text)) }
                // A check does not know whether the service manager passes another address instead.
                if configuration.listen.isEmpty { service.append(try ListenAddress("127.0.0.1:8080")) }
            }
            setting = "admin"
            var admin = inherited.filter(isAdmin)
            if admin.isEmpty, !configuration.admin.isEmpty { admin = [try parsed(configuration.admin)] }
            return (service, admin)
        } catch {
            throw UsageError(reading.places[setting].map { "\($0): \(setting): \(error)" } ?? "\(error)")
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

    /// Throws the error with which a start or a reload would fail. Blocks while files are read.
    ///
    /// Does not check whether the addresses can be bound, because the running service holds them.
    static func check(_ reading: ServiceArguments.Reading) throws(UsageError) {
        try checkSecrets(reading)
        let (addresses, _) = try addresses(reading, [])
        try check(reading.configuration, isOpen: !addresses.allSatisfy(\.isLoopback))
        do {
            _ = try HTTPServerConfiguration(reading.configuration)
            try reading.configuration.check()
            try TierAddress.check(reading.configuration)
        } catch let error as ConfigurationError {
            throw reading.error(error)
        } catch {
            throw UsageError("\(error)")
        }
    }

    private static func checkSecrets(_ reading: ServiceArguments.Reading) throws(UsageError) {
        guard let (name, place) = reading.hiddenSecrets.min(by: { $0.key < $1.key }) else { return }
        let variable = ServiceConfiguration.settings.first { $0.name == name }?.variable ?? ""
        throw UsageError(
            "\(place): \(name): the variable \(variable) overrides this value, and a reload cannot change variables;"
                + " remove the variable and restart")
    }

    private static func admin(
        _ addresses: [ListenAddress], _ limits: HTTPServerConfiguration, _ service: ImageService, _ server: HTTPServer
    ) throws(HTTPServerError) -> HTTPServer? {
        guard !addresses.isEmpty else { return nil }
        return try HTTPServer(listening: addresses, configuration: limits, refuse: { service.answer(to: $0) }) {
            request in
            var response = await service.respondToOperator(request)
            if response.logEntry.route == .metrics, response.status == 200, case .bytes(let text) = response.body {
                response.body = .bytes(
                    text + Data((ProcessMetrics.text(server.statistics) + DecoderProcesses.metrics).utf8))
            }
            return response
        }
    }

    /// Waits until the cache tiers answer, for at most a second: the first requests would find nothing there. The service
    /// works without them, too.
    func connectTiers() async {
        guard let tiers else { return }
        var known = Set<String>()
        Self.report(Set(await TierAddress.silent(tiers, within: .seconds(1))), &known)
        watch.withLock {
            $0 = Task.detached(priority: .utility) { [known] in
                var silent = known
                while await SystemClock().wait(for: .seconds(1)) {
                    let failing = Set(tiers.statistics.levels.filter(\.tier.isOpen).map(\.name))
                    // A tier without traffic has no failures. One that is gone is asked.
                    let gone = silent.isEmpty ? [] : Set(await TierAddress.silent(tiers, within: .seconds(1)))
                    Self.report(failing.union(gone), &silent)
                }
            }
        }
    }

    /// Prints one line for each tier that is gone since the last call, or is back.
    private static func report(_ now: Set<String>, _ silent: inout Set<String>) {
        for name in now.subtracting(silent).sorted() {
            Console.error("tier \(name): does not answer; the service goes on without it")
        }
        for name in silent.subtracting(now).sorted() { Console.error("tier \(name): answers again") }
        silent = now
    }

    /// Prints the listening addresses and reports to systemd that the service is ready.
    func announce() {
        let configuration = configuration.withLock { $0 }
        let prefix = configuration.pathPrefix
        var places = server.addresses.map { "\($0)" }
        if let first = server.addresses.firstIndex(where: { $0.webAddress != nil }) {
            // With this secret, the page signs targets for a browser on this machine.
            let query = configuration.requiresSignature ? "?token=" + service.startPageToken : ""
            places[first] += "; open \(server.addresses[first].webAddress ?? "")\(prefix)/\(query) in a browser"
        }
        let signing = configuration.requiresSignature ? "signed targets" : "unsigned targets"
        Console.error("serving \(signing) on \(places.joined(separator: ", "))")
        if let admin { Console.error("metrics and purges on \(admin.addresses[0])") }
        SystemdNotifier.notify("READY=1")
    }

    /// Applies another configuration. Running requests continue with the old configuration. Blocks while files are
    /// read.
    ///
    /// Throws and changes nothing if a setting cannot be used, or if a key of a file cannot take effect because a
    /// variable of the process overrides it. Otherwise an operator who rotates a leaked key would rely on a reload that
    /// keeps the old key.
    func reload(_ reading: ServiceArguments.Reading) throws(UsageError) {
        let configuration = reading.configuration
        try Self.checkSecrets(reading)
        let format = try reading.parsed().accessLog
        try Self.check(configuration, isOpen: isOpen)
        // Some settings take effect at the next start. An operator must not learn then that they cannot be used.
        _ = try Self.addresses(reading, inherited)
        // A proxy can forward requests of the network to a loopback address. A file that lost its keys must not open the
        // service to them.
        let old = self.configuration.withLock { $0 }
        guard old.allowsUnsigned || !configuration.allowsUnsigned || configuration.isInsecure else {
            throw UsageError(
                "targets must be signed until now, and without these keys they would not; set the keys, or set"
                    + " 'insecure = yes', or restart the service")
        }
        do {
            let limits = try Self.limits(configuration)
            try configuration.check()
            try TierAddress.check(configuration)
            for name in try service.reload(configuration) {
                Console.error("\(name): the new value is used after a restart")
            }
            server.update(limits)
            admin?.update(limits)
        } catch let error as ConfigurationError {
            throw reading.error(error)
        } catch {
            throw UsageError("\(error)")
        }
        log.format = format
        self.configuration.withLock { $0 = configuration }
        if !reading.secretsInVariables.isEmpty {
            Console.error(
                "\(reading.secretsInVariables.sorted().joined(separator: ", ")): set by variables, which a reload does not"
                    + " read again; a secrets-file is read again")
        }
    }

    /// Stops the service. Refuses new requests, waits for the accepted requests for at most the configured drain time,
    /// and writes the caches to disk.
    func stop() async {
        let drain = Duration.seconds(configuration.withLock { $0.drain })
        SystemdNotifier.notify("STOPPING=1")
        watch.withLock { $0.take() }?.cancel()
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

#if DEBUG
    private struct ShiftedClock: DelayClock {
        let shift: TimeInterval

        var date: TimeInterval { SystemClock().date + shift }
        var now: Duration { SystemClock().now }

        func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
            SystemClock().schedule(after: delay, work)
        }
    }
#endif

extension ImageService {
    fileprivate func answer(to refusal: HTTPRefusal) -> ServiceResponse {
        self.refusal(
            status: refusal.status, message: refusal.message, retryAfter: refusal.retryAfter,
            accepted: refusal.accepted)
    }
}

extension ListenAddress {
    fileprivate var isInherited: Bool { if case .inherited = self { true } else { false } }

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
