package import WebImageCore

extension WebImageError {
    /// Whether the URL itself causes the failure. In this case, every other attempt fails until the content on the
    /// server changes.
    ///
    /// False for failures that are temporary, and for failures that have other causes than the URL. Examples are the
    /// statuses 408, 425, 429 and 5xx, TLS and connection failures, cancels, exceeded limits, an empty body, and a body
    /// that the network may have replaced or damaged.
    package var shouldBlockURL: Bool {
        switch (code, underlying) {
        case (.badImageData, Self.emptyBodyCause): false
        case (.badImageData, _): !(response?.mayBeDamaged ?? false)
        case (.decoderFailed, _): crashedDecoder
        case (.invalidURL, _): true
        case (.invalidDownloadStatusCode, .http(let status)): [404, 410, 451].contains(status)
        default: false
        }
    }

    /// Returns a copy of the error with the URL and the response whose body could not be decoded.
    func received(_ original: EncodedResource) -> WebImageError {
        var copy = self
        copy.fetched = copy.fetched ?? original.fetched
        if code == .badImageData, response == nil { copy.response = original.response }
        return copy
    }
}

extension WebImageResponse {
    /// Whether a body that is no picture may be temporary. There are three cases.
    /// - A text was sent instead of a picture. Captive portals answer every URL with a page and status 200, and some
    ///   servers send their errors in this way.
    /// - The body has a content coding, whose stream may be damaged.
    /// - The body ends with the connection, so it may be incomplete (RFC 9112 §6.3).
    fileprivate var mayBeDamaged: Bool {
        guard statusCode != nil else { return false }
        if let type = mimeType, Self.isText(type) { return true }
        let coding = value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? "identity"
        if coding != "identity" { return true }
        return httpVersion?.hasPrefix("HTTP/1") == true && value(forHTTPHeaderField: "content-length") == nil
            && value(forHTTPHeaderField: "transfer-encoding") == nil
    }

    /// Whether a media type is a text. XML under `image/` is a picture.
    private static func isText(_ type: String) -> Bool {
        type.hasPrefix("text/") || textTypes.contains(type) || type.hasSuffix("+xml") && !type.hasPrefix("image/")
    }

    private static let textTypes: Set<String> = ["application/xml", "application/json", "application/problem+json"]
}
