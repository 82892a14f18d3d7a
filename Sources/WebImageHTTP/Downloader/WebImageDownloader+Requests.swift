package import Foundation
package import WebImageCore
import WebImageLoading

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
        return DownloadParameters(
            load,
            WebImageDownloaderJob(
                request, route: settings.route, priority: load.priorityHandle?.priority ?? load.priority,
                of: load.request, engine: engine),
            Self.scope(of: request, unmodified: plain, modifier: modifier, settings: settings, load: load), settings)
    }

    /// The HTTP request before the request modifier changes it.
    private func request(for load: ImageDataLoad, _ settings: DownloaderSettings) -> WebImageRequest {
        var request = settings.values.headers
        request.url = load.url
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
