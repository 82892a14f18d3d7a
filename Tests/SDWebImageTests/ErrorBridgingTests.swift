import Foundation
import Testing

@testable import SDWebImage

/// Conversion of errors to SDWebImage's domains, codes and keys, and back.
struct ErrorBridgingTests {
    @Test(arguments: [
        WebImageError.Code.invalidURL, .badImageData, .cacheNotModified, .blackListed, .limitExceeded, .fileSystem,
        .invalidDownloadOperation, .invalidDownloadStatusCode, .cancelled, .invalidDownloadResponse,
        .invalidDownloadContentType,
    ])
    func errorCodesMatchTheOriginalsDomain(code: WebImageError.Code) {
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

    @Test func anyErrorOfALoaderIsBridged() {
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

    @Test func errorOfALoaderSurvivesTheWayThroughAManager() async throws {
        let own = NSError(
            domain: "com.example.loader", code: 42, userInfo: ["key": "value", NSLocalizedDescriptionKey: "words"])
        final class Loader: SDImageLoader {
            let error: NSError
            init(_ error: NSError) { self.error = error }
            func canRequestImage(for url: URL?) -> Bool { true }
            func requestImage(
                with url: URL?, options: SDWebImageOptions, context: SDWebImageContext?,
                progress progressBlock: SDImageLoaderProgressBlock?,
                completed completedBlock: SDImageLoaderCompletedBlock?
            ) -> (any SDWebImageOperation)? {
                completedBlock?(nil, nil, error, true)
                return nil
            }
            func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool {
                let error = error as NSError
                return error.domain == "com.example.loader" && error.code == 42
            }
        }
        let manager = SDWebImageManager(
            cache: SDImageCache(namespace: "errors-\(UUID().uuidString)"), loader: Loader(own))
        let heard: NSError? = await withCheckedContinuation { continuation in
            let context: SDWebImageContext = [.callbackQueue: SDCallbackQueue.global]
            manager.loadImage(
                with: URL(string: "http://example.test/a.png"), options: [], context: context, progress: nil
            ) { _, _, error, _, finished, _ in
                if finished { continuation.resume(returning: error as NSError?) }
            }
        }
        #expect(heard?.domain == "com.example.loader" && heard?.code == 42)
        #expect(heard?.userInfo["key"] as? String == "value" && heard?.localizedDescription == "words")
    }

    @Test func foreignErrorsKeepDomainCodeAndUserInfoBothWays() {
        for code in [-1001, -999, 7] {
            let own = NSError(domain: NSURLErrorDomain, code: code, userInfo: ["key": "value"])
            let back = SDWebImageError(WebImageError(original: own))
            #expect(back.domain == own.domain && back.code == own.code && back.userInfo["key"] as? String == "value")
        }
        enum Odd: Int, Error { case one = 11 }
        let odd = SDWebImageError(WebImageError(original: Odd.one))
        #expect(odd.domain == (Odd.one as any Error)._domain && odd.code == (Odd.one as any Error)._code)
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
