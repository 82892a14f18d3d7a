import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore

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
        case CURLE_COULDNT_RESOLVE_PROXY: "Check the proxy in the environment (http_proxy, https_proxy)."
        case CURLE_COULDNT_CONNECT: "Check that the server is running and that host and port are right."
        case CURLE_PARTIAL_FILE: "The server closed before the body was complete; try again."
        case CURLE_OPERATION_TIMEDOUT: "The server is too slow; try again or raise downloadTimeout."
        case CURLE_SSL_CONNECT_ERROR: "Client and server share no TLS version or cipher, or the port does not use TLS."
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
