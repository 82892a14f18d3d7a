package import Foundation
public import WebImageCore
import WebImageHTTP
public import WebImageLoading

/// Loads URLs such as `s3://bucket/folder/picture.jpg` from buckets of S3-compatible stores, and with `?versionId=…` one
/// version of an object.
///
/// The loader only accepts the buckets that it was made with, and sends requests only to their endpoints: a URL can name
/// neither a host nor credentials. An entry of a cache is revalidated by its entity tag; a long object is read in parts.
/// Cache tiers never receive these pictures, because they were read with credentials.
public final class S3ImageLoader: ImageLoader {
    private let clients: [String: S3Client]
    private let budget: Duration
    private let clock: any DelayClock

    /// Creates a loader of some buckets.
    ///
    /// The access key comes from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or from the shared credentials file.
    /// - Parameter buckets: One address for each bucket:
    ///   `s3://bucket[/prefix][?endpoint=https://host[:port]&region=…&style=path|host&ca=file&profile=…&access=public]`.
    ///   With a prefix, only objects below it are loaded. `profile` names one of the shared credentials file; requests to a
    ///   bucket with `access=public` are not signed. Region and endpoint default to `AWS_REGION` and `AWS_ENDPOINT_URL_S3`.
    /// - Throws: `.invalidURL` with a hint, also if two addresses have the same bucket.
    public convenience init(buckets: [String]) throws(WebImageError) {
        var configurations: [S3Configuration] = []
        for address in buckets { configurations.append(try S3Configuration(url: address)) }
        guard Set(configurations.map(\.bucket)).count == buckets.count else {
            throw S3Configuration.malformed("Each bucket has one address.")
        }
        self.init(configurations)
    }

    /// - Parameters:
    ///   - configurations: Each has another bucket.
    ///   - budget: The longest time of a load.
    package init(
        _ configurations: [S3Configuration], within budget: Duration = .seconds(60),
        clock: any DelayClock = SystemClock()
    ) {
        clients = Dictionary(configurations.map { ($0.bucket, S3Client($0, clock: clock)) }) { first, _ in first }
        (self.budget, self.clock) = (budget, clock)
    }

    /// The loader accepts only `s3:` URLs.
    public var capabilities: LoaderCapabilities { LoaderCapabilities(schemes: ["s3"]) }

    /// Whether the URL names an object of one of the buckets, below its prefix.
    public func canLoad(_ load: ImageDataLoad) -> Bool { object(load.url) != nil }

    private func object(_ url: URL) -> (name: S3ObjectName, client: S3Client)? {
        guard let name = S3ObjectName(url.absoluteString), let client = clients[name.bucket],
            name.isBelow(client.configuration.prefix)
        else { return nil }
        return (name, client)
    }

    /// Returns the object's bytes, or those of the cached entry if the object has not changed.
    ///
    /// - Throws: `.invalidURL` for another bucket or a name outside of its prefix; `.invalidDownloadStatusCode` if the
    ///   store refuses the request; `.limitExceeded` if the object is longer than the limit of the load, before its bytes
    ///   are received; `.transport` if the store cannot be reached or is too slow.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        try await loadData(for: load, progress: progress, endsEarly: nil)
    }

    private func named(_ url: URL) throws(WebImageError) -> (name: S3ObjectName, client: S3Client) {
        if let found = object(url) { return found }
        throw WebImageError(
            .invalidURL, stage: .request, url: url, underlying: .message("no object of a configured bucket"),
            hint: "Write s3://bucket/name[?versionId=…], and name the bucket when the loader is made.")
    }

    private func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?, endsEarly: (@Sendable (S3Object) -> Bool)?
    ) async throws(WebImageError) -> ImageDataResult {
        let url = load.url
        let (name, client) = try named(url)
        let request = WebImageRequest(url: url)
        let cached = load.cached
        let stored = cached?.metadata.flatMap(StoredResponse.init(serialized:))
        let sent = clock.date
        var tag: String?
        if let cached, let stored {
            let isFresh = load.verdict.map { $0(cached) == .fresh }
            switch HTTPCachePolicy().decision(stored, for: request, now: sent) {
            case _ where isFresh == true:
                return Self.result(cached.data, stored, WebImageResponse(url: url, statusCode: 304))
            case .fresh where isFresh == false: tag = stored.fields["etag"]
            case .fresh: return Self.result(cached.data, stored, WebImageResponse(url: url, statusCode: 304))
            case .revalidate, .staleWhileRevalidate: tag = stored.fields["etag"]
            case .fetch: break
            }
        }
        let most = load.request.limits?.maxEncodedBytes ?? DecodingLimits.default.maxEncodedBytes
        func read(unless tag: String?) async -> Result<S3Object, S3Failure> {
            await client.whole(
                name.key, version: name.version, unless: tag, most: most, within: budget, endsEarly: endsEarly
            ) {
                progress?($0, $1, url)
            }
        }
        var answer = await read(unless: tag)
        // A 304 with the tag of another object confirms nothing.
        if case .success(let object) = answer, object.isNotModified, let stored,
            !HTTPCachePolicy.confirms(object.response, stored)
        {
            answer = await read(unless: nil)
        }
        switch answer {
        case .failure(let failure): throw failure.error(url, most: most)
        case .success(let object) where object.isNotModified:
            guard let cached, let stored else {
                throw WebImageError(
                    .invalidDownloadResponse, stage: .download, url: url, underlying: .http(status: 304))
            }
            let response = Self.response(object, url, status: 304, length: nil)
            let merged = stored.merged(with: response, to: request, requestTime: sent, responseTime: clock.date)
            return Self.result(cached.data, merged, response)
        case .success(let object):
            if let endsEarly, let size = object.wholeSize, object.data.count < size, endsEarly(object) {
                return Self.start(object, size, of: request, sentAt: sent, receivedAt: clock.date)
            }
            let response = Self.response(object, url, status: 200, length: object.data.count)
            progress?(object.data.count, object.data.count, url)
            load.receivedData?(object.data, response)
            var result = ImageDataResult(data: object.data, response: response)
            result.mayBeStored = HTTPCachePolicy.mayStore(response, to: request)
            result.metadata =
                StoredResponse(response, to: request, requestTime: sent, responseTime: clock.date).serialized
            return result
        }
    }

    private static func start(
        _ object: S3Object, _ size: Int, of request: WebImageRequest, sentAt: TimeInterval, receivedAt: TimeInterval
    ) -> ImageDataResult {
        let head = response(object, request.url, status: 200, length: size)
        var result = ImageDataResult(start: object.data, of: head, total: size)
        result.metadata = StoredResponse(head, to: request, requestTime: sentAt, responseTime: receivedAt).serialized
        return result
    }

    /// The head of the whole object. Every request of the loader has the same fields, so `Vary` (`Origin`, in many stores)
    /// would only prevent that results are shared; cookies are never sent back.
    private static func response(_ object: S3Object, _ url: URL, status: Int, length: Int?) -> WebImageResponse {
        let fields = object.response.allHeaderFields.filter {
            !["content-range", "vary", "set-cookie"].contains($0.key.lowercased())
        }
        return WebImageResponse(
            url: url, statusCode: status, allHeaderFields: fields, expectedContentLength: length,
            mimeType: object.response.mimeType)
    }

    private static func result(
        _ data: Data, _ stored: StoredResponse, _ response: WebImageResponse
    ) -> ImageDataResult {
        var result = ImageDataResult(data: data, response: response)
        result.isNotModified = true
        result.metadata = stored.serialized
        return result
    }
}

