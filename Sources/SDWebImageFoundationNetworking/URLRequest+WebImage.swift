import Foundation
public import FoundationNetworking
@_exported public import SDWebImage

// Conversions for Foundation's requests and responses. The downloader uses libcurl and does not link this module.

extension URLRequest {
    /// Converts a request. Copies the URL, method, header fields, body, timeout and cookie setting.
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
    /// Converts a request. Copies the URL, method, header fields, body, timeout and cookie setting. Returns nil if the
    /// request has no URL.
    ///
    /// Ignores a body that the `URLRequest` reads from a stream.
    public init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(url: url)
        update(from: request)
    }

    /// Copies the values of `request` to this request. Removes the header fields of this request that `request` does
    /// not contain. Values for which `URLRequest` has no property, such as the limit of the body, do not change.
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
    /// Converts a response. Returns nil if the response is not an HTTP response or has no URL.
    public convenience init?(_ response: WebImageResponse) {
        guard let url = response.url, let status = response.statusCode else { return nil }
        self.init(
            url: url, statusCode: status, httpVersion: response.httpVersion,
            headerFields: response.allHeaderFields.dictionary)
    }
}

extension WebImageResponse {
    /// Converts a response. Copies the URL, status, header fields, media type and expected length.
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
    /// Creates a modifier from a block that uses `URLRequest`. If the block returns nil, the download fails.
    ///
    /// A trailing block that fits both types receives a ``WebImageRequest``; name the type to receive a `URLRequest`:
    /// `{ (request: URLRequest) in … }`.
    @_disfavoredOverload
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
    /// Creates a modifier from a block that uses `HTTPURLResponse`. If the block returns nil, the download fails.
    ///
    /// The block is called only for HTTP responses. It is not called for the response of a `file:` URL, for example.
    /// A trailing block that fits both types receives a ``WebImageResponse``; name the type to receive a response of
    /// Foundation: `{ (response: HTTPURLResponse) in … }`.
    @_disfavoredOverload
    public convenience init(urlResponse block: @escaping @Sendable (_ response: HTTPURLResponse) -> URLResponse?) {
        self.init { response in
            guard let given = HTTPURLResponse(response) else { return response }
            return block(given).map { WebImageResponse($0) }
        }
    }
}
