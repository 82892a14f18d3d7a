import Foundation
public import FoundationNetworking
@_exported public import SDWebImage

// The system's requests and answers at the edge of the downloader, which uses libcurl and does not link this module.

extension URLRequest {
    /// The same request: URL, method, fields, body, timeout and whether cookies are sent.
    public init(_ request: WebImageRequest) {
        self.init(url: request.url)
        httpMethod = request.httpMethod
        httpBody = request.httpBody
        httpShouldHandleCookies = request.httpShouldHandleCookies
        if request.timeoutInterval > 0 { timeoutInterval = request.timeoutInterval }
        for (name, value) in request.allHTTPHeaderFields { setValue(value, forHTTPHeaderField: name) }
    }
}

extension WebImageRequest {
    /// The same request: URL, method, fields, body, timeout and whether cookies are sent; nil without a URL.
    ///
    /// A body that is a stream is not read.
    public init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(url: url)
        update(from: request)
    }

    /// Takes over what a request of the system's says; what it cannot say, such as the bound of the body, stays.
    public mutating func update(from request: URLRequest) {
        if let url = request.url { self.url = url }
        httpMethod = request.httpMethod ?? "GET"
        httpBody = request.httpBody
        httpShouldHandleCookies = request.httpShouldHandleCookies
        timeoutInterval = request.timeoutInterval
        let fields = request.allHTTPHeaderFields ?? [:]
        let kept = Set(fields.keys.map { $0.lowercased() })
        for name in allHTTPHeaderFields.keys where !kept.contains(name.lowercased()) {
            setValue(nil, forHTTPHeaderField: name)
        }
        for (name, value) in fields { setValue(value, forHTTPHeaderField: name) }
    }
}

extension HTTPURLResponse {
    /// The same answer; nil for one that is not HTTP, or has no URL.
    public convenience init?(_ response: WebImageResponse) {
        guard let url = response.url, let status = response.statusCode else { return nil }
        self.init(
            url: url, statusCode: status, httpVersion: response.httpVersion,
            headerFields: response.allHeaderFields.dictionary)
    }
}

extension WebImageResponse {
    /// The same answer: URL, status, fields, type and length.
    public init(_ response: URLResponse) {
        let http = response as? HTTPURLResponse
        var fields: [String: String] = [:]
        for (name, value) in http?.allHeaderFields ?? [:] { fields["\(name)"] = "\(value)" }
        self.init(
            url: response.url, statusCode: http?.statusCode, allHeaderFields: fields,
            expectedContentLength: response.expectedContentLength < 0 ? nil : Int(response.expectedContentLength),
            mimeType: response.mimeType?.lowercased())
    }
}

extension WebImageDownloaderRequestModifier {
    /// A modifier whose block was written for the system's requests; nil from the block ends the download.
    public convenience init(urlRequest block: @escaping @Sendable (_ request: URLRequest) -> URLRequest?) {
        self.init { request in
            guard let changed = block(URLRequest(request)) else { return nil }
            var request = request
            request.update(from: changed)
            return request
        }
    }
}

extension WebImageDownloaderResponseModifier {
    /// A modifier whose block was written for the system's answers; nil from the block ends the download.
    ///
    /// An answer that is not HTTP, as of a `file:` URL, is passed on unchanged.
    public convenience init(urlResponse block: @escaping @Sendable (_ response: HTTPURLResponse) -> URLResponse?) {
        self.init { response in
            guard let given = HTTPURLResponse(response) else { return response }
            return block(given).map { WebImageResponse($0) }
        }
    }
}
