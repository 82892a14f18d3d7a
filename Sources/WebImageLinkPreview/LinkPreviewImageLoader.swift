public import Foundation
public import WebImageCore
public import WebImageHTTP
public import WebImageLoading
import WebImagePages

/// Loads the picture of a web page: the one that the page names for previews of links to it.
///
/// Add it to ``ImageLoadersManager``, and load the address of a page like that of a picture:
///
/// ```swift
/// ImageLoadersManager.shared.addLoader(LinkPreviewImageLoader.shared)
/// imageView.setImage(with: URL(string: "https://example.org/article"))
/// ```
///
/// The address of a picture still loads the picture. ``WebImageCore/Image/linkPreview`` has the title and the site.
///
/// At most 512 KB of a page are read, with libxml2, in a decoder process if `WebImageSandbox` is enabled. The picture is the
/// first that can be loaded of those of Open Graph, Twitter cards, JSON-LD, `image_src` and microdata; then the largest icon.
/// The downloader's policy is asked about every address: the page's, that of each redirect, and the picture's. A picture of
/// another origin receives no credentials, as after a redirect. A page that leads its reader on at once (`refresh`) is followed,
/// up to three times.
///
/// The picture is stored under the page's address, as long as the page is fresh. A refresh (`.refreshCached`) asks the page.
/// Safe on any thread.
public final class LinkPreviewImageLoader: ImageLoader {
    /// The loader over the shared downloader.
    public static let shared = LinkPreviewImageLoader()

    /// Whether a page without a picture shows its icon.
    public let usesIcons: Bool
    private let downloader: WebImageDownloader

    /// The loader accepts only `http:` and `https:` URLs.
    public var capabilities: LoaderCapabilities {
        var capabilities = LoaderCapabilities(schemes: ["http", "https"])
        capabilities.sharesPlainLoads = downloader.capabilities.sharesPlainLoads
        return capabilities
    }

    private static let accept = "text/html,application/xhtml+xml,image/*;q=0.9,*/*;q=0.8"
    private static let pageTerms = FetchTerms(acceptField: accept, contentTypes: PageType.types.union(["text/plain"]))
    /// How often a page may lead to another one.
    private static let mostRefreshes = 3
    /// The longest time, in seconds, after which a page leads its reader on and counts as a redirect.
    private static let mostRefreshDelay = 5.0
    /// The most pictures and icons that are tried.
    private static let mostAttempts = 6

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - downloader: Fetches pages and pictures. Its policy decides which.
    ///   - usesIcons: Whether a page without a picture shows its icon.
    public init(_ downloader: WebImageDownloader = .shared, usesIcons: Bool = true) {
        (self.downloader, self.usesIcons) = (downloader, usesIcons)
    }

