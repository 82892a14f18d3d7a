import Foundation
package import WebImageCore
import WebImageHTTP

/// Sends commands to the nodes of a cluster. Learns the nodes and their keys from the cluster itself.
///
/// The map is read at the first command and again after a redirection, a lost node or a late answer, at most ten times a
/// second. While a node is lost, only the keys of that node are misses. A node that was just learned is a miss until its
/// connection stands.
package final class ValkeyCluster: ValkeySending {
    private struct State {
        var slots = ClusterSlots()
        var connections: [ClusterSlots.Node: ValkeyConnection] = [:]
        var isRefreshing = false
        var refreshed: Duration?
        var isShutDown = false
    }

    /// The most redirections of one command.
    private static let mostRedirections = 5
    /// The shortest time between two readings of the map.
    private static let refreshInterval = Duration.milliseconds(100)

    private let configuration: ValkeyConnection.Configuration
    private let seeds: [ClusterSlots.Node]
    private let onEvent: @Sendable (ValkeyConnection.Event) -> Void
    private let clock: any DelayClock
    private let state = Locked(State())

    /// - Parameters:
    ///   - configuration: Credentials and encryption of every node; its address is one of the first nodes.
    ///   - seeds: Further nodes to ask for the map. One that works is enough.
    package init(
        _ configuration: ValkeyConnection.Configuration, seeds: [ClusterSlots.Node] = [],
        clock: any DelayClock = SystemClock(), onEvent: @escaping @Sendable (ValkeyConnection.Event) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.clock = clock
        self.onEvent = onEvent
        var first: [ClusterSlots.Node] = []
        if case .host(let host, let port) = configuration.destination.address {
            first = [ClusterSlots.Node(host: host, port: port)]
        }
        self.seeds = first + seeds
        for seed in self.seeds { _ = connection(to: seed) }
    }

    deinit { shutDown() }

    /// Closes every connection.
    package func shutDown() {
        let connections = state.withLock { state in
            state.isShutDown = true
            defer { state.connections.removeAll() }
            return state.connections
        }
        for connection in connections.values { connection.shutDown() }
    }

    package func send(_ command: RESPCommand, forKey key: String, within budget: Duration) async
        -> Result<RESPValue, ValkeyFailure>
    {
        let deadline = clock.now + budget
        let slot = ClusterSlots.slot(of: key)
        var asks: ClusterSlots.Node?
        for _ in 0...Self.mostRedirections {
            let left = deadline - clock.now
            guard left > .zero else { return .failure(.late) }
            let known = state.withLock { $0.slots.node(of: slot) }
            if asks == nil, known == nil { await refresh(within: left) }
            guard let node = asks ?? known ?? state.withLock({ $0.slots.node(of: slot) }),
                let connection = connection(to: node)
            else { return .failure(.down) }
            let asking = asks == nil ? [] : [RESPCommand(["ASKING"])]
            let result = await connection.send(asking + [command], within: deadline - clock.now).last ?? .failure(.down)
            asks = nil
            guard case .failure(let failure) = result else { return result }
            switch failure {
            case .refused(let text):
                switch ClusterSlots.redirection(text, asked: node) {
                case .moved(let slot, let owner):
                    state.withLock { $0.slots.assign(slot...slot, to: owner) }
                    refreshInBackground()
                case .ask(let target): asks = target
                case nil: return result
                }
            case .down, .late:
                refreshInBackground()
                return result
            case .busy, .cancelled, .open: return result
            }
        }
        return .failure(.refused("more than \(Self.mostRedirections) redirections"))
    }

    private func connection(to node: ClusterSlots.Node) -> ValkeyConnection? {
        var configuration = configuration
        configuration.destination.address = .host(node.host, port: node.port)
        return state.withLock { state in
            if state.isShutDown { return nil }
            if let connection = state.connections[node] { return connection }
            let connection = ValkeyConnection(configuration, onEvent: onEvent)
            state.connections[node] = connection
            return connection
        }
    }

    /// Starts to read the map unless that happens already or happened just now.
    private func refreshInBackground() {
        Task { [weak self] in await self?.refresh(within: .seconds(1)) }
    }

    private func refresh(within budget: Duration) async {
        let now = clock.now
        let nodes = state.withLock { state -> [ClusterSlots.Node]? in
            guard !state.isRefreshing, state.refreshed.map({ now - $0 >= Self.refreshInterval }) ?? true else {
                return nil
            }
            state.isRefreshing = true
            state.refreshed = now
            return state.slots.allNodes + seeds.filter { !state.slots.allNodes.contains($0) }
        }
        guard let nodes else { return }
        defer { state.withLock { $0.isRefreshing = false } }
        let command = RESPCommand(["CLUSTER", "SLOTS"])
        for node in nodes {
            guard let connection = connection(to: node), connection.isUp,
                case .success(let answer) = await connection.send(command, within: budget),
                let slots = ClusterSlots(answer, asked: node)
            else { continue }
            let lost = state.withLock { state -> [ValkeyConnection] in
                state.slots = slots
                // Keep the seeds, from which the map can be read when all its nodes are gone.
                let kept = Set(slots.allNodes).union(seeds)
                let lost = state.connections.filter { !kept.contains($0.key) }
                for node in lost.keys { state.connections[node] = nil }
                return Array(lost.values)
            }
            for connection in lost { connection.shutDown() }
            return
        }
    }
}

/// Sends commands about one key: a connection to one server, or a cluster.
package protocol ValkeySending: Sendable {
    /// Sends a command about `key` to the server that holds it, and waits for its answer for at most `budget`.
    func send(_ command: RESPCommand, forKey key: String, within budget: Duration) async
        -> Result<RESPValue, ValkeyFailure>
}

extension ValkeyConnection: ValkeySending {
    package func send(_ command: RESPCommand, forKey key: String, within budget: Duration) async
        -> Result<RESPValue, ValkeyFailure>
    {
        await send(command, within: budget)
    }
}
