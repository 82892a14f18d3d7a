import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore
import WebImageLoading

/// Owns one curl easy handle and the buffer for curl's error messages.
///
/// Used only on the engine's thread. After a transfer, the handle returns to a pool. At that time the options of the
/// handle are either cleared (``reset()``) or still set (``prepared``).
final class CurlEasy {
    let handle: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var resolveList: UnsafeMutablePointer<curl_slist>?
    private let ledgerKind: String
    /// The request and route whose options are set in the handle; nil if the next transfer must set all options. The
    /// whole order would keep objects of the load.
    var prepared: (request: WebImageRequest, route: CurlRoute)?

    /// Nil if libcurl cannot be used or is out of memory.
    init?(label: String) {
        guard CurlLibrary.failure == nil, let handle = webimage_curl_easy_init() else { return nil }
        self.handle = handle
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        ledgerKind = "curl easy" + label
        HandleLedger.opened(ledgerKind)
        installErrorBuffer()
    }

    deinit {
        webimage_curl_easy_cleanup(handle)
        webimage_curl_slist_free_all(headerList)
        webimage_curl_slist_free_all(resolveList)
        errorBuffer.deallocate()
        HandleLedger.closed(ledgerKind)
    }

    /// Clears every option. Connections stay open, because they belong to the multi handle.
    func reset() {
        prepared = nil
        // `curl_easy_reset` leaks the list of cookie files (curl 7.88) and does not detach a share. Therefore clear the
        // list and then detach the share. In the other order, clearing the list would also remove the cookies of the
        // engine.
        webimage_curl_set_pointer(handle, CURLOPT_COOKIEFILE, nil)
        webimage_curl_set_pointer(handle, CURLOPT_SHARE, nil)
        webimage_curl_easy_reset(handle)
        webimage_curl_slist_free_all(headerList)
        webimage_curl_slist_free_all(resolveList)
        (headerList, resolveList) = (nil, nil)
        errorBuffer[0] = 0
        installErrorBuffer()
    }

    /// Clears the error message of the last transfer.
    func forgetMessage() { errorBuffer[0] = 0 }

    private func installErrorBuffer() {
        webimage_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer)
    }

    func set(_ option: CURLoption, _ value: Int) { webimage_curl_set_long(handle, option, value) }
    func set(_ option: CURLoption, bytes value: Int) { webimage_curl_set_offset(handle, option, curl_off_t(value)) }
    func set(_ option: CURLoption, _ value: String) { webimage_curl_set_string(handle, option, value) }
    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        webimage_curl_set_pointer(handle, option, pointer)
    }
    func set(_ option: CURLoption, function: @escaping webimage_curl_data_function) {
        webimage_curl_set_data_function(handle, option, function)
    }

    /// Sets the header lines of the request. Curl does not copy the lines, so they stay allocated until the next reset.
    func setHeaders(_ lines: [String]) {
        Self.append(lines, to: &headerList)
        webimage_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList)
    }

    /// Sets fixed addresses of hosts, as `host:port:address`. Curl does not look up these hosts in DNS.
    func setResolved(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        Self.append(lines, to: &resolveList)
        webimage_curl_set_list(handle, CURLOPT_RESOLVE, resolveList)
    }

    private static func append(_ lines: [String], to list: inout UnsafeMutablePointer<curl_slist>?) {
        for line in lines {
            guard let longer = webimage_curl_slist_append(list, line) else { break }
            list = longer
        }
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        webimage_curl_get_long(handle, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        webimage_curl_get_offset(handle, info, &value)
        return Int(value)
    }

    /// Returns curl's message for the failure of this transfer. If there is no such message, returns curl's general
    /// text for the code.
    func message(for code: CURLcode) -> String {
        let written = String(cString: errorBuffer)
        return written.isEmpty ? String(cString: webimage_curl_easy_strerror(code)) : written
    }
}

/// Owns the curl multi handle, which runs all transfers of one engine.
///
/// Only ``wake()`` may be called on other threads. The caller's reference keeps the handle open during the
/// call.
final class CurlMulti: @unchecked Sendable {
    // Unchecked is correct because only `wake` is called on other threads, and `curl_multi_wakeup` may be called on
    // any thread at any time.
    let handle: OpaquePointer
    /// Used only on the engine's thread. Owned here, because libcurl's connections refer to it until they are closed.
    let connections = KeptConnections()
    private let ledgerKind: String

    init?(label: String) {
        guard CurlLibrary.failure == nil, let handle = webimage_curl_multi_init() else { return nil }
        self.handle = OpaquePointer(handle)
        ledgerKind = "curl multi" + label
        HandleLedger.opened(ledgerKind)
    }

    deinit {
        webimage_curl_multi_cleanup(UnsafeMutableRawPointer(handle))
        HandleLedger.closed(ledgerKind)
    }

    var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    func wake() { webimage_curl_multi_wakeup(pointer) }
}

/// Owns the cookies of one engine. All transfers of the engine that use cookies share them. Cookies exist only in
/// memory.
final class CurlCookieJar {
    let pointer: UnsafeMutableRawPointer
    private let ledgerKind: String

    init?(label: String) {
        guard CurlLibrary.failure == nil, let share = webimage_curl_share_init() else { return nil }
        pointer = share
        ledgerKind = "curl share" + label
        // Curl needs no lock functions, because only the engine's thread uses the share.
        webimage_curl_share_set_long(pointer, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue))
        HandleLedger.opened(ledgerKind)
    }

    deinit {
        webimage_curl_share_cleanup(pointer)
        HandleLedger.closed(ledgerKind)
    }
}

