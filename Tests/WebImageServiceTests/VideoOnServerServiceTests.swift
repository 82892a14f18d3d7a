import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageVideo

@testable import WebImageService

/// The service with videos on servers, of which it fetches no more than the poster needs.
@Suite(.timeLimit(minutes: 10), .enabled(if: VideoSample.isThere))
struct VideoOnServerServiceTests {
    private static func sample(_ arguments: String) -> VideoSample {
        VideoSample(
            "mp4", "-c:v libx264 -preset ultrafast -qp 6 -g 10 -pix_fmt yuv420p " + arguments,
            source: "color=0xC02020:size=480x360:rate=25:duration=1[a];"
                + "color=0x2020C0:size=480x360:rate=25:duration=1[b];[a][b]concat,noise=alls=60:allf=t")
    }

    /// About 14 MB: a second of red, then one of blue. The header of the first is at its end.
    private static let samples = [sample(""), sample("-movflags +faststart")]

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func service(_ configure: (inout ServiceConfiguration) -> Void = { _ in }) throws -> ImageService {
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = folder.url.path
        configuration.allowedAddresses = ["127.0.0.0/8"]
        configure(&configuration)
        return try ImageService(
            configuration: configuration, loader: nil, clock: SystemClock(),
            coders: ImageCodersManager(coders: [
                ImagePNGCoder.shared, ImageJPEGCoder.shared, ImageWebPCoder.shared, ImageVideoCoder.shared,
            ]))
    }

    private func get(_ service: ImageService, _ options: String, _ url: URL) async -> ServiceResponse {
        await service.respond(to: ServiceRequest(target: "/\(options)/plain/\(url.absoluteString)"))
    }

    private func isRed(_ response: ServiceResponse) throws -> Bool {
        let body = response.data
        let image = try ImagePNGCoder.shared.decode(body, options: DecodingOptions())
        let color = try #require(image.color(at: CGPoint(x: 8, y: 6)))
        #expect(max(color.red, color.blue) > 0.5 && min(color.red, color.blue) < 0.4, "\(color)")
        return color.red > color.blue
    }

    @Test(arguments: samples) func posterNeedsOnlyParts(sample: VideoSample) async throws {
        let film = try sample.data
        try #require(film.count > 8_000_000)
        let server = try RangeServer(film, fields: ["Cache-Control": "max-age=600"])
        defer { server.stop() }
        let service = try service()
        for (options, expectsRed) in [
            ("_/rs:fit:16:12/f:png", true), ("_/rs:fit:16:12/vts:1.5/f:png", false),
            ("_/rs:fit:16:12/video_thumbnail_second:0.4/f:png", true),
        ] {
            let before = (server.sentBytes, server.requestCount)
            let response = await get(service, options, server.url)
            #expect(response.status == 200, "\(options): \(response.logEntry)")
            guard response.status == 200 else { continue }
            #expect(try isRed(response) == expectsRed, "\(options)")
            let (bytes, requests) = (server.sentBytes - before.0, server.requestCount - before.1)
            #expect(bytes < film.count / 3 && (1...8).contains(requests), "\(options): \(bytes) in \(requests)")
            // The stored result knows the servers of its parts, and is judged by them.
            let again = await get(service, options, server.url)
            #expect(again.status == 200 && server.requestCount == before.1 + requests)
        }
    }

    @Test func factsNeedOnlyParts() async throws {
        let film = try Self.samples[0].data
        let server = try RangeServer(film)
        defer { server.stop() }
        let response = await get(try service(), "info/_", server.url)
        let body = response.data
        let facts = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(facts["size"] as? Int == film.count && facts["width"] as? Int == 480, "\(facts)")
        #expect(server.sentBytes < film.count / 3)
    }

