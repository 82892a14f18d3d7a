import Foundation
import WebImageCore

/// What a manager promises, as a naive program: a dictionary for memory, one for disk, a function for the origin, and one
/// step of one load at a time. It shares no work and has no queue.
///
/// Loads that run at the same time may take their steps in any order, so the model holds the set of all states that
/// explain what was seen. An observation that no state explains is a fault of the manager (or of the model):
/// ``ReferenceCheck`` runs histories against both. The model of a resource knows nothing of other resources, because
/// loads of different URLs may not influence each other.
public struct ReferencePipeline: Sendable {
    /// An image that a cache holds.
    struct Entry: Hashable {
        var picture: ReferencePicture
        /// The limit in bytes it was made within; nil where the limit changed nothing.
        var limit: Int?

        /// Whether it serves a load with this limit: a picture made smaller never stands for a larger one.
        func serves(_ wanted: Int?) -> Bool { limit.map { limit in wanted.map { $0 <= limit } ?? false } ?? true }
    }

    /// Memory, disk and what the manager remembers of one resource.
    struct World: Hashable {
        var memory: [ReferenceKey: Entry] = [:]
        var disk: [ReferenceKey: Entry] = [:]
        /// The newest version of the original in each scope since the start; images of other versions are stale.
        var newest: [Int: Int] = [:]
        /// Scopes for which the URL is not tried again.
        var failed: Set<Int> = []
    }

    let resource: Int
    private(set) var worlds: Set<World> = [World()]
    /// What the origin answers now.
    public var answer = ReferenceOrigin.Answer()

    /// The model of a resource that no cache knows.
    public init(resource: Int) { self.resource = resource }

    // MARK: What the program does between loads

    /// Empties memory.
    public mutating func clearMemory() { change { $0.memory = [:] } }
    /// Empties the disk.
    public mutating func clearDisk() { change { $0.disk = [:] } }
    /// Lets failed URLs be tried again.
    public mutating func forgetFailures() { change { $0.failed = [] } }
    /// Ends the process and starts another one over the same disk.
    public mutating func restart() { change { $0 = World(disk: $0.disk) } }

    private mutating func change(_ body: (inout World) -> Void) {
        worlds = Set(
            worlds.map { world in
                var world = world
                body(&world)
                return world
            })
    }

    // MARK: What is observed

    /// Takes note of what loads delivered that ran at the same time, in the order they were begun.
    ///
    /// - Parameter cancelled: Which of the loads were cancelled while they ran.
    /// - Returns: Nil when the model allows it, else what it allows.
    public mutating func observe(
        _ loads: [ReferenceLoad], cancelled: Set<Int> = [], delivered: [[ReferenceDelivery]]
    ) -> [[[ReferenceDelivery]]]? {
        let progress = loads.enumerated().map { Progress($1, mayBeCancelled: cancelled.contains($0)) }
        let ends = Exploration(answer: answer, resource: resource).ends(from: worlds, progress)
        let fitting = ends.filter { $0.delivered == delivered }
        guard fitting.isEmpty else {
            worlds = Set(fitting.map(\.world))
            return nil
        }
        return Array(Set(ends.map(\.delivered)))
    }

    /// Takes note of what the disk holds under the key of a load, as stored.
    ///
    /// - Returns: Nil when the model allows it, else what it allows.
    public mutating func observeDisk(_ load: ReferenceLoad, holds picture: ReferencePicture?) -> [ReferencePicture?]? {
        guard let key = load.key else { return picture == nil ? nil : [nil] }
        let fitting = worlds.filter { $0.disk[key]?.picture == picture }
        guard fitting.isEmpty else {
            worlds = fitting
            return nil
        }
        return Array(Set(worlds.map { $0.disk[key]?.picture }))
    }
}
