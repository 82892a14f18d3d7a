public import Foundation
public import WebImageCore
public import WebImageLoading

/// A loader without a network. Each load waits until the test sets an answer for the URL of the load.
public final class FakeDataLoader: ImageLoader {
    private struct State {
        var waiting: [URL: [ValueContinuation<Result<ImageDataResult, WebImageError>>]] = [:]
        var answers: [URL: Result<Data, WebImageError>] = [:]
        var loads: [ImageDataLoad] = []
        var metadata: Data?
        var cancelled: [URL] = []
    }

    private let state = Locked(State())

    /// Makes a loader without answers.
    public init() {}

    /// Every requested URL, in order.
    public var requests: [URL] { loads.map(\.url) }
    /// Every load, in order.
    public var loads: [ImageDataLoad] { state.withLock { $0.loads } }
    /// The metadata that every result contains.
    public var metadata: Data? {
        get { state.withLock { $0.metadata } }
        set { state.withLock { $0.metadata = newValue } }
    }

    /// Answers each load of `url` with the load's cached bytes, as after status 304. A load without cached bytes fails.
    public func confirm(_ url: URL) {
        answer(url, with: .success(Self.notModified))
    }

    /// Sends bytes as partial data to the loads of `url`. A load that does not accept partial data receives nothing.
    public func send(_ bytes: Data, for url: URL) {
        for load in loads where load.url == url { load.receivedData?(bytes, WebImageResponse(url: url)) }
    }

    private static let notModified = Data("not modified".utf8)
    /// The number of loads that were cancelled before they returned.
    public var cancelCount: Int { cancelledURLs.count }
    /// The URLs of the loads that were cancelled before they returned, in order.
    package var cancelledURLs: [URL] { state.withLock { $0.cancelled } }

    /// Sets the answer for `url`. All loads of `url` receive this answer: the loads that wait now, and later loads.
    public func answer(_ url: URL, with outcome: Result<Data, WebImageError>) {
        let waiting = state.withLock { state in
            state.answers[url] = outcome
            return state.waiting.removeValue(forKey: url) ?? []
        }
        for continuation in waiting { continuation.resume(returning: Self.result(outcome, url)) }
    }

    /// Records the load and returns the answer for its URL. If no answer is set, waits for ``answer(_:with:)``.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let url = load.url
        state.withLock { $0.loads.append(load) }
        let outcome = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                let known = state.withLock { state -> Result<ImageDataResult, WebImageError>? in
                    if let answer = state.answers[url] { return Self.result(answer, url) }
                    // Do not count the cancel here, because the cancellation handler counts it.
                    if Task.isCancelled { return .failure(.cancelled) }
                    state.waiting[url, default: []].append(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.cancelled.append(url)
                return state.waiting.removeValue(forKey: url) ?? []
            }
            for continuation in waiting { continuation.resume(returning: .failure(.cancelled)) }
        }
        switch outcome {
        case .failure(let error): throw error
        case .success(let found): return try delivered(found, for: load)
        }
    }

    private func delivered(
        _ found: ImageDataResult, for load: ImageDataLoad
    ) throws(WebImageError) -> ImageDataResult {
        let isConfirmation = found.data == Self.notModified
        if isConfirmation, load.cached == nil { throw WebImageError(.invalidDownloadResponse, stage: .download) }
        let data = isConfirmation ? load.cached?.data ?? found.data : found.data
        var result = ImageDataResult(data: data, response: found.response)
        result.isNotModified = isConfirmation
        result.metadata = metadata
        return result
    }

    /// Returns the cache scope that the load declares; `.shared` if the load declares no scope.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { load.declaredScope ?? .shared }

    /// Blocks URLs of images that cannot be decoded, as the downloader does.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { error.code == .badImageData }

    private static func result(_ outcome: Result<Data, WebImageError>, _ url: URL) -> Result<
        ImageDataResult, WebImageError
    > {
        outcome.map { ImageDataResult(data: $0, response: WebImageResponse(url: url)) }
    }
}
