import Foundation
import WebImageCore
import WebImageLoading
import WebImageViews

/// Loads the images of one list's rows as ``ScrollPrefetchPolicy`` decides.
@MainActor final class ListLoader {
    /// Receives the size of an image whose row has no widgets yet.
    var onSize: (@MainActor (_ position: Int, _ size: PixelSize) -> Void)?

    private let request: @MainActor (Int) -> ImageListRequest?
    /// The loaders of the rows' further views, one for each view of a row.
    private var further: [ListLoader] = []
    private let prefetching = RowPrefetching()
    private(set) var policy: ScrollPrefetchPolicy
    private var rows: [ObjectIdentifier: RowLoad] = [:]
    /// Rows that were unbound since the main loop ran. GTK 4.8 unbinds and binds every row below an inserted or removed
    /// row, also with the same item.
    private var leaving: [ObjectIdentifier: RowLoad] = [:]
    private var count = 0
    /// Whether a row was bound or unbound, or all positions were reset, since the last update.
    private var isStale = false
    /// Whether rows have changed their positions since the last update.
    private var hasMovedRows = false
    /// The positions whose running loads continue: the wanted positions and, after rows were inserted or removed, one more
    /// screen at each end. Without these screens, a row at the end of the wanted positions would lose its load with one
    /// change and begin it again with the next change.
    private var kept = 0..<0
    /// Whether the rows have the proportions of their images. If true, the loads of rows and the prefetch loads have a
    /// size receiver. Both kinds of load need a receiver, because a load with a receiver shares its download only with
    /// other loads that have a receiver.
    private var isFitting = false
    /// The last known size of a row's view, and the last known size that a row gives its view.
    private var (lastSize, lastGivenSize) = (ViewSize.unknown, ViewSize.unknown)

    init(policy: ScrollPrefetchPolicy, request: @escaping @MainActor (Int) -> ImageListRequest?) {
        self.policy = policy
        self.request = request
    }

    isolated deinit { prefetching.cancelAll() }

    /// Shows the image of a position in a row. A row that was unbound since the main loop ran, and that is bound to the same
    /// image, keeps its load.
    func bind(_ row: RowLoad, at position: Int) {
        while further.count < row.further.count {
            let (number, request) = (further.count, request)
            further.append(
                ListLoader(policy: policy) { position in
                    let all = request(position)?.further ?? []
                    return number < all.count ? all[number] : nil
                })
        }
        for (loader, row) in zip(further, row.further) { loader.bind(row, at: position) }
        rows[ObjectIdentifier(row)] = row
        isStale = true
        isFitting = row.row.fittingView != nil
        row.expectedSize = { [weak self] request in self?.expectedSize(of: request) }
        row.runningLoads = { [weak self] request in self?.prefetching.take(request) ?? [] }
        let request = request(position)
        if leaving.removeValue(forKey: ObjectIdentifier(row)) != nil {
            if let request, row.isServing(request) {
                if row.position != position { positionsChanged() }
                return row.rebind(request, at: position)
            }
            release(row)
        }
        // The positions that are visible now are known after the next layout.
        row.bind(request, at: position)
        // A load that is still there is for another picture.
        prefetching.loosen(position)
    }

