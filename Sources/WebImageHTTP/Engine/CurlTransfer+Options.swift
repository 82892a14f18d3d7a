import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore
import WebImageLoading

extension CurlTransfer {
    /// Sets every option of the transfer. If the handle is prepared for a request with equal options, sets only the
    /// options that differ for each transfer.
    func configure(_ easy: CurlEasy, cookies: CurlCookieJar?) {
        if isPlain, let prepared = easy.prepared, job.needsTheSameOptions(as: prepared.request, prepared.route) {
            setOwn(easy)
        } else {
            easy.reset()
            setAll(easy, cookies: cookies)
            if isPlain { easy.prepared = (job.request, job.route) }
        }
    }

    /// Whether the handle may keep its options for the next transfer, because the request uses none of the special
    /// options, such as credentials, cookies or a body.
    private var isPlain: Bool {
        let request = job.request
        return request.url.user() == nil && request.httpMethod == "GET" && request.httpBody == nil
            && !request.httpShouldHandleCookies
            && job.route.members.username == nil && !checksAddresses && !needsFreshConnection
    }

    private func setOwn(_ easy: CurlEasy) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_URL, url.absoluteString)
        // With TLS, wait until a connection that is being made is ready. Its handshake shows whether several requests
        // can share the connection (HTTP/2). Without TLS, only the first response shows this, so one slow response
        // would delay all other requests to the host.
        easy.set(CURLOPT_PIPEWAIT, url.scheme?.isSameIgnoringCase("https") == true ? 1 : 0)
        easy.set(CURLOPT_STREAM_WEIGHT, job.priority.streamWeight)
        easy.set(CURLOPT_HEADERDATA, pointer: context)
        easy.set(CURLOPT_WRITEDATA, pointer: context)
        easy.set(CURLOPT_PREREQDATA, pointer: context)
    }

    private func setAll(_ easy: CurlEasy, cookies: CurlCookieJar?) {
        setOwn(easy)
        setBasics(easy)
        setMethod(easy)
        setTLS(easy)
        let route = job.route.members
        easy.setHeaders(Self.headerLines(job.request, acceptsCodings: route.signature == nil))
        if let username = route.username { easy.set(CURLOPT_USERNAME, username) }
        if let password = route.password { easy.set(CURLOPT_PASSWORD, password) }
        // 0b11 is CURLAUTH_BASIC | CURLAUTH_DIGEST, which are macros that Swift cannot import. CURLAUTH_ANY is not
        // used, because it adds schemes that send the system user's identity (Negotiate, NTLM).
        easy.set(CURLOPT_HTTPAUTH, 0b11)
        if let signature = route.signature {
            // This option replaces the schemes above, so it is set after them.
            easy.set(CURLOPT_AWS_SIGV4, signature)
        }
        if let cookies {
            easy.set(CURLOPT_SHARE, pointer: cookies.pointer)
            easy.set(CURLOPT_COOKIEFILE, "")
        }
        if let proxy = route.proxy { easy.set(CURLOPT_PROXY, proxy) }
        if let path = route.unixSocket { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        easy.setResolved(route.resolved)
        if needsFreshConnection { easy.set(CURLOPT_FRESH_CONNECT, 1) }
        if checksAddresses { installAddressChecks(easy) }
        easy.set(CURLOPT_HEADERFUNCTION, function: takeHeaderLine)
        easy.set(CURLOPT_WRITEFUNCTION, function: takeBodyBytes)
        webimage_curl_set_prereq(easy.handle, checkConnection)
        connections?.follow(easy)
    }

    private func setBasics(_ easy: CurlEasy) {
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Without this option, removing a handle during name resolution would block until the resolver's thread ends.
        easy.set(CURLOPT_QUICK_EXIT, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        // The download follows redirects itself. Curl would send custom header fields to every origin.
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        // Ignore the head of a proxy's response to CONNECT, because it is not the response of the server.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        easy.set(CURLOPT_BUFFERSIZE, 64 * 1024)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(idleTimeout * 1000))
        easy.set(CURLOPT_MAXFILESIZE_LARGE, bytes: maxBodyBytes == .max ? 0 : maxBodyBytes)
    }

    private func setMethod(_ easy: CurlEasy) {
        let request = job.request
        if request.httpMethod == "POST" { easy.set(CURLOPT_POST, 1) }
        if let body = request.httpBody ?? (request.httpMethod == "POST" ? Data() : nil) {
            easy.set(CURLOPT_POSTFIELDSIZE_LARGE, bytes: body.count)
            body.withUnsafeBytes { bytes in
                // Curl copies the bytes. Even for an empty body, curl requires a pointer that is not null.
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
        if job.request.allowsInvalidCertificates {
            easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        let route = job.route.members
        if let file = route.certificateAuthorityFile {
            easy.set(CURLOPT_CAINFO, file)
            // The default of Debian's libcurl is the folder of the system's authorities, which would be trusted as well.
            easy.set(CURLOPT_CAPATH, pointer: nil)
            // The transfers of an engine share what libcurl has read, by default for a day. A server whose certificate was
            // renewed together with this file would be refused for as long.
            easy.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        }
        guard let certificate = route.clientCertificate else { return }
        easy.set(CURLOPT_SSLCERT, certificate.certificateFile)
        easy.set(CURLOPT_SSLKEY, certificate.keyFile ?? certificate.certificateFile)
        if let password = certificate.password { easy.set(CURLOPT_KEYPASSWD, password) }
    }

    /// The number of seconds without a byte after which the transfer fails.
    var idleTimeout: TimeInterval {
        let wanted = job.request.timeoutInterval
        // A value that is not positive means the default, as in SDWebImage. The maximum is one day. With larger values,
        // the number of milliseconds could overflow in curl.
        return wanted > 0 ? min(max(wanted, 0.001), 86_400) : 15
    }

    /// The header lines of a request in curl's notation. A field with an empty value is written as `Name;`, because
    /// curl interprets `Name:` as a command to remove the field.
    ///
    /// - Parameter acceptsCodings: Whether to ask for the content codings that ``ContentDecoding`` knows. A request that is
    ///   signed has only the fields that were signed.
    static func headerLines(_ request: WebImageRequest, acceptsCodings: Bool = false) -> [String] {
        let lines = request.allHTTPHeaderFields.sorted { $0.key < $1.key }.map {
            $0.value.isEmpty ? "\($0.key);" : "\($0.key): \($0.value)"
        }
        guard acceptsCodings, request.value(forHTTPHeaderField: "Accept-Encoding") == nil else { return lines }
        return lines + ["Accept-Encoding: \(ContentDecoding.acceptField)"]
    }

    /// The parsed head with the address that sent it.
    var finalHead: WebImageResponse {
        var response = head.response(url: url)
        if let remoteAddress { response.remoteAddress = remoteAddress }
        return response
    }

    /// Delivers the parsed head to the sink unless it was already delivered or is an interim head (1xx). Returns false
    /// if the transfer must end.
    func deliverParsedHead() -> Bool {
        guard !hasDeliveredHead, head.statusCode != nil, !head.isInterim else { return true }
        if head.statusCode == 408, !needsFreshConnection, job.request.httpBody == nil,
            easy?.long(CURLINFO_NUM_CONNECTS) == 0
        {
            isUnasked = true
            return false
        }
        return deliverHead(finalHead)
    }

    /// Whether the request may be sent over the connection that curl has chosen. False for a kept connection on which the
    /// server has sent bytes that belong to no request.
    func mayUseConnection(localPort: Int) -> Bool {
        guard !needsFreshConnection, easy?.long(CURLINFO_NUM_CONNECTS) == 0 else {
            connections?.didConnect(localPort: localPort, timeout: idleTimeout)
            return true
        }
        hasStrayBytes = connections?.hasBytes(localPort: localPort) ?? false
        return !hasStrayBytes
    }

    /// Whether curl may send the request twice: first without its body, to learn the authentication scheme of the
    /// server, and then with the body. In this case the first response is not final, even if its status is 200 to 299.
    var mayBeSentAgain: Bool {
        job.request.httpBody != nil && job.route.members.signature == nil
            && (job.route.members.username != nil || url.user() != nil)
    }
}

extension WebImageDownloaderJob {
    /// Whether the options for this request and for another request differ only in the options that `setOwn` sets.
    fileprivate func needsTheSameOptions(as other: WebImageRequest, _ otherRoute: CurlRoute) -> Bool {
        route === otherRoute && request.maxBodyBytes == other.maxBodyBytes
            && request.timeoutInterval == other.timeoutInterval
            && request.allowsInvalidCertificates == other.allowsInvalidCertificates
            && request.allHTTPHeaderFields == other.allHTTPHeaderFields
    }
}

extension LoadPriority {
    /// The weight that decides a stream's share of the bandwidth of an HTTP/2 connection (RFC 7540 §5.3.2). The
    /// protocol's default is 16.
    var streamWeight: Int {
        switch self {
        case .low: 4
        case .normal: 16
        case .high: 64
        }
    }
}

/// Curl's header callback, called once for each complete line. Returning less than the given length stops the
/// transfer.
private func takeHeaderLine(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let context else { return 0 }
    let length = size * count
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.noteArrival()
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
    // Curl does not call this function for the body of a response after which it sends the request again (401, 407).
    // The parsed head is therefore the final head.
    guard transfer.deliverParsedHead() else { return 0 }
    return transfer.deliver(UnsafeRawBufferPointer(start: data, count: length)) ? length : 0
}
