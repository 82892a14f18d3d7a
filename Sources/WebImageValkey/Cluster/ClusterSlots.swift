import Foundation

/// Which node of a cluster holds which keys. A pure value
/// ([specification](https://valkey.io/topics/cluster-spec/)).
package struct ClusterSlots: Sendable, Equatable {
    package struct Node: Sendable, Hashable {
        package var host: String
        package var port: Int

        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
    }

    /// A redirection that a node answers instead of performing a command.
    package enum Redirection: Sendable, Equatable {
        /// The slot belongs to another node for good.
        case moved(slot: Int, Node)
        /// The slot is being moved: this one command must be sent to the node, after `ASKING`.
        case ask(Node)
    }

    /// The number of slots of every cluster.
    package static let count = 16384

    private var nodes: [Node] = []
    /// The index in `nodes` of each slot's node plus 1; 0 for a slot without a node.
    private var owners = [UInt16](repeating: 0, count: Self.count)

    package init() {}

    /// Reads the answer to `CLUSTER SLOTS`; nil if it is malformed.
    ///
    /// - Parameter asked: The node that answered. It stands for an empty host, which means "this node".
    package init?(_ answer: RESPValue, asked: Node) {
        guard let ranges = answer.elements else { return nil }
        for range in ranges {
            guard let parts = range.elements, parts.count >= 3, case .integer(let first) = parts[0],
                case .integer(let last) = parts[1], 0 <= first, first <= last, last < Self.count,
                let master = parts[2].elements, master.count >= 2, case .integer(let port) = master[1],
                (1...65535).contains(port)
            else { return nil }
            let host = master[0].string ?? ""
            assign(first...last, to: Node(host: host.isEmpty ? asked.host : host, port: port))
        }
    }

    /// The node of a slot; nil if no node holds it.
    package func node(of slot: Int) -> Node? {
        let owner = Int(owners[slot])
        return owner == 0 ? nil : nodes[owner - 1]
    }

    /// All nodes that hold a slot.
    var allNodes: [Node] { nodes }

    mutating func assign(_ slots: ClosedRange<Int>, to node: Node) {
        let index = nodes.firstIndex(of: node) ?? nodes.endIndex
        if index == nodes.endIndex { nodes.append(node) }
        for slot in slots { owners[slot] = UInt16(index + 1) }
    }

    /// Reads an error such as `MOVED 3999 127.0.0.1:6381`; nil for other errors.
    static func redirection(_ error: String, asked: Node) -> Redirection? {
        let words = error.split(separator: " ")
        guard words.count >= 3, words[0] == "MOVED" || words[0] == "ASK", let slot = Int(words[1]),
            (0..<count).contains(slot), let colon = words[2].lastIndex(of: ":"),
            let port = Int(words[2][words[2].index(after: colon)...]), (1...65535).contains(port)
        else { return nil }
        let host = String(words[2][..<colon])
        let node = Node(host: host.isEmpty ? asked.host : host, port: port)
        return words[0] == "MOVED" ? .moved(slot: slot, node) : .ask(node)
    }

    /// The slot of a key: the CRC-16/XMODEM of its first non-empty part in braces, else of the whole key.
    package static func slot(of key: String) -> Int {
        var hashed = Array(key.utf8)[...]
        if let open = hashed.firstIndex(of: UInt8(ascii: "{")) {
            let rest = hashed[(open + 1)...]
            if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > open + 1 { hashed = rest[..<close] }
        }
        var crc: UInt16 = 0
        for byte in hashed {
            crc ^= UInt16(byte) << 8
            for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
        }
        return Int(crc) % count
    }
}