    /// The untouched source is the whole video.
    @Test func rawSourceIsWhole() async throws {
        let film = try Self.samples[1].data
        let server = try RangeServer(film)
        defer { server.stop() }
        let service = try service()
        #expect(await get(service, "_/rs:fit:16:12/f:png", server.url).status == 200)
        let before = server.sentBytes
        let response = await get(service, "_/raw:1", server.url)
        #expect(response.status == 200 && server.sentBytes - before == film.count)
    }

    @Test func aServerWithoutRangesSendsTheWholeVideo() async throws {
        let film = try Self.samples[0].data
        for (behaviour, requests) in [(RangeBehaviour.ignored, 1), (.refused, 2)] {
            let server = try RangeServer(film, behaviour)
            defer { server.stop() }
            let response = await get(try service(), "_/rs:fit:16:12/f:png", server.url)
            #expect(response.status == 200 && server.requestCount == requests)
            let refused = await get(try service { $0.maxSourceBytes = 4 << 20 }, "_/rs:fit:17:12/f:png", server.url)
            #expect(refused.status == 413, "\(refused.logEntry)")
        }
    }

    /// The limit counts what is fetched.
    @Test func posterOfAVideoOverTheLimitIsReached() async throws {
        let server = try RangeServer(try Self.samples[0].data)
        defer { server.stop() }
        let service = try service { $0.maxSourceBytes = 2 << 20 }
        #expect(try isRed(await get(service, "_/rs:fit:16:12/f:png", server.url)))
        #expect(server.sentBytes <= 2 << 20)
        #expect(await get(service, "_/raw:1", server.url).status == 413)
    }

    /// Each part is a request of its own, whose addresses are checked.
    @Test func policyHoldsForEveryPart() async throws {
        let film = try Self.samples[0].data
        let server = try RangeServer(film)
        let leading = try RangeServer(film, .redirected(to: "http://10.0.0.1/film.mp4"))
        defer {
            server.stop()
            leading.stop()
        }
        let refused = await get(try service { $0.allowedAddresses = [] }, "_/rs:fit:16:12/f:png", server.url)
        #expect(refused.status == 403 && server.requestCount == 0)
        let led = await get(try service(), "_/rs:fit:16:12/f:png", leading.url)
        #expect(led.status == 403 && leading.requestCount == 2, "\(led.logEntry)")
    }

    /// The name and the media type of a video, but the bytes of a page or of a picture.
    @Test func whatIsNoVideoIsReadAsWhatItIs() async throws {
        let page = try RangeServer(Data("<!doctype html><title>Film</title>".utf8))
        let picture = try RangeServer(try PictureFixtures.quadrants())
        defer {
            page.stop()
            picture.stop()
        }
        let refused = await get(try service(), "_/rs:fit:16:12/f:png", page.url)
        #expect(refused.status == 415 || refused.status == 422, "\(refused.logEntry)")
        #expect(await get(try service(), "_/rs:fit:16:12/f:png", picture.url).status == 200)
    }

    /// A service that accepts no videos decodes none to find that out.
    @Test func refusedFormatIsRefused() async throws {
        let server = try RangeServer(try Self.samples[0].data)
        defer { server.stop() }
        let service = try service { $0.sourceFormats = ["png", "jpeg"] }
        let response = await get(service, "_/rs:fit:16:12/f:png", server.url)
        #expect(response.status == 415, "\(response.logEntry)")
        #expect(server.server.requests.allSatisfy { $0.headers["range"] == nil })
    }

