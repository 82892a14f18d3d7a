import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// The answer to a range request, which was checked against the request.
struct VideoPart {
    let bytes: Data
    /// The number of bytes of the whole video.
    let byteCount: Int
    /// The strong `ETag`; nil if there is none. A weak one does not guarantee identical bytes (RFC 9110 §8.8.1).
    let validator: String?
    /// The head of the response as the downloader describes it for a cache; nil if it does not.
    let stored: StoredResponse?
    private let entityTag: String?
    private let lastModified: String?

    /// Reads a response with status 206. The server may send fewer bytes than it was asked for.
    ///
    /// - Throws: `.invalidDownloadResponse` if the bytes are not the requested ones.
    init(_ result: ImageDataResult, asked: Range<Int>, of url: URL) throws(WebImageError) {
        let head = result.response
        let field = head.value(forHTTPHeaderField: "content-range")
        // A part of a coded video could not be decoded without those before it.
        let coding = head.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? ""
        guard let range = ContentRange(field), range.first == asked.lowerBound, range.last < asked.upperBound,
            let total = range.total, result.data.count == range.last - range.first + 1,
            ["", "identity"].contains(coding)
        else { throw Self.wrong("the response has the range \(field ?? "none"), not \(asked)", url) }
        (bytes, byteCount) = (result.data, total)
        stored = result.metadata.flatMap(StoredResponse.init(serialized:))
        entityTag = head.value(forHTTPHeaderField: "etag")
        lastModified = head.value(forHTTPHeaderField: "last-modified")
        validator = entityTag.flatMap { $0.hasPrefix("\"") && $0.utf8.count < 1000 ? $0 : nil }
    }

    /// Whether two parts can belong to one video. A server that was asked for a part of the video with its `ETag` need not
    /// repeat the time of modification (RFC 9110 §15.3.7).
    func isOfTheSameVideo(as other: VideoPart) -> Bool {
        let isDated = lastModified == other.lastModified || lastModified == nil || other.lastModified == nil
        return byteCount == other.byteCount && entityTag == other.entityTag
            && (validator == nil ? lastModified == other.lastModified : isDated)
    }

    static func changed(_ url: URL) -> WebImageError { wrong("the video has changed between two requests", url) }

    private static func wrong(_ words: String, _ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadResponse, stage: .download, url: url, underlying: .message(words), hint: "Load it again.")
    }
}
