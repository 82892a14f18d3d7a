import Foundation
import Testing

@testable import SDWebImage

/// Failures under the original's names: its domains, numbers and keys, and the way back.
struct ErrorBridgingTests {
    @Test(arguments: [
        WebImageError.Code.invalidURL, .badImageData, .cacheNotModified, .blackListed, .limitExceeded, .fileSystem,
        .invalidDownloadOperation, .invalidDownloadStatusCode, .cancelled, .invalidDownloadResponse,
        .invalidDownloadContentType,
    ])
    func numbersAreKeptInTheOriginalsDomain(code: WebImageError.Code) {
        let error = SDWebImageError(WebImageError(code, stage: .download))
        #expect(error.domain == "SDWebImageErrorDomain" && error.code == code.rawValue)
        #expect(WebImageError(original: error).code == code)
    }

    @Test(arguments: [
        (6, -1003), (7, -1004), (28, -1001), (35, -1200), (60, -1202), (18, -1005), (52, -1005), (47, -1007), (999, -1),
    ])
    func connectionsFailInTheSystemsDomain(curl: Int, expected: Int) {
        let failure = WebImageError(.transport, stage: .download, underlying: .curl(code: curl, message: "words"))
        let error = SDWebImageError(failure)
        #expect(error.domain == NSURLErrorDomain && error.code == expected)
        #expect(error.localizedDescription.contains("words"))
        #expect(WebImageError(original: error).code == .transport)
    }

    @Test func anyErrorOfALoaderIsUnderstood() {
        #expect(WebImageError(original: CancellationError()).code == .cancelled)
        #expect(WebImageError(original: NSError(domain: NSURLErrorDomain, code: -999)).code == .cancelled)
        #expect(WebImageError(original: NSError(domain: NSURLErrorDomain, code: -1001)).code == .transport)
        #expect(WebImageError(original: NSError(domain: SDWebImageErrorDomain, code: 1001)).code == .badImageData)
        let other = WebImageError(original: NSError(domain: "mine", code: 7))
        #expect(other.code == .transport && other.description.contains("mine 7"))
        struct Odd: Error {}
        #expect(WebImageError(original: Odd()).code == .transport)
        let own = WebImageError(.limitExceeded, stage: .decode)
        #expect(WebImageError(original: own).code == .limitExceeded)
    }

    @Test func secretsAreNotShown() throws {
        let url = try #require(URL(string: "https://user:word@a.test/b.png?token=secret"))
        let error = SDWebImageError(WebImageError(.badImageData, stage: .decode, url: url, hint: "Look."))
        let shown = "\(error) \(error.localizedDescription) \(error.userInfo)"
        #expect(shown.contains("a.test") && !shown.contains("secret") && !shown.contains("word@"))
        #expect(error.localizedRecoverySuggestion == "Look.")
        #expect(error.webImageError.url == url)
    }

    @Test func statusesAreInTheUserInfo() {
        let failure = WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 503))
        let info = SDWebImageError(failure).userInfo
        #expect((info[SDWebImageErrorDownloadStatusCodeKey] as? NSNumber)?.intValue == 503)
    }
}
