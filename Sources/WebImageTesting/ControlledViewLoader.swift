package import Foundation
package import WebImageCore

/// A loader for views whose loads end when a test says so, and that remembers what it was asked for.
package final class ControlledViewLoader: ViewImageLoading {
    /// One load under the test's control.
    package final class Load: WebImageOperation {
        /// What was asked for.
        package let url: URL?
        /// How.
        package let options: WebImageOptions
        private let progress: ImageLoaderProgressBlock?
        private let completed: ViewImageLoadingCompletedBlock
        private let state = Locked(State())

        private struct State {
            var isCancelled = false
            var hasEnded = false
        }

        init(
            url: URL?, options: WebImageOptions, progress: ImageLoaderProgressBlock?,
            completed: @escaping ViewImageLoadingCompletedBlock
        ) {
            self.url = url
            self.options = options
            self.progress = progress
            self.completed = completed
        }

        package var isCancelled: Bool { state.withLock { $0.isCancelled } }

        /// Only notes the cancel: that the view completes all the same is for the view to show.
        package func cancel() { state.withLock { $0.isCancelled = true } }

        /// Delivers an image on the calling thread, also after a cancel, as a careless loader would.
        package func deliver(
            _ image: Image?, error: WebImageError? = nil, from cacheType: ImageCacheType = .none, finished: Bool = true
        ) {
            if finished { state.withLock { $0.hasEnded = true } }
            completed(image, nil, error, cacheType, finished, url)
        }

        /// Reports progress on the calling thread.
        package func report(received: Int, expected: Int) { progress?(received, expected, url) }
    }

    private let started = Locked<[Load]>([])
    private let memory = Locked<[URL: Image]>([:])

    package init() {}

    /// Every load so far that memory did not answer, oldest first.
    package var loads: [Load] { started.withLock { $0 } }

    /// Makes a URL's image a memory hit.
    package func remember(_ image: Image, for url: URL) { memory.withLock { $0[url] = image } }

    package func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        let load = Load(url: url, options: options, progress: progress, completed: completed)
        if let url, let image = memory.withLock({ $0[url] }) {
            load.deliver(image, from: .memory)
        } else {
            started.withLock { $0.append(load) }
        }
        return load
    }
}