    /// A source whose name says nothing is fetched like a picture until its first bytes are those of a video.
    @Test(arguments: samples) func aVideoWithoutANameNeedsOnlyParts(sample: VideoSample) async throws {
        let film = try sample.data
        let gate = FaultGate()
        let server = try RangeServer(film, .gated(gate), name: "/media/123", fields: ["Cache-Control": "max-age=600"])
        defer {
            gate.open()
            server.stop()
        }
        let service = try service()
        for (options, expectsRed) in [("_/rs:fit:16:12/f:png", true), ("_/rs:fit:16:12/vts:1.5/f:png", false)] {
            let before = (server.sentBytes, server.requestCount)
            let response = await get(service, options, server.url)
            #expect(response.status == 200, "\(options): \(response.logEntry)")
            guard response.status == 200 else { continue }
            #expect(try isRed(response) == expectsRed, "\(options)")
            let (bytes, requests) = (server.sentBytes - before.0, server.requestCount - before.1)
            #expect(bytes < film.count / 3 && (2...8).contains(requests), "\(options): \(bytes) in \(requests)")
            #expect(await get(service, options, server.url).status == 200)
            #expect(server.requestCount == before.1 + requests)
        }
    }

    /// Requests for other frames, and for the untouched source, that join a fetch of parts receive what they asked for.
    @Test func concurrentRequestsReceiveTheirOwnFrames() async throws {
        let film = try Self.samples[1].data
        let server = try RangeServer(film, name: "/media/123")
        defer { server.stop() }
        let (service, url) = (try service(), server.url)
        async let first = get(service, "_/rs:fit:16:12/f:png", url)
        async let second = get(service, "_/rs:fit:16:12/vts:1.5/f:png", url)
        async let raw = get(service, "_/raw:1", url)
        let (red, blue, whole) = await (first, second, raw)
        #expect(red.status == 200 && blue.status == 200 && whole.status == 200)
        #expect(try isRed(red) && !isRed(blue))
        #expect(whole.data == film)
    }

    /// A picture without a name costs one request, is stored, and is shared by requests for different frames.
    @Test func aPictureWithoutANameCostsOneRequest() async throws {
        let picture = try PictureFixtures.quadrants()
        let server = try RangeServer(
            picture, name: "/media/123", type: "image/png", fields: ["Cache-Control": "max-age=600"])
        defer { server.stop() }
        let (service, url) = (try service(), server.url)
        async let first = get(service, "_/rs:fit:16:12/f:png", url)
        async let second = get(service, "_/rs:fit:17:12/vts:1.5/f:png", url)
        #expect(await first.status == 200)
        #expect(await second.status == 200)
        #expect(await get(service, "_/rs:fit:18:12/f:png", url).status == 200)
        #expect(await get(service, "_/raw:1", url).status == 200)
        #expect(server.requestCount == 1 && server.server.requests[0].headers["range"] == nil)
    }

    /// Objects of buckets are read in parts as well, with a name of a video and without one.
    @Test(arguments: ["film.mp4", "media/123"]) func videosInBucketsNeedOnlyParts(name: String) async throws {
        let film = try Self.samples[0].data
        let gate = FaultGate()
        let server = try RangeServer(film, .gated(gate), name: "/pictures/" + name)
        let picture = try PictureFixtures.quadrants()
        server.server.route("/pictures/a", .body(picture, headers: ["ETag": "\"p\""]))
        defer {
            gate.open()
            server.stop()
        }
        let service = try service {
            $0.s3Sources = ["s3://pictures?endpoint=http://127.0.0.1:\(server.server.port)&access=public"]
        }
        let url = URL(string: "s3://pictures/" + name)!
        for (options, expectsRed) in [("_/rs:fit:16:12/f:png", true), ("_/rs:fit:16:12/vts:1.5/f:png", false)] {
            let before = (server.sentBytes, server.requestCount)
            let response = await get(service, options, url)
            #expect(response.status == 200, "\(options): \(response.logEntry)")
            guard response.status == 200 else { continue }
            #expect(try isRed(response) == expectsRed)
            let (bytes, requests) = (server.sentBytes - before.0, server.requestCount - before.1)
            #expect(bytes < film.count / 3 && (2...8).contains(requests), "\(options): \(bytes) in \(requests)")
        }
        let before = server.requestCount
        #expect(await get(service, "_/rs:fit:16:12/f:png", URL(string: "s3://pictures/a")!).status == 200)
        #expect(server.requestCount == before + 1)
    }
}
