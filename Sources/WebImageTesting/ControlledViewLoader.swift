package import Foundation
package import WebImageCore
package import WebImageLoading
package import WebImageViews

/// A loader for views. It records every load that is not a memory hit. A recorded load delivers an image only when the
/// test calls its functions.
package final class ControlledViewLoader: ViewImageLoading {
    /// A load that the test controls.
    package final class Load: WebImageOperation {
        /// The requested URL.
        package let url: URL?
        /// The options of the load.
        package let options: WebImageOptions
        /// The box for the requested thumbnail, in pixels; nil if the load requests the full size.
        package let thumbnail: CGSize?
        private let progress: ImageLoaderProgressBlock?
        private let state: Locked<State>

        private struct State {
            var completed: ViewImageLoadingCompletedBlock?
            var isCancelled = false
        }

        init(
            url: URL?, options: WebImageOptions, thumbnail: CGSize?, progress: ImageLoaderProgressBlock?,
            completed: @escaping ViewImageLoadingCompletedBlock
        ) {
            self.url = url
            self.options = options
            self.thumbnail = thumbnail
            self.progress = progress
            state = Locked(State(completed: completed))
        }

        package var isCancelled: Bool { state.withLock { $0.isCancelled } }

        /// Records the cancel but does not call the completion of this load. The view that cancels the load must itself
        /// call the completion block of its caller.
        package func cancel() { state.withLock { $0.isCancelled = true } }

        /// Delivers an image on the calling thread. Even after a cancel, the image is delivered, so that tests can
        /// check how views handle a faulty loader.
        package func deliver(
            _ image: Image?, error: WebImageError? = nil, from cacheType: ImageCacheType = .none, finished: Bool = true
        ) {
            state.withLock { $0.completed }?(image, nil, error, cacheType, finished, url)
        }

        /// Releases the completion, as a manager does at the end of a load.
        package func releaseCompletion() {
            let completed = state.withLock { state in
                defer { state.completed = nil }
                return state.completed
            }
            withExtendedLifetime(completed) {}
        }

        /// Reports progress on the calling thread.
        package func report(received: Int, expected: Int) { progress?(received, expected, url) }
    }

    private let started = Locked<[Load]>([])
    private let memory = Locked<[URL: [String: Image]]>([:])

    package init() {}

    /// The recorded loads, oldest first. Memory hits are not recorded.
    package var loads: [Load] { started.withLock { $0 } }

    /// Releases the recorded loads and their completions.
    package func removeLoads() {
        let dropped = started.withLock { loads in
            defer { loads = [] }
            return loads
        }
        withExtendedLifetime(dropped) {}
    }

    /// Stores an image for a URL and a thumbnail size; a nil `thumbnail` means the full size. Later loads with this URL
    /// and size are memory hits.
    package func remember(_ image: Image, for url: URL, thumbnail: CGSize? = nil) {
        memory.withLock { $0[url, default: [:]]["\(thumbnail ?? .zero)"] = image }
    }

    /// Returns the remembered image for a URL and the thumbnail size of the context.
    package func imageInMemory(for url: URL, context: WebImageContext?) -> Image? {
        let size = context?[.imageThumbnailPixelSize] as? CGSize ?? .zero
        return memory.withLock { $0[url]?["\(size)"] }
    }

    /// Delivers a remembered image before this function returns, as a manager does at a memory hit. Otherwise records the
    /// load, which delivers nothing until the test calls its functions.
    package func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        let load = Load(
            url: url, options: options, thumbnail: context?[.imageThumbnailPixelSize] as? CGSize, progress: progress,
            completed: completed)
        if let url, let image = imageInMemory(for: url, context: context) {
            load.deliver(image, from: .memory)
            load.releaseCompletion()
        } else {
            started.withLock { $0.append(load) }
        }
        return load
    }
}
