// snippet: guide-testing
import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite struct AvatarTests {
    private let loader = FakeDataLoader()
    private let manager: WebImageManager
    private let avatar = URL(string: "https://example.org/avatar.png")!

    init() { manager = WebImageManager(cache: FakeImageCache(), loader: loader) }

    @Test func twoViewsFetchAnAvatarOnce() async throws {
        let picture = try TestImages.solid(width: 64, height: 64)
        let file = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
        async let first = manager.image(for: avatar)
        async let second = manager.image(for: avatar)
        // Both loads wait until there is an answer.
        #expect(await eventually { loader.requests == [avatar] })
        loader.answer(avatar, with: .success(file))
        #expect(try await first.pixelSize == PixelSize(width: 64, height: 64))
        _ = try await second
        #expect(loader.requests == [avatar])
    }

    @Test func aServerThatBreaksOffIsAnError() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        var response = FaultResponse(.zeros(10_000))
        response.closeAfter = 500
        server.route("/avatar.png", .respond(response))
        let manager = WebImageManager(cache: FakeImageCache(), loader: WebImageDownloader())
        await #expect(throws: WebImageError.self) { try await manager.image(for: server.url("/avatar.png")) }
        #expect(server.requestCount("/avatar.png") >= 1)
    }
}
// end
