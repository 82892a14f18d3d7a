public import Foundation
public import WebImageCore

/// One load of a data loader, for a caller that passes a completion block. The operation decodes the loaded bytes and
/// completes exactly once.
///
/// Decoding runs on the decode pool. The completion block runs on the context's callback queue (default: main).
package final class DataLoadOperation: WebImageOperation {
    private typealias Outcome = (result: Result<Image, WebImageError>, data: Data?)

    private let load: ImageDataLoad
    private let decodePool: DecodePool
    private let completion: Completion<Outcome>
    private let handedOut = Completion<Void>()

    package init(
        _ load: ImageDataLoad, decodePool: DecodePool = .shared, completed: ImageLoaderCompletedBlock?
    ) {
        self.load = load
        self.decodePool = decodePool
        completion = Completion { [handedOut] outcome in
            if let completed {
                let queue = load.requestContext.callbackQueue ?? .main
                queue.async {
                    switch outcome.result {
                    case .success(let image): completed(image, outcome.data, nil, true)
                    case .failure(let error): completed(nil, nil, error, true)
                    }
                }
            }
            handedOut.complete(with: ())
        }
    }

    package var isCancelled: Bool { completion.isCancelled }

    /// Sets the action that stops the work when the operation is cancelled. If the operation is already cancelled, the
    /// action runs before this function returns.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) { completion.whenCancelled(action) }

    /// Sets an action that runs after the completion block is enqueued on the callback queue. If the queue runs blocks
    /// on the calling thread, the action runs after the completion block has run. If the completion block was enqueued
    /// before this call, the action runs immediately.
    package func whenDelivered(_ action: @escaping @Sendable () -> Void) { handedOut.whenCompleted(action) }

    package func cancel() { completion.cancel(with: (.failure(.cancelled.with(url: load.url)), nil)) }

    /// Returns a block that calls `progress` until the load has ended, and does nothing afterwards.
    package func guarding(_ progress: ImageLoaderProgressBlock?) -> ImageLoaderProgressBlock? {
        guard let progress else { return nil }
        return { [weak self] received, expected, url in
            guard let self, !self.completion.isCompleted else { return }
            progress(received, expected, url)
        }
    }

    /// Receives the bytes or the error of the loader.
    package func receive(_ result: Result<ImageDataResult, WebImageError>) {
        switch result {
        case .failure(let error): finish(.failure(error), data: nil)
        case .success(let fetched):
            guard !fetched.isNotModified else {
                return finish(.failure(Self.notModified.with(url: load.url)), data: nil)
            }
            let decoding = ImageLoaderDecoding.decoding(for: load.url, options: load.options, load.requestContext)
            decodePool.submit(
                measuring: { decoding.cost(of: fetched.data) }, priority: load.priority
            ) {
                guard !self.completion.isCompleted else { return }
                self.finish(self.decode(fetched.data, decoding), data: fetched.data)
            }
        }
    }

    private func decode(_ data: Data, _ decoding: ImageDecoding) -> Result<Image, WebImageError> {
        do throws(WebImageError) {
            return .success(try decoding.decode(data))
        } catch {
            return .failure(error.with(url: load.url))
        }
    }

    /// Returns a block that decodes the received bytes during the download and delivers partial images. Returns nil
    /// if the options do not contain `.progressiveLoad`.
    package func partialDecoding(delivering completed: ImageLoaderCompletedBlock?) -> ImageLoaderDataBlock? {
        guard load.options.contains(.progressiveLoad), let completed else { return nil }
        let decoding = ImageLoaderDecoding.decoding(for: load.url, options: load.options, load.requestContext)
        let partial = PartialImageDecoder(decoding) { [weak self] in self?.deliverPartial($0, completed) }
        return { [weak self] bytes, _ in
            guard let self, !self.completion.isCompleted else { return }
            partial.append(bytes, on: self.decodePool)
        }
    }

    private func deliverPartial(_ image: Image, _ completed: @escaping ImageLoaderCompletedBlock) {
        let queue = load.requestContext.callbackQueue ?? .main
        queue.async { [weak self] in
            guard let self, !self.completion.isCompleted else { return }
            completed(image, nil, nil, false)
        }
    }

    private func finish(_ result: Result<Image, WebImageError>, data: Data?) {
        completion.complete(with: (result, data))
    }

    private static let notModified = WebImageError(
        .cacheNotModified, stage: .download, hint: "The cached image is current.")
}

extension ImageDataLoader {
    /// Fetches the bytes with ``loadData(for:progress:)``, decodes them, and calls `completed` exactly once. The decode
    /// uses the coder of the context or, if there is none, the shared coders.
    public func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        guard let url else {
            completed?(nil, nil, .missingURL, true)
            return nil
        }
        let load = ImageDataLoad(url: url, options: options, context: context, priority: LoadPriority(options))
        let operation = DataLoadOperation(load, completed: completed)
        let progress = operation.guarding(progress)
        let task = Task {
            do throws(WebImageError) {
                operation.receive(.success(try await loadData(for: load, progress: progress)))
            } catch {
                operation.receive(.failure(error))
            }
        }
        operation.whenCancelled { task.cancel() }
        return operation
    }

    /// Whether the URL itself causes the failure: the URL is malformed, its content is not an image, or the HTTP
    /// status is 404, 410 or 451.
    public func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool { error.shouldBlockURL }
}

extension WebImageError {
    /// The error of a load without a URL.
    package static let missingURL = WebImageError(
        .invalidURL, stage: .request, underlying: .message("the URL is nil"), hint: "Give a URL.")
}
