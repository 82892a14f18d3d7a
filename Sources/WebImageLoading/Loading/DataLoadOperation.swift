package import Foundation
package import WebImageCore

/// One load of a loader, for a caller that passes a completion block. The operation decodes the loaded bytes and
/// completes exactly once.
///
/// Decoding runs on the decode pool. The completion block runs on the context's callback queue (default: main).
package final class DataLoadOperation: WebImageOperation {
    private typealias Outcome = (result: Result<Image, WebImageError>, data: Data?)

    private let load: ImageDataLoad
    private let decodePool: DecodePool
    private let completion: Completion<Outcome>
    private let handedOut = Completion<Void>()
    private let order = DeliveryOrder()

    package init(
        _ load: ImageDataLoad, decodePool: DecodePool = .shared, completed: ImageLoaderCompletedBlock?
    ) {
        self.load = load
        self.decodePool = decodePool
        completion = Completion { [handedOut, order] outcome in
            if let completed {
                let queue = load.request.callbackQueue ?? .main
                queue.async {
                    order.last {
                        switch outcome.result {
                        case .success(let image): completed(image, outcome.data, nil, true)
                        case .failure(let error): completed(nil, nil, error, true)
                        }
                        handedOut.complete(with: ())
                    }
                }
            }
            if !order.hasWaitingEnd { handedOut.complete(with: ()) }
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
            if let image = fetched.image {
                return finish(.success(image), data: fetched.data.isEmpty ? nil : fetched.data)
            }
            let decoding = ImageLoaderDecoding.decoding(for: load.request)
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
        let decoding = ImageLoaderDecoding.decoding(for: load.request)
        let partial = PartialImageDecoder(decoding) { [weak self] in self?.deliverPartial($0, completed) }
        return { [weak self] bytes, _ in
            guard let self, !self.completion.isCompleted else { return }
            partial.append(bytes, on: self.decodePool)
        }
    }

    private func deliverPartial(_ image: Image, _ completed: @escaping ImageLoaderCompletedBlock) {
        let queue = load.request.callbackQueue ?? .main
        queue.async { [weak self] in
            guard let self, !self.completion.isCompleted else { return }
            self.order.partial { completed(image, nil, nil, false) }
        }
    }

    private func finish(_ result: Result<Image, WebImageError>, data: Data?) {
        completion.complete(with: (result, data))
    }

    private static let notModified = WebImageError(
        .cacheNotModified, stage: .download, hint: "The cached image is current.")
}

/// Calls the completion block of one load so that its last call begins after every partial call has returned.
///
/// A callback queue may run blocks on the calling threads. Then a partial image and the final image could be delivered
/// by two decode threads at the same time, and the caller could receive the partial image last.
private final class DeliveryOrder: Sendable {
    private struct State {
        var partialCalls = 0
        var hasEnded = false
        var end: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Whether the last call waits for a partial call.
    var hasWaitingEnd: Bool { state.withLock { $0.end != nil } }

    /// Runs `call`, and then the last call if it has been waiting. Does nothing if the last call has begun.
    func partial(_ call: () -> Void) {
        let runs = state.withLock { state in
            if !state.hasEnded { state.partialCalls += 1 }
            return !state.hasEnded
        }
        guard runs else { return }
        call()
        let end = state.withLock { state in
            state.partialCalls -= 1
            return state.partialCalls == 0 ? state.end.take() : nil
        }
        end?()
    }

    /// Runs `call` now, or after the partial calls that are running.
    func last(_ call: @escaping @Sendable () -> Void) {
        let runs = state.withLock { state in
            state.hasEnded = true
            if state.partialCalls > 0 { state.end = call }
            return state.partialCalls == 0
        }
        if runs { call() }
    }
}

extension ImageLoader {
    /// Loads with ``loadData(for:progress:)``, decodes bytes, and calls `completed` exactly once. The decode uses the coder
    /// of the context or, if there is none, the shared coders.
    package func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        guard let url else {
            completed?(nil, nil, .missingURL, true)
            return nil
        }
        var load = ImageDataLoad(url: url, options: options, context: context, priority: LoadPriority(options))
        let operation = DataLoadOperation(load, completed: completed)
        load.receivedData = operation.partialDecoding(delivering: completed)
        let progress = operation.guarding(progress)
        let task = Task { [load] in
            do throws(WebImageError) {
                operation.receive(.success(try await loadData(for: load, progress: progress)))
            } catch {
                operation.receive(.failure(error))
            }
        }
        operation.whenCancelled { task.cancel() }
        return operation
    }
}

extension WebImageError {
    /// The error of a load without a URL.
    package static let missingURL = WebImageError(
        .invalidURL, stage: .request, underlying: .message("the URL is nil"), hint: "Give a URL.")
}
