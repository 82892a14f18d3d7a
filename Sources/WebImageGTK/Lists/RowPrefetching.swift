import WebImageCore
import WebImageLoading
import WebImageViews

/// The running loads for rows that have no widgets yet, and the running loads that have lost their row. Each position has
/// at most one load.
@MainActor final class RowPrefetching {
    /// The loads of one picture.
    private struct Running {
        /// The request as the program made it.
        let request: ImageListRequest
        let operations: [any WebImageOperation]
        let place: PrefetchPlace?
    }

    private var running: [Int: Running] = [:]
    /// Loads of rows that were unbound, and of positions that now refer to other rows. The next update assigns them to
    /// rows with the same picture, and cancels the others.
    private var loose: [Running] = []
    private var prefetchers: [ObjectIdentifier: WebImagePrefetcher] = [:]

    /// Starts the load of a position's image with a lower priority than visible rows, or continues a load that has lost its
    /// row. Does nothing if the load of the position already runs.
    ///
    /// - Parameters:
    ///   - request: the request as the program made it.
    ///   - prepare: returns the request with a size and with a receiver of the image's size, which receives the position;
    ///     nil if the image must not be loaded now.
    func start(
        _ request: ImageListRequest, at position: Int, prepare: (PrefetchPlace) -> ImageListRequest?
    ) {
        guard running[position] == nil, let url = request.url else { return }
        if let index = loose.firstIndex(where: { $0.request.hasSamePicture(as: request) }) {
            let found = loose.remove(at: index)
            found.place?.position = position
            running[position] = found
            return
        }
        let place = PrefetchPlace(position)
        guard let prepared = prepare(place) else { return }
        let options = prepared.options(for: .near)
        let operation: (any WebImageOperation)?
        if let manager = prepared.loader as? WebImageManager {
            operation = prefetcher(over: manager).prefetchURLs(
                [url], options: options, context: prepared.context, progress: nil, completed: nil)
        } else {
            operation = prepared.loader.loadImage(
                with: url, options: options, context: prepared.context, progress: nil,
                completed: { _, _, _, _, _, _ in })
        }
        guard let operation else { return }
        running[position] = Running(request: request, operations: [operation], place: place)
    }

    /// Keeps the operations of an unbound row until the next update.
    func hold(_ operations: [any WebImageOperation], of request: ImageListRequest) {
        loose.append(Running(request: request, operations: operations, place: nil))
    }

    /// Returns the running loads of a request's URL, which then belong to the caller.
    ///
    /// A load that begins does not share its work with a running load at once. If the running load were cancelled before,
    /// its download would be aborted and begin again.
    func take(_ request: ImageListRequest) -> [any WebImageOperation] {
        // Two positions can have the same picture. The other position keeps its load.
        let position = running.filter { $0.value.request.url == request.url }.keys.min()
        let own = position.flatMap { running.removeValue(forKey: $0) }
        let found = loose.filter { $0.request.url == request.url }
        if !found.isEmpty { loose.removeAll { $0.request.url == request.url } }
        return (found + (own.map { [$0] } ?? [])).flatMap(\.operations)
    }

    /// A position refers to another row.
    func loosen(_ position: Int) {
        guard let load = running.removeValue(forKey: position) else { return }
        load.place?.position = nil
        loose.append(load)
    }

    /// All positions refer to other rows.
    func loosenAll() { for position in running.keys { loosen(position) } }

    /// Cancels the loads of all positions outside a range; a shared task continues for its other subscribers.
    func cancel(outside kept: Range<Int>) {
        let ended = running.keys.filter { !kept.contains($0) }
        end(ended.compactMap { running.removeValue(forKey: $0) })
    }

    /// Whether there are running loads that belong to no position.
    var hasLooseLoads: Bool { !loose.isEmpty }

    /// Whether a running load of this picture belongs to no position.
    func hasLooseLoad(of request: ImageListRequest) -> Bool {
        loose.contains { $0.request.hasSamePicture(as: request) }
    }

    /// Cancels the loads that no update has assigned to a row.
    func endLoose() {
        let all = loose
        loose = []
        end(all)
    }

    func cancelAll() {
        let all = running.values
        running = [:]
        end(Array(all))
        endLoose()
    }

    private func end(_ loads: [Running]) {
        for operation in loads.flatMap(\.operations) { operation.cancel() }
    }

    private func prefetcher(over manager: WebImageManager) -> WebImagePrefetcher {
        let key = ObjectIdentifier(manager)
        if let prefetcher = prefetchers[key] { return prefetcher }
        let prefetcher = WebImagePrefetcher(imageManager: manager)
        prefetchers[key] = prefetcher
        return prefetcher
    }
}

/// The position for which a load runs; nil while the position is unknown.
@MainActor final class PrefetchPlace {
    var position: Int?

    init(_ position: Int) { self.position = position }
}
