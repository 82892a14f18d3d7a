import Foundation
import Testing
import WebImageCore
import WebImageLoading

@testable import WebImageHTTP

/// Tests the parser that converts HTTP header lines to a `WebImageResponse`.
struct ResponseHeadTests {
    private func head(_ lines: String...) -> ResponseHeadParser {
        var parser = ResponseHeadParser()
        for line in lines {
            let isTaken = Data((line + "\r\n").utf8).withUnsafeBytes { parser.take($0) }
            #expect(isTaken)
        }
        return parser
    }

    private let url = URL(string: "http://example.com/a")!

    @Test func lastHeadOfAChainIsTheResponse() {
        let parser = head("HTTP/1.1 302 Found", "Location: /b", "", "HTTP/2 200", "content-type: Image/PNG; q=1", "")
        let response = parser.response(url: url)
        #expect(response.statusCode == 200)
        #expect(response.allHeaderFields == ["content-type": "Image/PNG; q=1"])
        #expect(response.mimeType == "image/png")
        #expect(parser.isCertainlyFinal)
    }

    @Test func repeatedFieldsAreJoinedAndFoldedLinesContinue() {
        let fields = head("HTTP/1.1 200 OK", "Vary: a", "VARY:b ", "X: 1", "  2", "nonsense", "").fields.all
        #expect(fields == ["vary": "a, b", "x": "1 2"])
    }

    @Test func fieldsAreFoundByNameInAnyCase() {
        let head = head("HTTP/1.1 200 OK", "Vary: a", "X-Empty:", "VARY:b ", "X: 1", "  2", "XX: 3", "")
        let response = head.response(url: url)
        #expect(response.value(forHTTPHeaderField: "Vary") == "a, b")
        #expect(response.value(forHTTPHeaderField: "x") == "1 2")
        #expect(response.value(forHTTPHeaderField: "x-empty")?.isEmpty == true)
        #expect(response.value(forHTTPHeaderField: "var") == nil)
        for (field, value) in response.allHeaderFields { #expect(response.value(forHTTPHeaderField: field) == value) }
    }

    @Test func severalFieldsAreFoundInOnePass() {
        let head = head(
            "HTTP/1.1 200 OK", "ETag: \"1\"", "VARY: a", "X-Other: etag", "Vary : no", "vary: b", " c", "etagged: no",
            "Age:", "Date: now", "")
        let response = head.response(url: url)
        let names = ["etag", "vary", "age", "date", "expires", "other"]
        var single: [String: String] = [:]
        for name in names { single[name] = response.value(forHTTPHeaderField: name) }
        #expect(response.values(of: names) == single)
        #expect(single == ["etag": "\"1\"", "vary": "a, b c", "age": "", "date": "now"])
        var changed = response
        changed.allHeaderFields = response.allHeaderFields
        #expect(changed.values(of: names) == single)
    }

    @Test func changedCopyKeepsTheReceivedHead() {
        let received = head("HTTP/1.1 200 OK", "Content-Type: image/png", "ETag: \"1\"", "").response(url: url)
        var copy = received
        #expect(copy == received)
        copy.allHeaderFields["etag"] = "\"2\""
        copy.statusCode = 304
        #expect(received.value(forHTTPHeaderField: "etag") == "\"1\"" && received.statusCode == 200)
        #expect(copy.value(forHTTPHeaderField: "ETag") == "\"2\"" && copy.mimeType == "image/png")
        #expect(copy != received)
    }

    @Test(arguments: ["-5", "abc", "99999999999999999999999"]) func senselessLengthIsUnknown(value: String) {
        #expect(head("HTTP/1.1 200 OK", "Content-Length: \(value)").response(url: url).expectedContentLength == nil)
    }

    @Test func encodedLengthIsUnknown() {
        let parser = head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Encoding: gzip")
        #expect(parser.response(url: url).expectedContentLength == nil)
    }

    @Test func oversizedFieldIsRecognisedByOldAndNewCurlCodes() {
        let (none, begun, whole) = (head(), head("HTTP/1.1 200 OK", "A: b"), head("HTTP/1.1 200 OK", "A: b", ""))
        // Since curl 8.6, CURLE_TOO_LARGE (100) always means that a header field is too large.
        for parser in [none, begun, whole] { #expect(CurlErrors.isHeadTooLarge(100, parser)) }
        // Before curl 8.6, a header field that is too large is reported as CURLE_OUT_OF_MEMORY (27). The code
        // has this meaning only while a head is being received (`begun`).
        #expect(CurlErrors.isHeadTooLarge(27, begun))
        for parser in [none, whole] { #expect(!CurlErrors.isHeadTooLarge(27, parser)) }
        #expect(!CurlErrors.isHeadTooLarge(56, begun))
    }

    @Test func trailersChangeNoField() {
        let parser = head("HTTP/1.1 404 No", "ETag: a", "", "ETag: b", "X: y", "")
        #expect(parser.fields.all == ["etag": "a"])
        #expect(parser.isComplete && parser.statusCode == 404)
    }

    @Test func malformedStatusLinesHaveNoStatus() {
        #expect(head("HTTP/1.1").statusCode == nil)
        #expect(head("HTTP/1.1 abc").statusCode == nil)
    }
}

/// Checks which errors are caused by the URL itself. The manager stores such a URL as failed and does not request
/// it again.
struct FailedURLRuleTests {
    @Test func onlyWhatIsTheURLsOwnFaultIsRemembered() {
        func error(_ code: WebImageError.Code, _ underlying: WebImageError.Underlying? = nil) -> WebImageError {
            WebImageError(code, stage: .download, underlying: underlying)
        }
        for status in [404, 410, 451] {
            #expect(error(.invalidDownloadStatusCode, .http(status: status)).shouldBlockURL)
        }
        for status in [400, 401, 403, 408, 425, 429, 500, 502, 503, 504] {
            #expect(!error(.invalidDownloadStatusCode, .http(status: status)).shouldBlockURL)
        }
        #expect(error(.invalidURL).shouldBlockURL)
        #expect(error(.badImageData).shouldBlockURL)
        for code in [
            WebImageError.Code.transport, .cancelled, .limitExceeded, .invalidDownloadContentType, .fileSystem,
        ] {
            #expect(!error(code).shouldBlockURL)
        }
    }
}
