public import Foundation
public import WebImageCore
public import WebImageLoading

/// A block that receives the image, its encoded data, the error, and whether this is the last call.
public typealias WebImageDownloaderCompletedBlock = ImageLoaderCompletedBlock
/// A block that receives the number of received bytes, the number of expected bytes (0 when unknown, -1 before the
/// response), and the requested URL.
public typealias WebImageDownloaderProgressBlock = ImageLoaderProgressBlock

extension WebImageDownloader: ImageLoader {
    /// The downloader accepts URLs whose scheme is `http`, `https` or `file`.
    public var capabilities: LoaderCapabilities {
        var capabilities = LoaderCapabilities(schemes: Self.webSchemes)
        capabilities.sharesPlainLoads = { [self] _ in sharesPlainLoads }
        capabilities.preparation = LoadPreparation(
            prepare: { [self] in prepare($0) }, prepareForScope: { [self] in prepareForScope($0) },
            refusalOfFile: { [self] in refusal(ofFile: $0) })
        return capabilities
    }

    private static let webSchemes = ["http", "https", "file"]

    /// Whether the URL's scheme is `http`, `https` or `file`.
    public func canLoad(_ load: ImageDataLoad) -> Bool { load.url.absoluteString.hasScheme(in: Self.webSchemes) }