/// Loads and initialises libcurl at the first download. Loading libcurl and its dependencies at program start would
/// double the start time.
enum CurlLibrary {
    /// The reason why libcurl cannot be used; nil if it can be used. The first read loads libcurl, which takes some
    /// milliseconds.
    static let failure = load(CURL_LIBRARY)

    static func load(_ name: String) -> WebImageError? {
        do throws(WebImageError) {
            try SharedLibrary.load(name, package: "libcurl4") { webimage_curl_bind($0) }
        } catch {
            return WebImageError(
                .invalidDownloadOperation, stage: .download, underlying: error.underlying, hint: error.hint)
        }
        let code = webimage_curl_global_init(Int(CURL_GLOBAL_ALL))
        guard code != CURLE_OK else { return nil }
        return WebImageError(
            .invalidDownloadOperation, stage: .download,
            underlying: .curl(code: Int(code.rawValue), message: String(cString: webimage_curl_easy_strerror(code))))
    }
}

/// Maps curl's error codes to ``WebImageError``, with a hint for the common codes.
enum CurlErrors {
    static func error(_ code: CURLcode, message: String, url: URL, maxBodyBytes: Int, declaredBytes: Int?)
        -> WebImageError
    {
        switch code {
        case CURLE_FILESIZE_EXCEEDED:
            return WebImageError.bodyLimit(actual: declaredBytes ?? .max, allowed: maxBodyBytes).with(url: url)
        case CURLE_URL_MALFORMAT where !message.contains("redirect"):
            return WebImageError(
                .invalidURL, stage: .request, url: url, underlying: .curl(code: Int(code.rawValue), message: message),
                hint: "Check the spelling of the URL.")
        default:
            return WebImageError(
                .transport, stage: .download, url: url, underlying: .curl(code: Int(code.rawValue), message: message),
                hint: hint(for: code, message: message))
        }
    }

    /// Whether a transfer failed because a header line exceeds curl's own limit (100 KB).
    ///
    /// Libcurl 8.6 and later have an error code for this. Earlier versions report `CURLE_OUT_OF_MEMORY`.
    ///
    /// - Parameter code: The raw value of a `CURLcode`.
    static func isHeadTooLarge(_ code: UInt32, _ head: ResponseHeadParser) -> Bool {
        code == webimage_curl_too_large.rawValue
            || code == CURLE_OUT_OF_MEMORY.rawValue && head.statusCode != nil && !head.isComplete
    }

    /// The error for a connection that closed before the response head was complete.
    static func brokenHead(_ url: URL) -> WebImageError {
        WebImageError(
            .transport, stage: .download, url: url,
            underlying: .curl(code: Int(CURLE_GOT_NOTHING.rawValue), message: "the response's head is incomplete"),
            hint: hint(for: CURLE_GOT_NOTHING, message: ""))
    }

    private static func hint(for code: CURLcode, message: String) -> String? {
        switch code {
        // If a proxy refuses CONNECT, curl 7 reports `CURLE_RECV_ERROR` and curl 8 reports `CURLE_COULDNT_CONNECT`.
        case CURLE_RECV_ERROR where message.contains("CONNECT"),
            CURLE_COULDNT_CONNECT where message.contains("CONNECT"):
            "The proxy refuses to connect to this host; check its rules, and user and password in its URL."
        case CURLE_UNSUPPORTED_PROTOCOL where message.contains("HTTP"), CURLE_WEIRD_SERVER_REPLY:
            "The server at this port does not speak HTTP."
        case CURLE_UNSUPPORTED_PROTOCOL: "The server redirected to something other than http or https."
        case CURLE_URL_MALFORMAT: "The server redirected to an invalid URL."
        case CURLE_COULDNT_RESOLVE_HOST: "Check the host's spelling and the network's name service."
        case CURLE_PROXY: "The proxy cannot connect to this host; check the host, and that the proxy speaks SOCKS."
        case CURLE_COULDNT_RESOLVE_PROXY: "Check the proxy in the environment (http_proxy, https_proxy)."
        case CURLE_COULDNT_CONNECT: "Check that the server is running and that host and port are right."
        case CURLE_PARTIAL_FILE: "The server closed before the body was complete; try again."
        case CURLE_OPERATION_TIMEDOUT: "The server is too slow; try again or raise downloadTimeout."
        case CURLE_SSL_CONNECT_ERROR: "Client and server share no TLS version or cipher, or the port does not use TLS."
        case CURLE_PEER_FAILED_VERIFICATION where message.contains("expired") || message.contains("not yet valid"):
            "The server's certificate is valid at another time; renew it, or check the clock of this machine."
        case CURLE_PEER_FAILED_VERIFICATION where message.contains("match"):
            "The server's certificate is for another host; check the spelling of the host."
        case CURLE_RECV_ERROR where message.contains("certificate"),
            CURLE_SSL_CONNECT_ERROR where message.contains("certificate"):
            "The server requires a client certificate, or refuses this one; check clientCertificate."
        case CURLE_PEER_FAILED_VERIFICATION:
            "The server's certificate is not trusted; give its authority's file, or accept any certificate for tests."
        case CURLE_SSL_CACERT_BADFILE: "The file of certificate authorities cannot be read."
        case CURLE_SSL_CERTPROBLEM: "The client certificate cannot be used."
        case CURLE_TOO_MANY_REDIRECTS: "The server redirects in a loop; ask for the final URL."
        case CURLE_GOT_NOTHING: "The server closed without an answer; try again."
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: "The connection broke; try again."
        case CURLE_BAD_CONTENT_ENCODING: "The server's compression is damaged."
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: "The server broke the HTTP/2 stream; try again."
        default: nil
        }
    }
}