    /// Removes a row. Its load continues until the next update, which assigns the load to a row or a prefetch of the same
    /// picture, or cancels it.
    ///
    /// - Parameter mayReturn: Whether the row may be bound again before the main loop runs.
    func unbind(_ row: RowLoad, mayReturn: Bool = false) {
        for (loader, row) in zip(further, row.further) { loader.unbind(row, mayReturn: mayReturn) }
        guard rows.removeValue(forKey: ObjectIdentifier(row)) != nil else {
            if !mayReturn, leaving.removeValue(forKey: ObjectIdentifier(row)) != nil { release(row) }
            return
        }
        isStale = true
        guard mayReturn else { return release(row) }
        if leaving.isEmpty {
            DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.releaseLeaving() } }
        }
        leaving[ObjectIdentifier(row)] = row
    }

    private func releaseLeaving() {
        let left = leaving.values
        leaving = [:]
        for row in left { release(row) }
    }

    private func release(_ row: RowLoad) {
        // Use the row's own request. The program must not be asked here: if the row was removed from the model, the
        // positions that this object knows are old, and the model can be shorter.
        let request = row.request
        let operations = row.unbind()
        if let request, !operations.isEmpty { prefetching.hold(operations, of: request) }
        isStale = true
    }

    /// Sets a row's position after rows above it were inserted or removed.
    func move(_ row: RowLoad, to position: Int) {
        for (loader, row) in zip(further, row.further) { loader.move(row, to: position) }
        positionsChanged()
        row.move(to: position)
    }

    private func positionsChanged() {
        if !hasMovedRows { reset() }
    }

    /// Whether the list scrolls more than a screen per update. While this is true, no row is loaded, and the caller
    /// must update again soon. Otherwise the rows stay empty when the list stops.
    var isRacing: Bool { policy.isRacing }

    /// Starts and cancels loads after a scroll; `count` is the number of rows in the list.
    func update(visible: Range<Int>, count: Int) {
        defer { for loader in further { loader.update(visible: visible, count: count) } }
        guard isStale || isRacing || visible != policy.visible || count != self.count else { return }
        // Rows were inserted or removed, perhaps above rows that are loaded ahead.
        if count != self.count, !hasMovedRows { reset() }
        isStale = false
        self.count = count
        let change = policy.update(visible: visible, count: count)
        kept = policy.wanted
        if hasMovedRows, !kept.isEmpty {
            let screen = policy.visible.count
            kept = max(kept.lowerBound - screen, 0)..<min(kept.upperBound + screen, count)
        }
        hasMovedRows = false
        prefetching.cancel(outside: kept)
        let byPosition = Dictionary(rows.values.compactMap { row in row.position.map { ($0, row) } }) { $1 }
        // Request the visible rows first, then the rows that become visible next.
        for position in policy.visible { byPosition[position]?.want(policy.interest(in: position)) }
        for (position, row) in byPosition where !kept.contains(position) { row.want(.none) }
        for position in change.prefetch { byPosition[position]?.want(.near) }
        for position in policy.wanted where !policy.visible.contains(position) { byPosition[position]?.want(.near) }
        for position in change.prefetch where byPosition[position] == nil && position < count {
            if let request = request(position) { prefetch(request, position) }
        }
        continueLoads(byPosition)
        prefetching.endLoose()
    }

    /// Continues the running loads of positions that are kept but not wanted.
    private func continueLoads(_ byPosition: [Int: RowLoad]) {
        for position in kept where !policy.wanted.contains(position) {
            guard prefetching.hasLooseLoads else { return }
            guard let request = request(position), prefetching.hasLooseLoad(of: request) else { continue }
            if let row = byPosition[position] { row.want(.near) } else { prefetch(request, position) }
        }
    }

    /// The positions refer to other rows. The next update decides again which rows are loaded; loads of the same pictures
    /// continue.
    func reset() {
        for loader in further { loader.reset() }
        (isStale, hasMovedRows) = (true, true)
        _ = policy.reset()
        prefetching.loosenAll()
    }

    /// Cancels all loads of the list, which no longer exists.
    func end() {
        for loader in further { loader.end() }
        releaseLeaving()
        reset()
        prefetching.cancelAll()
    }

    /// Returns the size that the list's rows give the image of a request; nil if the size of the rows does not matter. A row
    /// then need not wait for its own layout, and prefetch loads, which have no view, decode at the same size.
    private func expectedSize(of request: ImageListRequest) -> ViewSize? {
        if let wanted = request.context?[.thumbnail] as? ViewThumbnail {
            guard wanted != .fullSize, request.context?[.imageThumbnailPixelSize] == nil else { return nil }
            let size = rows.values.lazy.map { $0.row.imageView.state.allocatedSize }.first { $0 != .unknown }
            if let size { lastSize = size }
            return lastSize
        }
        guard request.imageManager?.isSizedByView(options: request.options, context: request.context) == true else {
            return nil
        }
        let given = rows.values.lazy.map { $0.row.imageView.state.givenSize }.first { $0 != .unknown }
        if let given { lastGivenSize = given }
        return lastGivenSize
    }

    private func prefetch(_ request: ImageListRequest, _ position: Int) {
        prefetching.start(request, at: position) { place in
            guard var prepared = prepared(request) else { return nil }
            if isFitting {
                prepared.context = prepared.context ?? [:]
                prepared.context?[.pixelSizeReceiver] = PixelSizeReceiver { [weak self] size in
                    MainThread.run { if let position = place.position { self?.onSize?(position, size) } }
                }
            }
            return prepared
        }
    }

    /// Returns the request of a load that has no view; nil if the image must not be loaded now.
    private func prepared(_ request: ImageListRequest) -> ImageListRequest? {
        var prepared = request
        prepared.context?[.thumbnail] = nil
        guard let size = expectedSize(of: request) else { return prepared }
        // Without a known size, the image would be decoded at full size.
        guard size != .unknown else { return nil }
        guard let box = request.box(at: size) else { return prepared }
        // A view that decodes at its own size shows a picture that is in memory at full size.
        if request.context?[.thumbnail] == nil, let url = request.url,
            request.loader.imageInMemory(for: url, context: request.context) != nil
        {
            return nil
        }
        prepared.context = (prepared.context ?? [:]).merging([.imageThumbnailPixelSize: box]) { $1 }
        return prepared
    }
}