    /// Whether the URL must not be loaded again after this error. The rule is the same as for other byte loaders, but
    /// the result is always false for a file, because the file may be repaired.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool {
        !load.url.isFileURL && error.shouldBlockURL
    }

    /// Returns the body of the response. Loads with the same request share one download.
    ///
    /// `progress` is called on the download's own queue. A cancelled task immediately receives `.cancelled`. If
    /// ``ImageDataLoad/cached`` is set and fresh, the cached body is returned without a request. If it is stale, it is
    /// revalidated. ``FileImageLoader`` reads `file:` URLs, unless a policy forbids it.
    /// - Throws: `.invalidURL` if the scheme of the URL is not supported or the host is missing or invalid.
    ///   `.invalidDownloadOperation` if the request cannot be made, the policy refuses it, a redirect would send its
    ///   body to a different origin, libcurl cannot be used, or the downloader was shut down. `.transport` with curl's
    ///   code and message if the transfer fails, the deadline passes, or the server redirects too often.
    ///   `.invalidDownloadStatusCode` or `.invalidDownloadContentType` if the configuration does not accept the
    ///   response. `.invalidDownloadResponse` if the head is too long, the range is wrong, or the response modifier
    ///   returns nil. `.limitExceeded` if the body exceeds the size limit. `.badImageData` if the body is empty or
    ///   cannot be decrypted. `.fileSystem` if a file cannot be read, or if the body can be stored neither in memory
    ///   nor in a file. `.cancelled` after a cancel.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        if load.url.absoluteString.hasScheme("file") { return try await read(load, progress) }
        if load.hasCached { return try await confirm(load, progress) }
        return try await fetch(load, try preparedParameters(for: load), progress: progress)
    }

    /// Returns the parameters that were made together with the load's identity, or new ones if there is none.
    private func preparedParameters(for load: ImageDataLoad) throws(WebImageError) -> DownloadParameters {
        if let parameters = load.prepared as? DownloadParameters, parameters.requestedURL == load.url {
            return parameters
        }
        return try parameters(for: load)
    }

    // This function is not inlined. Otherwise its variables would need memory in every waiting task, although most
    // tasks do not use them.
    @inline(never)
    private func confirm(
        _ load: ImageDataLoad, _ progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let plain = try preparedParameters(for: load)
        guard let cached = load.cached else { return try await fetch(load, plain, progress: progress) }
        var parameters = plain
        let revalidation = Revalidation(
            cached, plain.transfer.request, now: clock.date, verdict: load.verdict)
        switch revalidation?.decision {
        case .fresh: if let revalidation { return revalidation.freshResult }
        case .revalidate(let fields), .staleWhileRevalidate(let fields):
            if let revalidation {
                parameters = DownloadParameters(parameters, validators: revalidation.validators(fields))
            }
        case .fetch, nil: break
        }
        do throws(WebImageError) {
            var result = try await fetch(load, parameters, progress: progress)
            if result.isNotModified, let revalidation {
                if let confirmed = revalidation.confirmed(by: result) { return confirmed }
                result = try await fetch(load, plain, progress: progress)
            }
            var same = result
            same.isNotModified = result.data == cached.data
            return same
        } catch {
            if error.code != .cancelled, let revalidation, revalidation.mayServe(after: error, now: clock.date) {
                return revalidation.staleResult
            }
            throw error
        }
    }

    /// Joins the download and waits for its result. A waiting task stores the values that it uses after the wait.
    /// Thousands of tasks may wait here. To save memory, this function uses only references after the wait.
    @inline(__always)
    private func fetch(
        _ load: ImageDataLoad, _ parameters: DownloadParameters, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let subscriber = subscriber(for: load, progress)
        let ending = await withTaskCancellationHandler {
            await subscriber.waitForEnd { downloads.join(subscriber, parameters) }
        } onCancel: {
            downloads.cancel(subscriber)
        }
        load.priorityHandle?.whenChanged(nil)
        subscriber.reportEnd(ending)
        return try ending.outcome.get()
    }

    @inline(never)
    private func subscriber(for load: ImageDataLoad, _ progress: ImageLoaderProgressBlock?) -> DownloadSubscriber {
        let subscriber = DownloadSubscriber(
            load, minimumInterval: minimumProgressInterval, progress: progress)
        load.priorityHandle?.whenChanged { [downloads] in downloads.setPriority($0, of: subscriber) }
        return subscriber
    }

    private var minimumProgressInterval: Double { min(max(config.minimumProgressInterval, 0), 1) }

    /// Downloads and decodes an image. `completed` is called exactly once with `finished` set, also after a
    /// cancel.
    ///
    /// - Returns: A token that cancels this call; nil if the request could not be made, in which case `completed`
    ///   was called before this function returned.
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
        if url.isFileURL { return startReading(load, progress: progress, completed: completed) }
        do throws(WebImageError) {
            return start(load, try parameters(for: load), progress: progress, completed: completed)
        } catch {
            completed?(nil, nil, error, true)
            return nil
        }
    }

    /// Downloads and decodes an image without progress.
    @discardableResult
    public func downloadImage(
        with url: URL?, options: WebImageDownloaderOptions = [], context: WebImageContext? = nil,
        completed: WebImageDownloaderCompletedBlock?
    ) -> WebImageDownloadToken? {
        downloadImage(with: url, options: options, context: context, progress: nil, completed: completed)
    }

    private func start(
        _ load: ImageDataLoad, _ parameters: DownloadParameters,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> WebImageDownloadToken {
        let operation = DataLoadOperation(load, completed: completed)
        var load = load
        load.receivedData = parameters.decryptor == nil ? operation.partialDecoding(delivering: completed) : nil
        let subscriber = DownloadSubscriber(
            load, minimumInterval: minimumProgressInterval, operation: operation,
            progress: operation.guarding(progress))
        // The subscriber and the operation retain each other until the operation completes. Therefore the download
        // continues even if the caller releases the token.
        operation.whenCancelled { [downloads] in downloads.cancel(subscriber) }
        // The downloader cancels its downloads when it is released. Retain it until this load has completed, so that
        // the caller need not keep it.
        operation.whenDelivered { withExtendedLifetime(self) {} }
        let download = downloads.join(subscriber, parameters)
        return WebImageDownloadToken(parameters, operation, download)
    }

    /// Downloads and decodes an image for the manager, as
    /// ``downloadImage(with:options:context:progress:completed:)`` does.
    package func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        downloadImage(
            with: url, options: WebImageDownloaderOptions(options), context: context, progress: progress,
            completed: completed)
    }
}

