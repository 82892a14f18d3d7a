import WebImageCore
import WebImageLoading
import WebImageViews

/// The running loads for rows that have no widgets yet. Each position has at most one load.
@MainActor final class RowPrefetching {
    private var operations: [Int: any WebImageOperation] = [:]
    private var prefetchers: [ObjectIdentifier: WebImagePrefetcher] = [:]

    /// Starts the load of a position's image with a lower priority than visible rows; does nothing if this load already
    /// runs.
    func start(_ request: ImageListRequest, _ position: Int) {
        guard operations[position] == nil, let url = request.url else { return }
        let options = request.options(for: .near)
        guard let manager = request.loader as? WebImageManager else {
            operations[position] = request.loader.loadImage(
                with: url, options: options, context: request.context, progress: nil, completed: { _, _, _, _, _, _ in }
            )
            return
        }
        operations[position] = prefetcher(over: manager).prefetchURLs(
            [url], options: options, context: request.context, progress: nil, completed: nil)
    }

    /// Cancels the load of a position; a shared task continues for its other subscribers.
    func cancel(_ position: Int) { operations.removeValue(forKey: position)?.cancel() }

    func cancelAll() {
        let all = operations.values
        operations = [:]
        for operation in all { operation.cancel() }
    }

    private func prefetcher(over manager: WebImageManager) -> WebImagePrefetcher {
        let key = ObjectIdentifier(manager)
        if let prefetcher = prefetchers[key] { return prefetcher }
        let prefetcher = WebImagePrefetcher(imageManager: manager)
        prefetchers[key] = prefetcher
        return prefetcher
    }
}
