import Foundation

/// A simple model of a manager. It consists of a dictionary for memory, a dictionary for disk and a function for the
/// origin, and performs one step of one load at a time. It shares no work and has no queue.
///
/// Concurrent loads may perform their steps in any order. The model therefore stores the set of all states that are
/// consistent with the observations. If no state is consistent with an observation, the manager or the model has a
/// fault. ``ReferenceCheck`` runs histories with a manager and with this model. There is one model for each resource,
/// because loads of different URLs must not affect each other.
package struct ReferencePipeline: Sendable {
    /// An image in a cache.
    struct Entry: Hashable {
        var picture: ReferencePicture
        /// The limit in bytes that reduced the image; nil if the image was not reduced.
        var limit: Int?

        /// Whether this entry can be used for a load with the limit `wanted`. An image that one limit has reduced is
        /// never used for a load with a higher limit or without a limit.
        func serves(_ wanted: Int?) -> Bool { limit.map { limit in wanted.map { $0 <= limit } ?? false } ?? true }
    }

    /// The state of one resource: memory, disk and the manager's records.
    struct World: Hashable {
        var memory: [ReferenceKey: Entry] = [:]
        var disk: [ReferenceKey: Entry] = [:]
        /// For each scope, the version of the original that the manager regards as the newest. Images of other versions
        /// are stale. This dictionary is empty after a restart.
        var newest: [Int: Int] = [:]
        /// The scopes whose newest version has been on disk.
        var onDisk: Set<Int> = []
        /// The URLs that have failed, with their scope. The loader is not used for them.
        var failed: Set<FailedURL> = []
    }

    /// A failed URL: its scope and its signature.
    struct FailedURL: Hashable {
        var scope: Int
        var signature: Int?

        init?(_ load: ReferenceLoad) {
            guard let scope = load.scope else { return nil }
            (self.scope, signature) = (scope, load.signature)
        }
    }

    let resource: Int
    private(set) var worlds: Set<World> = [World()]
    /// The current answer of the origin.
    package var answer = ReferenceOrigin.Answer() {
        // The file was written anew or removed. Images of its former state are misses.
        didSet { if resource == ReferenceHistory.fileResource { change { $0.memory = [:] } } }
    }

    /// Makes the model of a resource that is in no cache.
    package init(resource: Int) { self.resource = resource }

    // MARK: Operations between loads

    /// Purges the memory cache.
    package mutating func clearMemory() { change { $0.memory = [:] } }
    /// Purges the disk cache.
    package mutating func clearDisk() { change { $0.disk = [:] } }
    /// Removes the record of failed URLs.
    package mutating func forgetFailures() { change { $0.failed = [] } }
    /// Models a restart of the process: keeps the disk cache and removes all other state.
    package mutating func restart() { change { $0 = World(disk: $0.disk) } }

    /// Models a load of the full-size original by another process that uses the same folder.
    package mutating func refreshByAnotherProcess() {
        let outcome = answer.outcome(resource: resource, user: 0)
        guard let picture = outcome.picture, outcome.status == 200, !answer.isNoStore else { return }
        change { world in
            let key = ReferenceKey(scope: 0)
            world.disk = world.disk.filter { $0.key.scope != 0 || $0.value.picture.version == picture.version }
            world.disk[key] = Entry(picture: picture)
        }
    }

    private mutating func change(_ body: (inout World) -> Void) {
        worlds = Set(
            worlds.map { world in
                var world = world
                body(&world)
                return world
            })
    }

    // MARK: Observations

    /// Records the deliveries of concurrent loads, in the order in which the loads started.
    ///
    /// - Parameter cancelled: The indices of the loads that were cancelled while they ran.
    /// - Returns: Nil if the model allows the observation, otherwise the allowed results.
    package mutating func observe(
        _ loads: [ReferenceLoad], cancelled: Set<Int> = [], delivered: [[ReferenceDelivery]]
    ) -> [[[ReferenceDelivery]]]? {
        let progress = loads.enumerated().map { Progress($1, mayBeCancelled: cancelled.contains($0)) }
        let ends = Exploration(answer: answer, resource: resource).ends(from: worlds, progress)
        func isSeen(_ end: Exploration.End) -> Bool {
            zip(zip(loads, end.delivered), delivered).allSatisfy { $0.0.form.shows($0.1) == $1 }
        }
        let fitting = ends.filter(isSeen)
        guard fitting.isEmpty else {
            worlds = Set(fitting.map(\.world))
            return nil
        }
        return Array(Set(ends.map { end in zip(loads, end.delivered).map { $0.form.shows($1) } }))
    }

    /// Records the entry that the disk cache contains for the key of a load.
    ///
    /// - Returns: Nil if the model allows the observation, otherwise the allowed results.
    package mutating func observeDisk(_ load: ReferenceLoad, holds picture: ReferencePicture?) -> [ReferencePicture?]? {
        guard let key = load.key else { return picture == nil ? nil : [nil] }
        let fitting = worlds.filter { $0.disk[key]?.picture == picture }
        guard fitting.isEmpty else {
            worlds = fitting
            return nil
        }
        return Array(Set(worlds.map { $0.disk[key]?.picture }))
    }
}
