import Foundation
import WebImageCore
import WebImageLoading
import WebImageViews

/// Loads the images of one list's rows as ``ScrollPrefetchPolicy`` decides.
@MainActor final class ListLoader {
    /// Receives the size of an image whose row has no widgets yet.
    var onSize: (@MainActor (_ position: Int, _ size: PixelSize) -> Void)?

    private let request: @MainActor (Int) -> ImageListRequest?
    private let prefetching = RowPrefetching()
    private(set) var policy: ScrollPrefetchPolicy
    private var rows: [ObjectIdentifier: RowLoad] = [:]
    private var count = 0
    private var generation = 0
    /// Whether a row was bound or all positions were reset since the last update.
    private var isStale = false
    /// Whether the rows have the proportions of their images. If true, the loads of rows and the prefetch loads have a
    /// size receiver. Both kinds of load need a receiver, because a load with a receiver shares its download only with
    /// other loads that have a receiver.
    private var isFitting = false
    /// The last known size of a row's image, in pixels.
    private var lastBox: CGSize?

    init(policy: ScrollPrefetchPolicy, request: @escaping @MainActor (Int) -> ImageListRequest?) {
        self.policy = policy
        self.request = request
    }

    isolated deinit { prefetching.cancelAll() }

    /// Shows the image of a position in a row.
    func bind(_ row: RowLoad, at position: Int) {
        rows[ObjectIdentifier(row)] = row
        isStale = true
        isFitting = row.row.fittingView != nil
        row.sized = { [weak self] request in self?.sized(request) ?? request }
        row.expectedSize = { [weak self] request in self?.expectedSize(of: request)?.box }
        row.bind(request(position).map(sized), at: position, policy.interest(in: position))
        // Cancel the prefetch load only after the row has subscribed to the shared task, so that the task continues.
        prefetching.cancel(position)
    }

    /// Removes a row. If its position is still wanted, a prefetch load continues the row's load; otherwise the load is
    /// cancelled.
    func unbind(_ row: RowLoad) {
        guard rows.removeValue(forKey: ObjectIdentifier(row)) != nil else { return }
        // Use the row's own request. `request` must not be called here: if the row was removed from the model, the
        // positions that this object knows are old, and the model can be shorter.
        if let position = row.position, let request = row.request, policy.interest(in: position) != .none {
            prefetch(request, position)
        }
        row.unbind()
    }

    /// Sets a row's position after rows above it were inserted or removed. Prefetch loads are cancelled, because their
    /// positions now refer to other rows. The next update starts new prefetch loads.
    func move(_ row: RowLoad, to position: Int) {
        if !isStale { reset() }
        row.move(to: position)
    }

    /// Whether the list scrolls more than a screen per update. While this is true, no row is loaded, and the caller
    /// must update again soon. Otherwise the rows stay empty when the list stops.
    var isRacing: Bool { policy.isRacing }

    /// Starts and cancels loads after a scroll; `count` is the number of rows in the list.
    func update(visible: Range<Int>, count: Int) {
        guard isStale || isRacing || visible != policy.visible || count != self.count else { return }
        isStale = false
        self.count = count
        let change = policy.update(visible: visible, count: count)
        for position in change.cancelled { prefetching.cancel(position) }
        let byPosition = Dictionary(rows.values.compactMap { row in row.position.map { ($0, row) } }) { $1 }
        // Request the visible rows first, then the rows that become visible next.
        for position in policy.visible { byPosition[position]?.want(policy.interest(in: position)) }
        for (position, row) in byPosition where policy.interest(in: position) == .none { row.want(.none) }
        for position in change.prefetch { byPosition[position]?.want(.near) }
        for position in policy.wanted where !policy.visible.contains(position) { byPosition[position]?.want(.near) }
        prefetch(change.prefetch.filter { byPosition[$0] == nil })
    }

    /// Cancels all prefetch loads, because the positions now refer to other rows.
    func reset() {
        generation += 1
        isStale = true
        _ = policy.reset()
        prefetching.cancelAll()
    }

    private func prefetch(_ positions: [Int]) {
        for position in positions where position < count {
            if let request = request(position) { prefetch(sized(request), position) }
        }
    }

    /// Replaces the size of the view in a request by the size that the list's rows have, as soon as a row has a size. A
    /// row then need not wait for its own layout, and prefetch loads, which have no view, decode at the same size.
    private func sized(_ request: ImageListRequest) -> ImageListRequest {
        guard let wanted = request.context?[.thumbnail] as? ViewThumbnail, wanted != .fullSize,
            request.context?[.imageThumbnailPixelSize] == nil,
            let box = rows.values.lazy.compactMap({ $0.row.thumbnailBox }).first ?? lastBox
        else { return request }
        lastBox = box
        var request = request
        request.context?[.thumbnail] = nil
        request.context?[.imageThumbnailPixelSize] = box
        return request
    }

    /// The last known size that the list's rows give their images.
    private var lastGivenSize = ViewSize.unknown

    /// Returns the size that the list's rows give the image of a request that has no size; nil if the request has a size.
    private func expectedSize(of request: ImageListRequest) -> ViewSize? {
        guard request.imageManager?.isSizedByView(options: request.options, context: request.context) == true else {
            return nil
        }
        let given = rows.values.lazy.map { $0.row.imageView.state.givenSize }.first { $0 != .unknown }
        if let given { lastGivenSize = given }
        return lastGivenSize
    }

    private func prefetch(_ request: ImageListRequest, _ position: Int) {
        // Without a known size, the image would be decoded at full size.
        guard request.context?[.thumbnail] == nil || request.context?[.thumbnail] as? ViewThumbnail == .fullSize else {
            return
        }
        let expected = expectedSize(of: request)
        var request = request
        request.context?[.thumbnail] = nil
        switch expected {
        case .unknown: return
        case .box(let box):
            // A view shows a picture that is in memory at full size.
            if let url = request.url, request.loader.imageInMemory(for: url, context: request.context) != nil { return }
            request.context = (request.context ?? [:]).merging([.imageThumbnailPixelSize: box]) { $1 }
        case .full, nil: break
        }
        if isFitting {
            request.context = request.context ?? [:]
            request.context?[.pixelSizeReceiver] = sizeReceiver(for: position)
        }
        prefetching.start(request, position)
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
