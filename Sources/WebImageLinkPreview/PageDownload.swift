import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImagePages

/// Watches the download of a URL that may be a page or a picture, and ends that of a page when enough has arrived.
///
/// Any thread may use it.
final class PageDownload: Sendable {
    private struct State {
        var body: GrowingBody?
        var head: WebImageResponse?
        var time: TimeInterval = 0
        var isFull = false
        var end: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Receives the body of an attempt when its head has arrived.
    func begin(_ body: GrowingBody, _ head: WebImageResponse) {
        state.withLock { state in
            (state.body, state.head, state.time) = (body, head, Date().timeIntervalSince1970)
        }
        // The body must not retain itself by its listener.
        body.whenGrown { [weak self] in self?.grow() }
        grow()
    }

    /// Whether the head of the response says that the body is a page.
    var isDeclaredPage: Bool { state.withLock { $0.head.map { PageType.types.contains($0.mimeType ?? "") } ?? false } }

    /// Sets the function that ends the download.
    func whenFull(_ end: @escaping @Sendable () -> Void) {
        let isFull = state.withLock { state in
            state.end = end
            return state.isFull
        }
        if isFull { end() }
    }

    private func grow() {
        let end = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isFull, let body = state.body, let head = state.head, body.count() >= PageReader.mostBytes,
                PageType.isPage(head, body.piece(0).prefix(PageType.sniffedBytes))
            else { return nil }
            state.isFull = true
            return state.end
        }
        end?()
    }

    /// The start of the page whose download was ended, its head, and the time of the head. Nil if it was not ended.
    func takePage() -> (bytes: Data, head: WebImageResponse, time: TimeInterval)? {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard state.isFull, let body = state.body, let head = state.head else { return nil }
        var bytes = Data()
        while bytes.count < PageReader.mostBytes {
            let piece = body.piece(bytes.count)
            guard !piece.isEmpty else { break }
            bytes.append(piece)
        }
        return (Data(bytes.prefix(PageReader.mostBytes)), head, state.time)
    }
}

/// Tells pages from pictures.
enum PageType {
    static let sniffedBytes = 512
    static let types: Set<String> = ["text/html", "application/xhtml+xml"]
    private static let vagueTypes: Set<String> = [
        "text/plain", "text/xml", "application/xml", "application/octet-stream", "unknown/unknown",
    ]

    /// Whether a response is a page. Servers send pictures as `text/html`, and pages without a type.
    static func isPage(_ response: WebImageResponse, _ start: Data) -> Bool {
        let type = response.mimeType ?? ""
        let isDeclared = types.contains(type)
        guard isDeclared || type.isEmpty || vagueTypes.contains(type) else { return false }
        guard ImageFormat(sniffing: start) == .undefined else { return false }
        return isDeclared || looksLikePage(start)
    }

    /// Whether text begins as a page (WHATWG MIME Sniffing).
    static func looksLikePage(_ start: Data) -> Bool {
        var start = start.prefix(sniffedBytes)
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        let text = String(decoding: start.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
        return ["<!doctype html", "<html", "<head", "<title", "<meta", "<body"].contains { text.hasPrefix($0) }
            || (text.hasPrefix("<?xml") || text.hasPrefix("<!--")) && text.contains("<html")
    }

    /// The `charset` of a media type; nil if it has none.
    static func charset(_ response: WebImageResponse) -> String? {
        let parameters = (response.value(forHTTPHeaderField: "content-type") ?? "").split(separator: ";").dropFirst()
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == "charset" else {
                continue
            }
            return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'"))
        }
        return nil
    }
}

/// A page that was fetched.
struct FetchedPage: Sendable {
    var url: URL
    var bytes: Data
    var charset: String?
    /// The response as a cache stores it; nil if it can be neither fresh nor confirmed.
    var stored: StoredResponse?
    var mayBeStored: Bool
    /// Whether other users may receive what the page names.
    var mayBeShared: Bool
    /// Where the page leads its reader, and after how many seconds; nil if it leads nowhere or was not read.
    var refresh: (target: URL, seconds: Double)?
}

extension FetchedPage {
    /// A page that was received whole.
    init(_ result: ImageDataResult, of load: ImageDataLoad) {
        let response = result.response
        self.init(
            url: response.url ?? load.url, bytes: Data(result.data.prefix(PageReader.mostBytes)),
            charset: PageType.charset(response), stored: result.metadata.flatMap(StoredResponse.init(serialized:)),
            mayBeStored: result.mayBeStored,
            mayBeShared: HTTPCachePolicy.mayShare(response, to: WebImageRequest(url: load.url)))
    }

    /// A page whose download was ended. The redirects that led to it are not known, nor the fields of the request that
    /// decided the answer: such a page is never fresh.
    init(_ start: (bytes: Data, head: WebImageResponse, time: TimeInterval), of load: ImageDataLoad) {
        let request = WebImageRequest(url: load.url)
        let url = start.head.url ?? load.url
        let varies = (start.head.value(forHTTPHeaderField: "vary") ?? "accept-encoding").lowercased()
        let isPlain = url == load.url && varies == "accept-encoding"
        self.init(
            url: url, bytes: start.bytes, charset: PageType.charset(start.head),
            stored: isPlain
                ? StoredResponse(start.head, to: request, requestTime: start.time, responseTime: start.time) : nil,
            mayBeStored: HTTPCachePolicy.mayStore(start.head, to: request),
            mayBeShared: HTTPCachePolicy.mayShare(start.head, to: request))
    }
}
