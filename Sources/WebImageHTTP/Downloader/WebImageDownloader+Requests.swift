import Foundation
import WebImageCore

extension WebImageDownloader {
    /// The request for a load: this downloader's header fields and limits, the load's options.
    ///
    /// - Throws: `.invalidURL` for what cannot be fetched over HTTP, `.invalidDownloadOperation` for unsendable fields.
    func transferRequest(for load: ImageDataLoad) throws(WebImageError) -> CurlTransferRequest {
        let config = config
        guard hasScheme(of: load.url), let host = load.url.host(), !host.isEmpty else {
            throw WebImageError(
                .invalidURL, stage: .request, url: load.url,
                underlying: .message("not an http or https URL with a host"),
                hint: "This downloader takes http and https; file and data URLs go to the loaders manager.")
        }
        var request = WebImageRequest(url: load.url)
        for (field, value) in headers { request.setValue(value, forHTTPHeaderField: field) }
        request.timeoutInterval = config.downloadTimeout
        request.httpShouldHandleCookies = load.options.contains(.handleCookies)
        request.allowsInvalidCertificates = load.options.contains(.allowInvalidSSLCertificates)
        request.maxBodyBytes =
            load.context?.read(.decodingLimits, as: DecodingLimits.self)?.maxEncodedBytes ?? config.maxBodyBytes
        try Self.checkSendable(request)

        var order = CurlTransferRequest(request)
        order.username = config.username
        order.password = config.password
        order.maxRedirects = max(config.maxRedirects, 0)
        order.certificateAuthorityFile = config.certificateAuthorityFile
        return order
    }

    /// A line break in a field would let its author write further fields.
    private static func checkSendable(_ request: WebImageRequest) throws(WebImageError) {
        for (field, value) in request.allHTTPHeaderFields {
            let hasBreak = (field + value).unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }
            guard hasBreak || field.isEmpty || field.contains(":") else { continue }
            throw WebImageError(
                .invalidDownloadOperation, stage: .request, url: request.url,
                underlying: .message("the header field \(field.debugDescription) cannot be sent"),
                hint: "Header fields may hold no line breaks, their names no colon.")
        }
    }
}
