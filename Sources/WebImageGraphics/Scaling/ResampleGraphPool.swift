import WebImageCore

/// The most recently used filter graphs, each lent to one caller at a time.
///
/// Computing the weights of a new graph takes a quarter of the time of its resize, and the pictures of one source often
/// have the same size. The pool keeps a few hundred kilobytes at most. Graphs that are not lent do not count as live
/// handles. Safe on any thread.
package enum ResampleGraphPool {
    private static let maxCount = 8
    /// The most recently used graph is last.
    private static let idle = Locked<[ResampleGraph]>([])

    /// The number of graphs that are not lent.
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
