public import Foundation
public import WebImageCore

/// The image, its encoded data, the failure, and whether this is the last call.
public typealias WebImageDownloaderCompletedBlock = ImageLoaderCompletedBlock
/// Bytes received, bytes expected (0 when unknown, -1 before anything is known), and the URL asked for.
public typealias WebImageDownloaderProgressBlock = ImageLoaderProgressBlock

extension WebImageDownloader: ImageDataLoader, SchemeBoundLoader {
    package var schemes: [String] { ["http", "https"] }

    /// Whether the URL's scheme is `http` or `https`.
    public func canRequestImage(for url: URL?) -> Bool { hasScheme(of: url) }

    /// The body of the answer, from the download under way if there is one for the same request.
    ///
    /// Progress is called on a queue of the download's. A cancelled task resumes at once with `.cancelled`.
    /// - Throws: `.transport` with curl's code and words, `.invalidDownloadStatusCode`, `.invalidDownloadContentType`,
    ///   `.limitExceeded`, `.badImageData` for an empty body, `.invalidURL`, `.cancelled`.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let order = try transferRequest(for: load)
        let subscriber = DownloadSubscriber(url: load.url, priority: load.priority, progress: progress)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                subscriber.whenEnded { continuation.resume(returning: $0) }
                if !subscriber.hasEnded { downloads.join(subscriber, order, acceptance: config.acceptance) }
            }
        } onCancel: {
            downloads.cancel(subscriber)
        }
        return try outcome.get()
    }

    /// Downloads and decodes a picture; `completed` is called exactly once, also after a cancel.
    ///
    /// - Returns: The caller's hold on it; nil when it failed at once, in which case `completed` was called inline.
    @discardableResult
    public func downloadImage(
        with url: URL?, options: WebImageDownloaderOptions, context: WebImageContext? = nil,
        progress: WebImageDownloaderProgressBlock?, completed: WebImageDownloaderCompletedBlock?
    ) -> WebImageDownloadToken? {
        guard let url else {
            completed?(nil, nil, .missingURL, true)
            return nil
        }
        let options = options.loadOptions
        let load = ImageDataLoad(url: url, options: options, context: context, priority: LoadPriority(options))
        do throws(WebImageError) {
            return start(load, try transferRequest(for: load), progress: progress, completed: completed)
        } catch {
            completed?(nil, nil, error, true)
            return nil
        }
    }

    /// Downloads and decodes a picture without telling progress.
    @discardableResult
    public func downloadImage(
        with url: URL?, options: WebImageDownloaderOptions = [], context: WebImageContext? = nil,
        completed: WebImageDownloaderCompletedBlock?
    ) -> WebImageDownloadToken? {
        downloadImage(with: url, options: options, context: context, progress: nil, completed: completed)
    }

    private func start(
        _ load: ImageDataLoad, _ order: CurlTransferRequest,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> WebImageDownloadToken {
        let operation = DataLoadOperation(load, completed: completed)
        let subscriber = DownloadSubscriber(
            url: load.url, priority: load.priority, progress: operation.guarding(progress))
        // The operation lives until it has completed, also when nobody keeps the token.
        subscriber.whenEnded { operation.receive($0) }
        operation.whenCancelled { [downloads] in downloads.cancel(subscriber) }
        let download = downloads.join(subscriber, order, acceptance: config.acceptance)
        return WebImageDownloadToken(order.request, operation, download)
    }

    /// The manager's entry in callback form: ``downloadImage(with:options:context:progress:completed:)``.
    public func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        downloadImage(
            with: url, options: WebImageDownloaderOptions(options), context: context, progress: progress,
            completed: completed)
    }
}