extension S3ImageLoader: PartLoader {
    package func loadPart(
        _ range: Range<Int>, of load: ImageDataLoad, if validator: String?
    ) async throws(WebImageError) -> ImageDataResult {
        let url = load.url
        let (name, client) = try named(url)
        let sent = clock.date
        let answer = await client.get(
            name.key, version: name.version, range: range, if: validator, most: range.count, within: budget)
        switch answer {
        case .failure(let failure): throw failure.error(url, most: range.count)
        case .success(let object):
            let request = WebImageRequest(url: url)
            let head = Self.response(object, url, status: object.response.statusCode ?? 206, length: object.data.count)
            var part = head
            part.allHeaderFields["content-range"] = object.response.value(forHTTPHeaderField: "content-range")
            var result = ImageDataResult(data: object.data, response: part)
            result.mayBeStored = false
            result.metadata =
                StoredResponse(head, to: request, requestTime: sent, responseTime: clock.date).serialized
            return result
        }
    }

    package func loadStart(
        of load: ImageDataLoad, startBytes: Int, progress: ImageLoaderProgressBlock?,
        isReadInParts: @escaping @Sendable (Data, Int) -> Bool
    ) async throws(WebImageError) -> ImageDataResult {
        try await loadData(for: load, progress: progress) { object in
            guard object.data.count >= startBytes, let size = object.wholeSize else { return false }
            return isReadInParts(object.data.prefix(VideoContainer.signatureLength), size)
        }
    }
}

extension S3Failure {
    /// The failure as the error of a load.
    ///
    /// - Parameter most: The most bytes that the load accepts.
    func error(_ url: URL, most: Int) -> WebImageError {
        func status(_ status: Int, _ hint: String? = nil) -> WebImageError {
            WebImageError(
                .invalidDownloadStatusCode, stage: .download, url: url, underlying: .http(status: status), hint: hint)
        }
        func transport(_ underlying: WebImageError.Underlying) -> WebImageError {
            WebImageError(.transport, stage: .download, url: url, underlying: underlying)
        }
        switch self {
        case .missing: return status(404)
        case .forbidden(let code): return status(403, "The store refuses the access key or the object: \(code).")
        case .otherRegion(let region):
            return status(301, "The bucket is in another region\(region.map { ": \($0)" } ?? "").")
        case .refused(let number, let code): return status(number, code.isEmpty ? nil : "The store answers \(code).")
        case .busy(let number, _): return status(number)
        case .preconditionFailed, .changing: return status(412, "The object was replaced while it was read.")
        case .tooLarge:
            return .limit(.encodedBytes, actual: most + 1, allowed: most, stage: .download).with(url: url)
        // 28 is CURLE_OPERATION_TIMEDOUT.
        case .late: return transport(.curl(code: 28, message: "the store did not answer in time"))
        case .down(let text), .unconfigured(let text): return transport(.message(text))
        case .cancelled: return .cancelled.with(url: url)
        }
    }
}
