import CWebImageCurl
import Foundation
import WebImageCore

extension CurlTransfer {
    /// Sets every option of the transfer, or only those that differ when the handle was prepared for an equal one.
    func configure(_ easy: CurlEasy, cookies: CurlCookieJar?) {
        if isPlain, let prepared = easy.prepared, order.needsTheSameOptions(as: prepared) {
            setOwn(easy)
        } else {
            easy.reset()
            setAll(easy, cookies: cookies)
            if isPlain { easy.prepared = order }
        }
    }

    /// Whether its handle may keep its options for the next transfer: none of them is specific to this one.
    private var isPlain: Bool {
        let request = order.request
        return request.url.user() == nil && request.httpMethod == "GET" && request.httpBody == nil
            && !request.httpShouldHandleCookies
            && order.route.members.username == nil && !checksAddresses && !needsFreshConnection
    }

    private func setOwn(_ easy: CurlEasy) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_URL, url.absoluteString)
        // Over TLS the handshake shows whether streams can share the connection. Without TLS only the first response
        // does, so one silent request would delay every other one to its host.
        easy.set(CURLOPT_PIPEWAIT, url.scheme?.isSameIgnoringCase("https") == true ? 1 : 0)
        easy.set(CURLOPT_STREAM_WEIGHT, order.priority.streamWeight)
        easy.set(CURLOPT_HEADERDATA, pointer: context)
        easy.set(CURLOPT_WRITEDATA, pointer: context)
    }

    private func setAll(_ easy: CurlEasy, cookies: CurlCookieJar?) {
        setOwn(easy)
        setBasics(easy)
        setMethod(easy)
        setTLS(easy)
        easy.setHeaders(Self.headerLines(order.request))
        let route = order.route.members
        if let username = route.username { easy.set(CURLOPT_USERNAME, username) }
        if let password = route.password { easy.set(CURLOPT_PASSWORD, password) }
        // CURLAUTH_BASIC | CURLAUTH_DIGEST, macros with casts; CURLAUTH_ANY would add schemes that hand out system identities.
        easy.set(CURLOPT_HTTPAUTH, 0b11)
        if order.request.httpShouldHandleCookies, let cookies {
            easy.set(CURLOPT_SHARE, pointer: cookies.pointer)
            easy.set(CURLOPT_COOKIEFILE, "")
        }
        if let proxy = route.proxy { easy.set(CURLOPT_PROXY, proxy) }
        easy.setResolved(route.resolved)
        if needsFreshConnection { easy.set(CURLOPT_FRESH_CONNECT, 1) }
        if checksAddresses { installAddressChecks(easy) }
        easy.set(CURLOPT_HEADERFUNCTION, function: takeHeaderLine)
        easy.set(CURLOPT_WRITEFUNCTION, function: takeBodyBytes)
    }

    private func setBasics(_ easy: CurlEasy) {
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Without this option, removing a handle during name resolution waits for the resolver's thread.
        easy.set(CURLOPT_QUICK_EXIT, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, order.followsRedirects ? 1 : 0)
        // A proxy's response to CONNECT is not a response of the origin.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        easy.set(CURLOPT_MAXREDIRS, order.route.members.maxRedirects)
        easy.set(CURLOPT_ACCEPT_ENCODING, "")
        easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        easy.set(CURLOPT_BUFFERSIZE, 64 * 1024)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(idleTimeout * 1000))
        easy.set(CURLOPT_MAXFILESIZE_LARGE, bytes: maxBodyBytes == .max ? 0 : maxBodyBytes)
    }

    private func setMethod(_ easy: CurlEasy) {
        let request = order.request
        // Not a custom method: curl would keep it when a redirect requires GET.
        if request.httpMethod == "POST" { easy.set(CURLOPT_POST, 1) }
        if let body = request.httpBody ?? (request.httpMethod == "POST" ? Data() : nil) {
            easy.set(CURLOPT_POSTFIELDSIZE_LARGE, bytes: body.count)
            body.withUnsafeBytes { bytes in
                // Curl copies the bytes; an empty body still needs an address.
                var nothing: UInt8 = 0
                withUnsafeMutablePointer(to: &nothing) { fallback in
                    let start = bytes.baseAddress.map(UnsafeMutableRawPointer.init(mutating:))
                    easy.set(CURLOPT_COPYPOSTFIELDS, pointer: start ?? UnsafeMutableRawPointer(fallback))
                }
            }
        }
        switch request.httpMethod {
        case "GET" where request.httpBody == nil: break
        case "POST": break
        case "HEAD": easy.set(CURLOPT_NOBODY, 1)
        case let method: easy.set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    private func setTLS(_ easy: CurlEasy) {
        if order.request.allowsInvalidCertificates {
            easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        let route = order.route.members
        if let file = route.certificateAuthorityFile { easy.set(CURLOPT_CAINFO, file) }
        guard let certificate = route.clientCertificate else { return }
        easy.set(CURLOPT_SSLCERT, certificate.certificateFile)
        easy.set(CURLOPT_SSLKEY, certificate.keyFile ?? certificate.certificateFile)
        if let password = certificate.password { easy.set(CURLOPT_KEYPASSWD, password) }
    }

    /// The seconds without a byte after which the transfer fails.
    var idleTimeout: TimeInterval {
        let wanted = order.request.timeoutInterval
        // A value that is not positive means the default, as in SDWebImage. One day is the maximum, because curl's
        // milliseconds may overflow.
        return wanted > 0 ? min(max(wanted, 0.001), 86_400) : 15
    }

    /// Header lines in curl's notation: `Name;` sends an empty value; `Name:` would remove the header.
    static func headerLines(_ request: WebImageRequest) -> [String] {
        request.allHTTPHeaderFields.sorted { $0.key < $1.key }.map {
            $0.value.isEmpty ? "\($0.key);" : "\($0.key): \($0.value)"
        }
    }

    /// Delivers the head as parsed so far; false ends the transfer.
    func deliverParsedHead() -> Bool {
        guard !hasDeliveredHead, head.statusCode != nil, !head.isInterim else { return true }
        return deliverHead(head.response(url: effectiveURL))
    }

    /// Whether curl may send the request first without its body, to learn the server's authentication scheme, and again
    /// with the body even after a good first response.
    var mayBeSentAgain: Bool {
        order.request.httpBody != nil && (order.route.members.username != nil || url.user() != nil)
    }

    /// The URL that responds, after redirects.
    var effectiveURL: URL {
        guard let easy, easy.long(CURLINFO_REDIRECT_COUNT) > 0 else { return url }
        return easy.string(CURLINFO_EFFECTIVE_URL).flatMap { URL(string: $0) } ?? url
    }
}

extension CurlTransferRequest {
    /// Whether a handle prepared for the other request differs only in what `setOwn` sets.
    fileprivate func needsTheSameOptions(as other: CurlTransferRequest) -> Bool {
        route === other.route && request.maxBodyBytes == other.request.maxBodyBytes
            && request.timeoutInterval == other.request.timeoutInterval
            && request.allowsInvalidCertificates == other.request.allowsInvalidCertificates
            && request.allHTTPHeaderFields == other.request.allHTTPHeaderFields
    }
}

extension LoadPriority {
    /// The share of a connection's bandwidth among its streams (RFC 7540 §5.3.2); the protocol's default is 16.
    var streamWeight: Int {
        switch self {
        case .low: 4
        case .normal: 16
        case .high: 64
        }
    }
}

/// Curl's header callback: one whole line per call. Returning less than the given length stops the transfer.
private func takeHeaderLine(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let context else { return 0 }
    let length = size * count
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.noteActivity()
    guard !transfer.hasDeliveredHead else { return length }
    guard transfer.head.take(UnsafeRawBufferPointer(start: data, count: length)) else {
        transfer.refusal = .headLimit(transfer.url)
        return 0
    }
    guard transfer.head.isCertainlyFinal, !transfer.mayBeSentAgain else { return length }
    return transfer.deliverParsedHead() ? length : 0
}

/// Curl's body callback. Returning less than the given length stops the transfer.
private func takeBodyBytes(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let context else { return 0 }
    let length = size * count
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    // Curl never passes the body of a redirect here, so the parsed head is the final one.
    guard transfer.deliverParsedHead() else { return 0 }
    return transfer.deliver(UnsafeRawBufferPointer(start: data, count: length)) ? length : 0
}