    /// Whether the page or picture does not exist, or a page names no picture. A page whose pictures failed is asked again.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool {
        guard error.code == .noPreview else { return error.shouldBlockURL }
        return error.earlierFailures.allSatisfy(\.shouldBlockURL)
    }

    /// The identity of the page's download, which differs from that of a picture at the same address.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        var identity = downloader.identity(of: Self.pageLoad(load))
        let mark = usesIcons ? "page " : "page without icon "
        identity.sharing = identity.sharing.map { mark + $0 }
        identity.urlPart = identity.urlPart.map {
            ($0.lowerBound + mark.utf8.count)..<($0.upperBound + mark.utf8.count)
        }
        return identity
    }

    /// The scope of the page's download.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { downloader.cacheScope(of: load) }

    /// Reads what a page says about itself, and loads no picture.
    ///
    /// - Throws: `.noPreview` if the address is that of a picture. `.unsupportedFormat` if libxml2 is missing. The errors of
    ///   the download.
    public func preview(of url: URL, context: WebImageContext? = nil) async throws(WebImageError) -> LinkPreview {
        let load = ImageDataLoad(url: url, context: context)
        switch try await answer(load, progress: nil) {
        case .picture: throw .noPreview(url, "the URL is not that of a page", after: [])
        case .page(let preview, _): return preview
        }
    }

    /// Returns the picture of a page, or the picture at the address itself.
    ///
    /// - Throws: `.noPreview` if the page names no picture, or none of them can be loaded; `earlierFailures` has their errors.
    ///   `.unsupportedFormat` if libxml2 is missing. `.limitExceeded` if the page takes too long. The errors of
    ///   `WebImageDownloader`.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        switch try await answer(load, progress: progress) {
        case .picture(let result): return result
        case .page(let preview, let page):
            return try await picture(of: preview, on: page, for: load, progress: progress)
        }
    }

    // MARK: Pages

    private enum Answer: Sendable {
        /// A picture, or the confirmation of a cached one.
        case picture(ImageDataResult)
        case page(LinkPreview, FetchedPage)
    }

    private static func pageLoad(_ load: ImageDataLoad) -> ImageDataLoad {
        var load = load
        load.terms = pageTerms
        load.prepared = nil
        load.finishedAfterCancel = nil
        return load
    }

    /// Fetches the address, and further pages to which the page leads.
    private func answer(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> Answer {
        var answer = try await answerOnce(Self.pageLoad(load), progress: progress)
        guard case .page(_, let first) = answer else { return answer }
        for _ in 0..<Self.mostRefreshes {
            guard case .page(let preview, let page) = answer, preview.pictureURLs.isEmpty,
                let (next, seconds) = page.refresh, seconds <= Self.mostRefreshDelay
            else { break }
            var further = Self.pageLoad(load)
            further.url = next
            further.cached = nil
            further.terms = FetchTerms(
                acceptField: Self.accept, contentTypes: Self.pageTerms.contentTypes, page: page.url)
            answer = try await answerOnce(further, progress: progress)
        }
        guard case .page(let preview, var page) = answer, page.url != first.url else { return answer }
        // The address that the caller knows decides how long the picture is fresh. Its validators say nothing about the page
        // to which it leads.
        page.stored = first.stored?.leading(to: page.stored, keepsValidators: false)
        page.mayBeStored = page.mayBeStored && first.mayBeStored
        page.mayBeShared = page.mayBeShared && first.mayBeShared
        return .page(preview, page)
    }

    private func answerOnce(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> Answer {
        switch try await fetch(load, progress: progress) {
        case .picture(let result): return .picture(result)
        case .fetched(var page):
            let content = try await read(page, load)
            page.refresh = LinkPreview.refresh(content, url: page.url)
            return .page(LinkPreview(content, url: page.url), page)
        }
    }

    private enum Fetched: Sendable {
        case picture(ImageDataResult)
        case fetched(FetchedPage)
    }

    private func fetch(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> Fetched {
        let download = PageDownload()
        var load = load
        let receivedData = load.receivedData
        if let receivedData {
            // The bytes of a page are no part of the picture.
            let isPage = Locked<Bool?>(nil)
            load.receivedData = { bytes, response in
                let skips = isPage.withLock { known in
                    let result = known ?? PageType.isPage(response, bytes.prefix(PageType.sniffedBytes))
                    known = result
                    return result
                }
                if !skips { receivedData(bytes, response) }
            }
        }
        let receivedBody = load.receivedBody
        load.receivedBody = { body, response in
            download.begin(body, response)
            if !PageType.types.contains(response.mimeType ?? "") { receivedBody?(body, response) }
        }
        let (watched, downloader) = (load, downloader)
        let task = Task { () async -> Result<ImageDataResult, WebImageError> in
            do throws(WebImageError) {
                return .success(
                    try await downloader.loadData(for: watched) { received, expected, url in
                        // The progress of a page is not that of its picture.
                        if !download.isDeclaredPage { progress?(received, expected, url) }
                    })
            } catch {
                return .failure(error)
            }
        }
        download.whenFull { task.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        guard !Task.isCancelled else { throw .cancelled }
        let start = download.takePage()
        switch outcome {
        case .success(let result):
            guard !result.isNotModified,
                PageType.isPage(result.response, result.data.prefix(PageType.sniffedBytes))
            else { return .picture(result) }
            return .fetched(FetchedPage(result, of: load))
        case .failure(let error):
            guard error.isCancellation, let start else { throw error }
            return .fetched(FetchedPage(start, of: load))
        }
    }

    private func read(_ page: FetchedPage, _ load: ImageDataLoad) async throws(WebImageError) -> PageContent {
        let owner = FileOwner(cacheScope(of: load))
        do throws(WebImageError) {
            return try await DecodePool.shared.run(priority: load.priorityHandle ?? LoadPriorityHandle(load.priority)) {
                () throws(WebImageError) in
                try owner.run { () throws(WebImageError) in try PageReader.read(page.bytes, charset: page.charset) }
            }
        } catch {
            throw error.with(url: load.url)
        }
    }

    // MARK: Pictures

    private func picture(
        of preview: LinkPreview, on page: FetchedPage, for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        var failures: [WebImageError] = []
        let candidates = preview.pictureURLs + (usesIcons ? preview.iconURLs : [])
        for url in candidates.prefix(Self.mostAttempts) {
            do throws(WebImageError) {
                let result = try await attempt(url, of: page, for: load, progress: progress)
                var preview = preview
                preview.chosenURL = url
                load.receivedData?(result.data, result.response)
                return Self.result(result, of: page, preview)
            } catch {
                guard !error.isCancellation else { throw error }
                failures.append(error)
            }
        }
        let words =
            candidates.isEmpty ? "the page names no picture" : "no picture that the page names can be loaded"
        throw .noPreview(load.url, words, after: failures)
    }

    private func attempt(
        _ url: URL, of page: FetchedPage, for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        var attempt = load
        attempt.url = url
        attempt.terms = FetchTerms(page: page.url)
        (attempt.cached, attempt.prepared, attempt.receivedData, attempt.receivedBody) = (nil, nil, nil, nil)
        attempt.finishedAfterCancel = nil
        let result = try await downloader.loadData(for: attempt, progress: progress)
        // A later picture may be readable.
        let coder = load.request.coder ?? ImageCodersManager.shared
        guard coder.canDecode(from: result.data), await attempt.decodes(result.data) else {
            if Task.isCancelled { throw .cancelled }
            throw WebImageError(
                .badImageData, stage: .decode, url: url, underlying: .message("no coder reads this picture"))
        }
        return result
    }

    /// The picture with what decides how long the page may be used.
    private static func result(
        _ picture: ImageDataResult, of page: FetchedPage, _ preview: LinkPreview
    ) -> ImageDataResult {
        var fields: [String: String] = [:]
        for name in ["cache-control", "expires", "date", "age", "etag", "last-modified", "vary"] {
            fields[name] = page.stored?.field(name)
        }
        let request = WebImageRequest(url: page.url)
        if !page.mayBeShared || !HTTPCachePolicy.mayShare(picture.response, to: request) {
            fields["cache-control"] = (fields["cache-control"].map { $0 + ", " } ?? "") + "private"
        }
        fields["content-type"] = picture.response.value(forHTTPHeaderField: "content-type")
        var result = ImageDataResult(
            data: picture.data,
            response: WebImageResponse(
                url: picture.response.url, statusCode: picture.response.statusCode, allHeaderFields: fields,
                expectedContentLength: picture.data.count, mimeType: picture.response.mimeType,
                httpVersion: picture.response.httpVersion))
        let stored = picture.metadata.flatMap(StoredResponse.init(serialized:))
        result.metadata = page.stored?.leading(to: stored, keepsValidators: true).serialized
        result.mayBeStored = page.mayBeStored && picture.mayBeStored
        result.extended = preview.stored
        return result
    }
}

extension WebImageError {
    static func noPreview(_ url: URL, _ words: String, after failures: [WebImageError]) -> WebImageError {
        var error = WebImageError(
            .noPreview, stage: .download, url: url, underlying: .message(words),
            hint: failures.isEmpty
                ? "Show the link without a picture." : "The earlier failures say why; show the link without a picture.")
        error.earlierFailures = failures
        return error
    }
}
