import Foundation
import WebImageTesting

/// A network of its own for a server, with links to this machine. A cut link is a partition: no packet passes and no
/// connection is closed, as when a cable is pulled.
package final class NetworkNamespace: Sendable {
    package enum Cut: CaseIterable, Sendable {
        case none
        /// No packet passes.
        case both
        /// The server receives packets; its answers are lost.
        case answers
    }

    /// One link: the address of the server, of this machine, and the name of its interface on either side.
    private struct Link {
        let server: String
        let client: String
        let name: String
    }

    private let name = "wi-\(getpid())-\(UInt16.random(in: .min ... .max))"
    private let links: [Link]

    /// Why no network can be made here; nil if it can. Needs the right to make namespaces and `ip` of iproute2.
    package static let refusal: String? = {
        do {
            try NetworkNamespace(links: 1).stop()
            return nil
        } catch {
            return "network namespaces cannot be made (needs root and iproute2): \(error)"
        }
    }()

    /// Makes the network.
    package init(links count: Int) throws {
        let network = Int.random(in: 0..<(1 << 14))
        links = (0..<count).map { index in
            let first = (network + index) % (1 << 14) * 4
            let start = "10.231.\(first >> 8).\(first & 0xFF)"
            let prefix = start.split(separator: ".").dropLast().joined(separator: ".")
            return Link(
                server: "\(prefix).\((first & 0xFF) + 2)", client: "\(prefix).\((first & 0xFF) + 1)",
                name: "wi\(String(UInt32.random(in: .min ... .max), radix: 36))\(index)")
        }
        do {
            try Self.ip("netns", "add", name)
            try inside("link", "set", "lo", "up")
            for link in links {
                try Self.ip("link", "add", link.name, "type", "veth", "peer", "name", link.name + "s", "netns", name)
                try Self.ip("address", "add", link.client + "/30", "dev", link.name)
                try Self.ip("link", "set", link.name, "up")
                try inside("address", "add", link.server + "/30", "dev", link.name + "s")
                try inside("link", "set", link.name + "s", "up")
            }
        } catch {
            stop()
            throw error
        }
    }

    /// The address of the server over a link.
    package func address(link: Int = 0) -> String { links[link].server }

    /// The address of this machine as the server sees it over a link.
    package func clientAddress(link: Int = 0) -> String { links[link].client }

    /// Cuts a link, or joins it again.
    package func set(_ cut: Cut, link: Int = 0) throws {
        let link = links[link]
        // A route that exists twice, or does not exist, is no failure.
        try? inside("route", "delete", "blackhole", link.client + "/32")
        try inside("link", "set", link.name + "s", cut == .both ? "down" : "up")
        if cut == .answers { try inside("route", "add", "blackhole", link.client + "/32") }
    }

    /// The program and the arguments that run a program in this network.
    func command(_ program: String, _ arguments: [String]) throws -> (program: String, arguments: [String]) {
        (try Self.tool(), ["netns", "exec", name, program] + arguments)
    }

    /// Removes the network. Its programs must have ended.
    package func stop() {
        for link in links { try? Self.ip("link", "delete", link.name) }
        try? Self.ip("netns", "delete", name)
    }

    private func inside(_ words: String...) throws { try Self.ip(["-netns", name] + words) }

    private static func ip(_ words: String...) throws { try ip(words) }

    private static func ip(_ words: [String]) throws {
        let status = try ChildProcess(try tool(), words).wait()
        guard status == 0 else { throw NginxError("ip \(words.joined(separator: " ")) failed") }
    }

    private static func tool() throws -> String {
        guard let path = NginxServer.tool("ip") else { throw NginxError("ip is not installed") }
        return path
    }
}