extension WebImageDownloader {
    /// Makes the parameters of a load from the downloader's settings, the load's options and the modifiers.
    ///
    /// - Throws: `.invalidURL` for a URL that is not http or https or has no valid host. `.invalidDownloadOperation`
    ///   if a header field cannot be sent, the request modifier returned nil, or the policy refuses the URL.
    @inline(never)
    func parameters(for load: ImageDataLoad) throws(WebImageError) -> DownloadParameters {
        let settings = settings
        try Self.checkURL(load.url)
        let plain = request(for: load, settings)
        let modifier =
            load.request.requestModifier
            ?? settings.values.requestModifier
        var request = plain
        if let modifier { request = try Self.modified(plain, modifier) }
        if let field = modifier == nil ? settings.unsendableField : request.unsendableField {
            throw Self.unsendable(field, request.url)
        }
        // Use the canonical host. Otherwise two spellings of one host would not share downloads, limits and
        // credentials.
        guard let url = request.url.withCanonicalHost else { throw Self.noHost(request.url) }
        if url != request.url { request.url = url }
        if let policy = settings.values.config.policy {
            if policy.publicAddressesOnly { DecoderIsolation.suggest() }
            if let refusal = policy.refusal(of: url) { throw refusal }
        }
        var job = WebImageDownloaderJob(
            request, route: settings.route, priority: load.priorityHandle?.priority ?? load.priority,
            of: load.request, engine: engine)
        if let page = load.terms?.page { job = try job.named(by: page) }
        return DownloadParameters(
            load, job,
            scope(of: job.request, unmodified: plain, modifier: modifier, settings: settings, load: load), settings)
    }

    /// The HTTP request before the request modifier changes it.
    private func request(for load: ImageDataLoad, _ settings: DownloaderSettings) -> WebImageRequest {
        var request = settings.values.headers
        request.url = load.url
        // A value that the program has set stays.
        if let accept = load.terms?.acceptField, request.value(forHTTPHeaderField: "Accept") == Self.defaultAccept {
            request.setValue(accept, forHTTPHeaderField: "Accept")
        }
        for (field, value) in load.terms?.fields ?? [:] { request.setValue(value, forHTTPHeaderField: field) }
        request.timeoutInterval = settings.values.config.downloadTimeout
        request.httpShouldHandleCookies = load.options.contains(.handleCookies)
        request.allowsInvalidCertificates = load.options.contains(.allowInvalidSSLCertificates)
        request.maxBodyBytes =
            load.request.limits?.maxEncodedBytes
            ?? settings.values.config.maxBodyBytes
        return request
    }

    private static func checkURL(_ url: URL) throws(WebImageError) {
        let isOfTheWeb = url.scheme.map { $0.isSameIgnoringCase("http") || $0.isSameIgnoringCase("https") } ?? false
        guard isOfTheWeb, let host = url.host(), !host.isEmpty else { throw noHost(url) }
    }

    private static func noHost(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidURL, stage: .request, url: url,
            underlying: .message("not an http or https URL with a host"),
            hint: "This downloader loads http, https and file URLs; use the loaders manager for data URLs.")
    }

    private static func modified(
        _ request: WebImageRequest, _ modifier: any WebImageDownloaderRequestModifierProtocol
    ) throws(WebImageError) -> WebImageRequest {
        guard let modified = modifier.modifiedRequest(with: request) else {
            throw WebImageError(
                .invalidDownloadOperation, stage: .request, url: request.url,
                underlying: .message("the request modifier returned no request"))
        }
        if modified.url != request.url { try checkURL(modified.url) }
        return modified
    }

    private static func unsendable(_ field: String, _ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .request, url: url,
            underlying: .message("the header field \(field.debugDescription) cannot be sent"),
            hint: "Header fields must not contain line breaks, and their names no colon.")
    }
}

/// Reads `file:` URLs, for callers that use only this loader. A redirect to a `file:` URL is refused.
extension WebImageDownloader {
    package func refusal(ofFile url: URL) -> WebImageError? { config.policy?.refusal(ofFile: url) }

    @inline(never)
    func read(
        _ load: ImageDataLoad, _ progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        if let refusal = refusal(ofFile: load.url) { throw refusal }
        return try await FileImageLoader().loadData(for: load, progress: progress)
    }

    func startReading(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> WebImageDownloadToken {
        let operation = DataLoadOperation(load, completed: completed)
        let progress = operation.guarding(progress)
        let task = Task {
            do throws(WebImageError) {
                operation.receive(.success(try await read(load, progress)))
            } catch {
                operation.receive(.failure(error))
            }
        }
        operation.whenCancelled { task.cancel() }
        return WebImageDownloadToken(load.url, operation)
    }
}
