import WebImageCore

/// Loads under way for rows that have no widgets yet, by position.
@MainActor final class RowPrefetching {
    private var operations: [Int: any WebImageOperation] = [:]
    private var prefetchers: [ObjectIdentifier: WebImagePrefetcher] = [:]

    /// Begins to load a position's picture, after everything visible; nothing happens when it is under way.
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

    /// Leaves the load of a position; others who wait for it keep it going.
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
