import WebImageCore

/// Loads the rows of one list according to the decisions of ``ScrollPrefetchPolicy``.
@MainActor final class ListLoader {
    /// Called with the size of an image whose row has no widgets yet.
    var onSize: (@MainActor (_ position: Int, _ size: PixelSize) -> Void)?

    private let request: @MainActor (Int) -> ImageListRequest?
    private let prefetching = RowPrefetching()
    private(set) var policy: ScrollPrefetchPolicy
    private var rows: [ObjectIdentifier: RowLoad] = [:]
    private var count = 0
    private var generation = 0
    /// Whether rows were bound since the last update.
    private var isStale = false
    /// Whether rows need the sizes of images. Loads that report sizes share their downloads only with each other.
    private var isFitting = false

    init(policy: ScrollPrefetchPolicy, request: @escaping @MainActor (Int) -> ImageListRequest?) {
        self.policy = policy
        self.request = request
    }

    isolated deinit { prefetching.cancelAll() }

    /// Shows a position in a row.
    func bind(_ row: RowLoad, at position: Int) {
        rows[ObjectIdentifier(row)] = row
        isStale = true
        isFitting = row.row.fittingView != nil
        row.bind(request(position), at: position, policy.interest(in: position))
        // After the row has joined the load, so that the load continues.
        prefetching.cancel(position)
    }

    /// Unbinds a row. Its load continues only if its position becomes visible soon.
    func unbind(_ row: RowLoad) {
        guard rows.removeValue(forKey: ObjectIdentifier(row)) != nil else { return }
        if let position = row.position, policy.interest(in: position) != .none { prefetch([position]) }
        row.unbind()
    }

    /// Moves a row after rows above it were inserted or removed. Prefetches, which belong to positions, start again.
    func move(_ row: RowLoad, to position: Int) {
        if !isStale { reset() }
        row.move(to: position)
    }

    /// Whether the list needs another update soon, because no load starts during a fast scroll.
    var isRacing: Bool { policy.isRacing }

    /// Handles a scroll; `count` is the number of rows.
    func update(visible: Range<Int>, count: Int) {
        guard isStale || isRacing || visible != policy.visible || count != self.count else { return }
        isStale = false
        self.count = count
        let change = policy.update(visible: visible, count: count)
        for position in change.cancelled { prefetching.cancel(position) }
        let byPosition = Dictionary(rows.values.compactMap { row in row.position.map { ($0, row) } }) { $1 }
        // Visible rows are loaded first, then those that become visible next.
        for position in policy.visible { byPosition[position]?.want(policy.interest(in: position)) }
        for (position, row) in byPosition where policy.interest(in: position) == .none { row.want(.none) }
        for position in change.prefetch { byPosition[position]?.want(.near) }
        for position in policy.wanted where !policy.visible.contains(position) { byPosition[position]?.want(.near) }
        prefetch(change.prefetch.filter { byPosition[$0] == nil })
    }

    /// Cancels all work, because the positions now mean other rows.
    func reset() {
        generation += 1
        isStale = true
        _ = policy.reset()
        prefetching.cancelAll()
    }

    private func prefetch(_ positions: [Int]) {
        for position in positions where position < count {
            guard var request = request(position) else { continue }
            if isFitting {
                request.context = request.context ?? [:]
                request.context?[.pixelSizeReceiver] = sizeReceiver(for: position)
            }
            prefetching.start(request, position)
        }
    }

    private func sizeReceiver(for position: Int) -> PixelSizeReceiver {
        let generation = generation
        return PixelSizeReceiver { [weak self] size in
            MainThread.run {
                guard let self, self.generation == generation else { return }
                self.onSize?(position, size)
            }
        }
    }
}
