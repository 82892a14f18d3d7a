import WebImageCore

/// A pool of the most recently used filter graphs. Each graph is used by one caller at a time.
///
/// Computing the weights of a new graph takes a quarter of the time of a resize. Pictures from one source often have
/// the same size, so a graph can often be reused. The weights of the idle graphs use 4 MiB at most; the weights for a photo
/// use about 200 KB, with alpha twice as much. Idle graphs do not count as live handles in tests. Thread-safe.
package enum ResampleGraphPool {
    private static let maxCount = 8
    package static let maxBytes = 4 << 20
    /// The idle graphs, with the most recently used graph last.
    private static let idle = Locked<[ResampleGraph]>([])

    /// The memory of the idle graphs in bytes.
    package static var byteCount: Int { idle.withLock { bytes($0) } }

    private static func bytes(_ graphs: [ResampleGraph]) -> Int { graphs.reduce(0) { $0 + $1.shape.weightByteCount } }

    /// Calls `body` with a graph of the given shape. No other caller uses the graph meanwhile.
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
                var dropped: [ResampleGraph] = []
                while graphs.count > maxCount || bytes(graphs) > maxBytes { dropped.append(graphs.removeFirst()) }
                return dropped
            }
            // Free the removed graphs after the lock is released, so that other threads do not wait for the lock
            // meanwhile.
            withExtendedLifetime(dropped) {}
        }
        try body(graph)
    }
}
