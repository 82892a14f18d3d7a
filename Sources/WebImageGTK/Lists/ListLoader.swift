import WebImageCore

/// Loads the rows of one list: what ``ScrollPrefetchPolicy`` decides, done.
@MainActor final class ListLoader {
    /// Told the size of a picture whose row has no widgets yet.
    var onSize: (@MainActor (_ position: Int, _ size: PixelSize) -> Void)?

    private let request: @MainActor (Int) -> ImageListRequest?
    private let prefetching = RowPrefetching()
    private(set) var policy: ScrollPrefetchPolicy
    private var rows: [ObjectIdentifier: RowLoad] = [:]
    private var count = 0
    private var generation = 0
    /// Whether the last update has not seen every row.
    private var isStale = false
    /// Whether the rows look at sizes: loads that do share their bytes only with their like.
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
        // After the row has joined the load, so that it goes on.
        prefetching.cancel(position)
    }

    /// Takes a row out of the list; what it loaded goes on only if it still comes soon.
    func unbind(_ row: RowLoad) {
        guard rows.removeValue(forKey: ObjectIdentifier(row)) != nil else { return }
        if let position = row.position, policy.interest(in: position) != .none { prefetch([position]) }
        row.unbind()
    }

    /// Takes note that rows were put in or taken out above a row: what was begun by position is begun anew.
    func move(_ row: RowLoad, to position: Int) {
        if !isStale { reset() }
        row.move(to: position)
    }

    /// Whether another update is to come soon, as nothing is begun while the list races.
    var isRacing: Bool { policy.isRacing }

    /// Acts on a scroll; `count` is how many rows the list has.
    func update(visible: Range<Int>, count: Int) {
        guard isStale || isRacing || visible != policy.visible || count != self.count else { return }
        isStale = false
        self.count = count
        let change = policy.update(visible: visible, count: count)
        for position in change.cancelled { prefetching.cancel(position) }
        let byPosition = Dictionary(rows.values.compactMap { row in row.position.map { ($0, row) } }) { $1 }
        // What is looked at is asked for first, then what comes soonest.
        for position in policy.visible { byPosition[position]?.want(policy.interest(in: position)) }
        for (position, row) in byPosition where policy.interest(in: position) == .none { row.want(.none) }
        for position in change.prefetch { byPosition[position]?.want(.near) }
        for position in policy.wanted where !policy.visible.contains(position) { byPosition[position]?.want(.near) }
        prefetch(change.prefetch.filter { byPosition[$0] == nil })
    }

    /// The positions mean other rows from now on.
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
