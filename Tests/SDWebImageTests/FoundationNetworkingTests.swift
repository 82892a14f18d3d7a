import Foundation
import FoundationNetworking
import SDWebImage
import SDWebImageFoundationNetworking
import Testing
import WebImageTesting

/// Conversion from and to Foundation's requests and responses.
struct FoundationNetworkingTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func requestsConvertBothWays() throws {
        var request = URLRequest(url: try url("https://a.test/b.png"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        request.timeoutInterval = 7
        request.httpShouldHandleCookies = false
        request.setValue("1", forHTTPHeaderField: "X-One")
        let own = try #require(WebImageRequest(request))
        #expect(own.url == request.url && own.httpMethod == "POST" && own.httpBody == request.httpBody)
        #expect(own.timeoutInterval == 7 && !own.httpShouldHandleCookies)
        #expect(own.value(forHTTPHeaderField: "x-one") == "1")
        let back = URLRequest(own)
        #expect(back.url == request.url && back.httpMethod == "POST" && back.httpBody == request.httpBody)
        #expect(back.timeoutInterval == 7 && !back.httpShouldHandleCookies)
        #expect(back.value(forHTTPHeaderField: "X-One") == "1")
        var none = request
        none.url = nil
        #expect(WebImageRequest(none) == nil)
    }

    @Test func fieldsWithoutACounterpartAreKept() throws {
        var own = WebImageRequest(url: try url("https://a.test/b.png"))
        own.maxBodyBytes = 5
        own.allowsInvalidCertificates = true
        own.setValue("old", forHTTPHeaderField: "X-Old")
        own.update(from: URLRequest(url: try url("https://a.test/c.png")))
        #expect(own.maxBodyBytes == 5 && own.allowsInvalidCertificates && own.url.path == "/c.png")
        #expect(own.value(forHTTPHeaderField: "X-Old") == nil)
    }

    @Test func responsesConvertBothWays() throws {
        let answer = try #require(
            HTTPURLResponse(
                url: try url("https://a.test/b.png"), statusCode: 206, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "image/png", "Content-Length": "9", "X-One": "1"]))
        let own = WebImageResponse(answer)
        #expect(own.url == answer.url && own.statusCode == 206 && own.mimeType == "image/png")
        #expect(own.expectedContentLength == 9 && own.allHeaderFields["x-one"] == "1")
        let back = try #require(HTTPURLResponse(own))
        #expect(back.statusCode == 206 && back.value(forHTTPHeaderField: "X-One") == "1")
        #expect(HTTPURLResponse(WebImageResponse(url: try url("file:///a.png"))) == nil)
        #expect(HTTPURLResponse(WebImageResponse(url: nil, statusCode: 200)) == nil)
        let plain = URLResponse(
            url: try url("file:///a.png"), mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        #expect(WebImageResponse(plain).statusCode == nil && WebImageResponse(plain).expectedContentLength == nil)
    }

    // Without a type, a block that fits both receives the requests and answers of this package.
    @Test func trailingBlocksNeedNoType() throws {
        let requests = SDWebImageDownloaderRequestModifier { request in
            var request = request
            request.setValue("bar", forHTTPHeaderField: "foo")
            return request
        }
        let own = WebImageRequest(url: try url("https://a.test/b.png"))
        #expect(requests.modifiedRequest(with: own)?.value(forHTTPHeaderField: "foo") == "bar")
        let answers = SDWebImageDownloaderResponseModifier { response in response }
        let refusals = SDWebImageDownloaderResponseModifier { _ in nil }
        let foundation = SDWebImageDownloaderResponseModifier { (response: HTTPURLResponse) -> URLResponse? in nil }
        let answer = WebImageResponse(url: own.url, statusCode: 204)
        #expect(answers.modifiedResponse(with: answer)?.statusCode == 204)
        #expect(refusals.modifiedResponse(with: answer) == nil && foundation.modifiedResponse(with: answer) == nil)
    }

    @Test func modifiersOfFoundationTypesChangeADownload() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.route("/a.png", .body(try #require(try TestImages.solid().pngData())))
        let downloader = SDWebImageDownloader(config: SDWebImageDownloaderConfig())
        downloader.requestModifier = SDWebImageDownloaderRequestModifier(urlRequest: { request in
            var request = request
            request.setValue("bar", forHTTPHeaderField: "foo")
            return request
        })
        downloader.responseModifier = SDWebImageDownloaderResponseModifier(urlResponse: { response in
            HTTPURLResponse(
                url: response.url ?? URL(fileURLWithPath: "/"), statusCode: 404, httpVersion: nil, headerFields: nil)
        })
        let url = server.url("/a.png")
        let code = await withCheckedContinuation { (done: CheckedContinuation<Int?, Never>) in
            downloader.downloadImage(with: url) { _, _, error, _ in done.resume(returning: (error as NSError?)?.code) }
        }
        #expect(code == SDWebImageError.invalidDownloadStatusCode.rawValue)
        #expect(server.requests.first?.headers["foo"] == "bar")
    }
}
