package import Foundation
public import WebImageCore
public import WebImageHTTP
public import WebImageLoading

/// Loads the poster of a video on a server without the whole video: the header, which can be at the end, and the frames that
/// the poster needs. Of a video of any size this is about one megabyte.
///
/// Add it to ``ImageLoadersManager``, and a coder of videos to the coders:
///
/// ```swift
/// ImageCodersManager.shared.addCoder(ImageVideoCoder.shared)
/// ImageLoadersManager.shared.addLoader(VideoPosterLoader.shared)
/// imageView.setImage(with: URL(string: "https://example.org/film.mp4"))
/// ```
///
/// It accepts http and https URLs with the file extension of a video, and with `readsUnnamed` also those without the extension
/// of a known format, such as `/media/123`. There, the first bytes of the normal answer decide: a picture costs no request and no
/// byte more, and the answer with a video is broken off. The frame is that of `.decodeVideoTime` in
/// the context's `.imageDecodeOptions`, or the first that is not black. The result is a still image: previews would need the whole video.
///
/// The coder of the load decodes, in a decoder process if `WebImageSandbox` is enabled. The process has no network: it names the
/// bytes that it needs, and this loader fetches them by range requests (RFC 9110 §14), under the downloader's policy, with
/// the credentials of the load. A server without ranges sends the whole video, which must not exceed
/// ``DecodingLimits/maxEncodedBytes``. A URL whose content is no video is loaded whole.
///
/// The parts are not stored on disk; the picture is in the memory cache like every other. Loads of the same frame share the
/// work. Safe on any thread.
public final class VideoPosterLoader: ImageLoader {
    /// The loader over the shared downloader.
    public static let shared = VideoPosterLoader()

    /// The file extensions of videos, in lower case. A URL with another one is left to other loaders.
    public static let pathExtensions: Set<String> = [
        "mp4", "m4v", "mov", "qt", "3gp", "webm", "mkv", "avi", "ts", "m2ts", "mts", "ogv",
    ]

    /// The most bytes of a video that are fetched in parts. When they are used up, the best frame so far is the poster.
    public let maxBytes: Int
    /// The most requests for the parts of a video.
    public let maxRequests: Int
    /// The time after which no further part is requested.
    public let maxDuration: Duration
    /// Whether URLs are accepted whose file extension is that of no known format.
    public let readsUnnamed: Bool
    private let source: any PartLoader
    private let schemes: [String]

    /// The loader accepts only `http:` and `https:` URLs, and those of a bucket if it reads a bucket.
    public var capabilities: LoaderCapabilities {
        var capabilities = LoaderCapabilities(schemes: schemes)
        capabilities.sharesPlainLoads = source.capabilities.sharesPlainLoads
        return capabilities
    }

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - downloader: Fetches the parts. Its policy decides from where.
    ///   - readsUnnamed: Whether URLs are accepted whose file extension is that of no known format, and URLs without one.
    ///   - maxBytes: The most bytes of a video that are fetched in parts. At least 256 KiB are.
    ///   - maxRequests: The most requests for the parts of a video, at least 1.
    ///   - maxDuration: The time after which no further part is requested.
    public convenience init(
        _ downloader: WebImageDownloader = .shared, readsUnnamed: Bool = false, maxBytes: Int = 16 << 20,
        maxRequests: Int = 48, maxDuration: Duration = .seconds(60)
    ) {
        self.init(
            parts: downloader, schemes: ["http", "https"], readsUnnamed: readsUnnamed, maxBytes: maxBytes,
            maxRequests: maxRequests, maxDuration: maxDuration)
    }

    /// - Parameters:
    ///   - source: Fetches the parts.
    ///   - schemes: The schemes of the URLs that the source fetches, in lower case.
    package init(
        parts source: any PartLoader, schemes: [String], readsUnnamed: Bool = true, maxBytes: Int = 16 << 20,
        maxRequests: Int = 48, maxDuration: Duration = .seconds(60)
    ) {
        (self.source, self.schemes, self.readsUnnamed) = (source, schemes, readsUnnamed)
        (self.maxBytes, self.maxRequests, self.maxDuration) = (
            max(maxBytes, FetchedParts.firstBytes), max(maxRequests, 1), maxDuration
        )
    }

