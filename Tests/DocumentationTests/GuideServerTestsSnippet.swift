// snippet: guide-server-tests
import Foundation
import Testing
import WebImage
import WebImageService
import WebImageTesting

// In your package also the target of the handler: import MyServiceKit

/// Tests of the handler without a network and without a socket.
@Suite struct PreviewHandlerTests {
    private let loader = FakeDataLoader()
    private let handler: PreviewHandler

    init() {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("previews-\(UUID().uuidString)")
        handler = PreviewHandler(cacheFolder: folder.path, loader: loader)
    }

    private func answer(_ url: URL) async -> ServiceResponse {
        await handler.answer(ServiceRequest(target: "/preview?width=100&url=\(url.absoluteString)"))
    }

    @Test func aPreviewFits() async throws {
        let url = try #require(URL(string: "https://example.org/a.png"))
        let picture = try TestImages.solid(width: 400, height: 200)
        let file = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
        loader.answer(url, with: .success(file))
        let answer = await answer(url)
        guard answer.status == 200, case .bytes(let data) = answer.body else {
            Issue.record("status \(answer.status)")
            return
        }
        let info = try ImageCodersManager.shared.imageInfo(of: data, limits: .default)
        #expect(info.format == .webP && info.pixelSize == PixelSize(width: 100, height: 50))
        #expect(loader.requests == [url])
    }

    @Test func aFailureOfTheSourceIsABadGateway() async throws {
        let url = try #require(URL(string: "https://example.org/gone.png"))
        loader.answer(url, with: .failure(WebImageError(.transport, stage: .download, url: url)))
        #expect(await answer(url).status == 502)
    }
}
// end
