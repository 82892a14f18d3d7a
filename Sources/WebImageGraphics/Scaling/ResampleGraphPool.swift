import WebImageCore

/// Keeps the most recently used filter graphs and lends each to one user at a time.
///
/// Computing the weights of a new graph takes a quarter of the time of the resize itself, and the pictures of one
/// source often have the same size. The pool keeps a few hundred kilobytes at most. Idle graphs do not count as live
/// handles. Safe on any thread.
package enum ResampleGraphPool {
    private static let maxCount = 8
    /// Ordered by use; the most recently used is the last.
    private static let idle = Locked<[ResampleGraph]>([])

    /// The number of idle graphs.
    package static var count: Int { idle.withLock { $0.count } }

    /// Lends a graph for one resize.
    static func withGraph(
        _ shape: ResampleGraph.Shape, _ body: (ResampleGraph) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        let known = idle.withLock { graphs in
            graphs.lastIndex { $0.shape == shape }.map { graphs.remove(at: $0) }
        }
        let graph = if let known { known } else { try ResampleGraph(shape) }
        HandleLedger.opened("zimg graph")
        defer {
            HandleLedger.closed("zimg graph")
            let dropped = idle.withLock { graphs in
                graphs.append(graph)
                return graphs.count > maxCount ? graphs.removeFirst() : nil
            }
            // Freed here, outside the lock.
            withExtendedLifetime(dropped) {}
        }
        try body(graph)
    }
}
