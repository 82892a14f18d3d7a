import Foundation
import WebImageService

/// Writes the head of an answer.
enum ResponseHead {
    /// The beginning of every answer. A connection may send it before the rest of the answer is known.
    static let prefix = Array("HTTP/1.1 ".utf8)

    /// The names, in lower case, of the fields that describe the connection. Fields with these names in the service
    /// response are dropped.
    private static let reserved: Set<String> = [
        "connection", "content-length", "date", "keep-alive", "transfer-encoding",
    ]
    private static let lengths = Set(reserved.map(\.utf8.count))

    /// Returns the status that is sent. A response without a valid status is an error of the service.
    static func status(_ response: ServiceResponse) -> Int {
        (200...599).contains(response.status) ? response.status : 500
    }

    /// Whether an answer with this status has a body (RFC 9110 §15.3.5, §15.4.5).
    static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    /// - Parameters:
    ///   - isPersistent: Whether the connection stays open after the answer.
    ///   - isOld: Whether the client understands only HTTP/1.0.
    ///   - date: The value of the field `Date`.
    ///   - length: The number of bytes of the body; nil for the chunked coding. Clients of HTTP/1.0 need the length.
    static func bytes(
        _ response: ServiceResponse, length: Int?, isPersistent: Bool, isOld: Bool, date: String
    ) -> [UInt8] {
        let status = status(response)
        var bytes = prefix
        bytes.reserveCapacity(512)
        bytes += "\(status) \(phrase(status))\r\nDate: \(date)\r\n".utf8
        for field in response.headers.fields where !isReserved(field.name) {
            bytes += field.name.utf8
            bytes += [0x3A, 0x20]
            bytes += field.value.utf8
            bytes += [0x0D, 0x0A]
        }
        if let length {
            // The length in an answer with status 304 is the length of the answer with status 200 (RFC 9110 §8.6). Omit it
            // if that length is not known.
            if hasBody(status) || status == 304 && length > 0 { bytes += "Content-Length: \(length)\r\n".utf8 }
        } else {
            bytes += "Transfer-Encoding: chunked\r\n".utf8
        }
        if !isPersistent {
            bytes += "Connection: close\r\n".utf8
        } else if isOld {
            bytes += "Connection: keep-alive\r\n".utf8
        }
        bytes += [0x0D, 0x0A]
        return bytes
    }

    private static func isReserved(_ name: String) -> Bool {
        // Compare the lengths first. Most names have another length, and comparing lengths is faster than making a
        // lower-case copy.
        lengths.contains(name.utf8.count) && reserved.contains(name.lowercased())
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 499: "Client Closed Request"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

/// The value of the field `Date`, made once per second.
struct ResponseDate {
    private var second = 0
    private var value = ""

    mutating func text() -> String {
        let now = time(nil)
        if now != second || value.isEmpty { (second, value) = (now, HTTPDateText.text(TimeInterval(now))) }
        return value
    }
}