    /// What the file extension of a URL says about its content.
    package enum Name: Sendable {
        case video
        /// There is none, or it is that of no known format.
        case unknown
        /// It is that of a picture.
        case other

        package init(fileExtension: String) {
            let name = fileExtension.lowercased()
            self =
                VideoPosterLoader.pathExtensions.contains(name)
                ? .video : [.undefined, .video].contains(ImageFormat(fileExtension: name)) ? .unknown : .other
        }
    }

    /// Whether the URL has one of the loader's schemes, and the file extension of a video or one that is accepted, too.
    public func canLoad(_ load: ImageDataLoad) -> Bool {
        guard schemes.contains(load.url.scheme?.lowercased() ?? "") else { return false }
        return switch Name(fileExtension: load.url.pathExtension) {
        case .video: source.canLoad(load)
        case .unknown: readsUnnamed && source.canLoad(load)
        case .other: false
        }
    }

    /// The identity of the download, and the frame: each frame is in other parts of the video.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        var identity = source.identity(of: load)
        let time = ImageLoaderDecoding.decodingOptions(
            for: load.url, options: load.options, context: load.context
        ).video.time
        let mark = "frame \(time.map { "\($0)" } ?? "poster") "
        identity.sharing = identity.sharing.map { mark + $0 }
        identity.urlPart = identity.urlPart.map {
            ($0.lowerBound + mark.utf8.count)..<($0.upperBound + mark.utf8.count)
        }
        return identity
    }

    /// The scope of the download.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { source.cacheScope(of: load) }

    /// Returns the parts of the video that the poster needs, for the coder of the load.
    ///
    /// - Throws: `.invalidDownloadResponse` if the server sends other bytes than it was asked for, or the video changes between
    ///   two requests. `.limitExceeded` if the poster needs more bytes, requests or time than are allowed. The errors of
    ///   `WebImageDownloader` and of the coder.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        // The manager decodes the poster again as the load wishes, from the same bytes.
        try await loadData(for: load, progress: progress) { data throws(WebImageError) in
            try await load.tryDecoding(data)
        }
    }

    /// Returns the parts of the video that `read` needs.
    ///
    /// - Parameter read: Does with the bytes what the caller will do with the result. It fails with
    ///   ``WebImageCore/WebImageError/missingVideoBytes`` as long as it needs more.
    package func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?,
        reading read: @Sendable (Data) async throws(WebImageError) -> Void
    ) async throws(WebImageError) -> ImageDataResult {
        // An entry of a cache is a whole video.
        guard !load.hasCached else { return try await source.loadData(for: load, progress: progress) }
        guard case .video = Name(fileExtension: load.url.pathExtension) else {
            return try await unnamed(load, progress: progress, reading: read)
        }
        let first: ImageDataResult
        do throws(WebImageError) {
            first = try await source.loadPart(0..<FetchedParts.firstBytes, of: load, if: nil)
        } catch {
            // The server knows ranges, but not for this URL, or the video is empty.
            guard case .http(status: 416) = error.underlying else { throw error }
            return try await source.loadData(for: load, progress: progress)
        }
        guard first.response.statusCode == 206 else { return Self.delivered(first, load) }
        let answer = try VideoPart(first, asked: 0..<FetchedParts.firstBytes, of: load.url)
        guard ImageFormat(sniffing: answer.bytes) == .video else {
            return try await source.loadData(for: load, progress: progress)
        }
        return try await parts(from: answer, first, for: load, progress: progress, reading: read)
    }

    /// The least number of missing bytes for which an answer is broken off. Fewer of them arrive sooner than a new answer.
    private static let leastMissingBytes = 1 << 20

    /// Loads a URL whose content is not known before its first bytes, with the requests of a picture.
    private func unnamed(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?,
        reading read: @Sendable (Data) async throws(WebImageError) -> Void
    ) async throws(WebImageError) -> ImageDataResult {
        let first: ImageDataResult
        do throws(WebImageError) {
            first = try await source.loadStart(of: load, startBytes: FetchedParts.firstBytes, progress: progress) {
                start, total in
                total - FetchedParts.firstBytes >= Self.leastMissingBytes && ImageFormat(sniffing: start) == .video
            }
        } catch {
            // A long video is refused like a long picture, before its first byte, but its parts can be within the limit.
            guard error.code == .limitExceeded, let part = await longStart(of: load) else { throw error }
            first = part
        }
        guard first.response.statusCode == 206 else { return first }
        let answer = try VideoPart(first, asked: 0..<Int.max, of: load.url)
        return try await parts(from: answer, first, for: load, progress: progress, reading: read)
    }

    /// The first part of a video that exceeds the limit for whole bodies; nil if it is none.
    private func longStart(of load: ImageDataLoad) async -> ImageDataResult? {
        do throws(WebImageError) {
            let part = try await source.loadPart(0..<FetchedParts.firstBytes, of: load, if: nil)
            let isVideo = part.response.statusCode == 206 && ImageFormat(sniffing: part.data) == .video
            return isVideo ? part : nil
        } catch {
            return nil
        }
    }

    private func parts(
        from start: VideoPart, _ first: ImageDataResult, for load: ImageDataLoad, progress: ImageLoaderProgressBlock?,
        reading read: @Sendable (Data) async throws(WebImageError) -> Void
    ) async throws(WebImageError) -> ImageDataResult {
        var stored = start.stored
        let mostBytes = min(maxBytes, load.maxEncodedBytes - VideoParts.mostTableBytes)
        var parts = FetchedParts(start: start.bytes, byteCount: start.byteCount, mostBytes: mostBytes)
        let end = ContinuousClock.now + maxDuration
        var (requests, isFinal) = (1, false)
        while true {
            progress?(parts.fetchedBytes, 0, load.url)
            let data = parts.joined(isFinal: isFinal)
            do throws(WebImageError) {
                try await read(data)
                var result = ImageDataResult(data: data, response: Self.response(first.response, of: data))
                result.mayBeStored = parts.isWhole && first.mayBeStored
                // Without a strong validator, nothing shows that all parts are of the video that a validator names.
                let isOne = parts.isWhole && (requests == 1 || start.validator != nil)
                result.metadata = stored?.leading(to: stored, keepsValidators: isOne).serialized
                return Self.delivered(result, load)
            } catch {
                guard let missing = error.missingVideoBytes else {
                    throw isFinal && error.code == .badImageData ? tooLarge(parts, load.url) : error
                }
                guard !isFinal, requests < maxRequests, ContinuousClock.now < end,
                    let range = parts.next(for: missing)
                else {
                    // A reader that still names missing bytes is broken.
                    guard !isFinal else { throw error.with(url: load.url) }
                    isFinal = true
                    continue
                }
                requests += 1
                let result = try await source.loadPart(range, of: load, if: start.validator)
                // The video has changed, and the server sends the new one, or does not continue to send parts.
                guard result.response.statusCode == 206 else { return Self.delivered(result, load) }
                let part = try VideoPart(result, asked: range, of: load.url)
                guard part.isOfTheSameVideo(as: start) else { throw VideoPart.changed(load.url) }
                parts.add(part.bytes, at: range.lowerBound)
                // A later part can come from another server.
                stored = stored?.leading(to: part.stored, keepsValidators: true)
            }
        }
    }

    private func tooLarge(_ parts: FetchedParts, _ url: URL) -> WebImageError {
        var error = WebImageError.limit(
            .encodedBytes, actual: parts.byteCount, allowed: parts.fetchedBytes, stage: .download
        ).with(url: url)
        error.hint =
            "The poster needs more than \(parts.fetchedBytes) bytes of the video; raise the limits of VideoPosterLoader."
        return error
    }

    private static func delivered(_ result: ImageDataResult, _ load: ImageDataLoad) -> ImageDataResult {
        load.receivedData?(result.data, result.response)
        return result
    }

    /// The head of the first response, for the parts as a whole.
    private static func response(_ head: WebImageResponse, of data: Data) -> WebImageResponse {
        var fields: [String: String] = [:]
        // Those that decide who may use the picture, and for how long.
        for name in ["content-type", "cache-control", "expires", "date", "age", "vary", "set-cookie"] {
            fields[name] = head.value(forHTTPHeaderField: name)
        }
        return WebImageResponse(
            url: head.url, statusCode: 200, allHeaderFields: fields, expectedContentLength: data.count,
            mimeType: head.mimeType, httpVersion: head.httpVersion)
    }
}
