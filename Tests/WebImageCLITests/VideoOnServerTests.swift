import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The command with videos on servers, of which it fetches no more than it needs.
@Suite(.serialized, .timeLimit(minutes: 10), .enabled(if: VideoSample.isThere))
struct VideoOnServerTests {
    private static func sample(_ container: String, _ arguments: String = "") -> VideoSample {
        VideoSample(
            container, "-c:v libx264 -preset ultrafast -qp 6 -g 10 -pix_fmt yuv420p " + arguments,
            source: "testsrc2=size=480x360:rate=25:duration=1,noise=alls=80:allf=t")
    }

    /// About 8 MB. The header of the first is at its end, that of the second at its start.
    private static let samples = [sample("mp4"), sample("mp4", "-movflags +faststart"), sample("ts")]

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    private func contents(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    private func saved(_ sample: VideoSample) throws -> (data: Data, path: String) {
        let (data, path) = (try sample.data, path("film." + sample.container))
        try data.write(to: URL(fileURLWithPath: path))
        return (data, path)
    }

    /// The picture of the parts is that of the whole file, for each command that makes one still.
    @Test(arguments: samples) func posterNeedsOnlyParts(sample: VideoSample) throws {
        let (film, file) = try saved(sample)
        try #require(film.count > 6_000_000)
        let server = try RangeServer(film, name: "/film." + sample.container)
        defer { server.stop() }
        for (index, words) in [
            ["thumbnail", "--out", "OUT", "IN"], ["thumbnail", "--time", "0.6", "--out", "OUT", "IN"],
            ["load", "--cache", "none", "--out", "OUT", "IN"], ["convert", "--size", "64", "IN", "OUT"],
            ["convert", "--time", "0.6", "IN", "OUT"],
        ].enumerated() where sample.container == "mp4" || !words.contains("--time") {
            // A transport stream has no index: a frame at a time is found by reading on.
            let before = (server.sentBytes, server.requestCount)
            for (name, input) in [("url", server.url.absoluteString), ("file", file)] {
                let output = path("\(name)\(index).jpg")
                let outcome = try Tool.run(words.map { $0 == "IN" ? input : $0 == "OUT" ? output : $0 })
                #expect(outcome.code == 0, "\(words): \(outcome.errors)")
            }
            let (bytes, requests) = (server.sentBytes - before.0, server.requestCount - before.1)
            #expect(bytes < film.count / 2 && (1...8).contains(requests), "\(words): \(bytes) in \(requests)")
            let isEqual = try contents("url\(index).jpg") == contents("file\(index).jpg")
            #expect(isEqual, "\(words)")
        }
    }

    /// The facts of the whole file, with its number of bytes. Parts have no previews.
    @Test(arguments: samples) func factsNeedOnlyParts(sample: VideoSample) throws {
        let (film, file) = try saved(sample)
        let server = try RangeServer(film, name: "/film." + sample.container)
        defer { server.stop() }
        var found = try #require(try Tool.run("info", server.url.absoluteString).objects().first)
        var expected = try #require(try Tool.run("info", file).objects().first)
        #expect(found["bytes"] as? Int == film.count)
        #expect(found["frames"] as? Int == 1)
        for name in ["path", "frames", "loopCount", "delaysMs"] { (found[name], expected[name]) = (nil, nil) }
        #expect(NSDictionary(dictionary: found) == NSDictionary(dictionary: expected), "\(found) \(expected)")
        #expect(server.sentBytes < film.count / 2 && server.requestCount <= 8, "\(server.sentBytes)")
    }

    @Test func loadReportsThePosterAndStoresNoParts() throws {
        let (film, _) = try saved(Self.samples[0])
        let server = try RangeServer(film)
        defer { server.stop() }
        for _ in 0..<2 {
            let outcome = try Tool.run("load", "--json", "--cache", path("cache"), server.url.absoluteString)
            let line = try #require(try outcome.objects().first)
            #expect(line["width"] as? Int == 480 && line["origin"] as? String == "network", "\(outcome.output)")
            #expect(line["encodedBytes"] as? Int ?? line["bytes"] as? Int ?? .max < film.count / 2, "\(line)")
        }
        #expect(server.sentBytes < film.count)
    }

    /// A copy and the previews need every byte.
    @Test func copiesAndPreviewsHaveTheWholeVideo() throws {
        let (film, file) = try saved(VideoSample("mp4", "-c:v libx264 -preset ultrafast -qp 6 -g 10"))
        let server = try RangeServer(film)
        defer { server.stop() }
        let url = server.url.absoluteString
        #expect(try Tool.run("load", "--cache", "none", "--out", path("copies/"), url).code == 0)
        #expect(try contents("copies/film.mp4") == film)
        for (name, input) in [("url.gif", url), ("file.gif", file)] {
            #expect(try Tool.run("convert", input, path(name)).code == 0)
        }
        #expect(try contents("url.gif") == contents("file.gif"))
        #expect(server.server.requests.allSatisfy { $0.headers["range"] == nil })
    }

    @Test func aServerWithoutRangesSendsTheWholeVideo() throws {
        let (film, file) = try saved(Self.samples[0])
        #expect(try Tool.run("thumbnail", "--out", path("file.png"), file).code == 0)
        for (behaviour, requests) in [(RangeBehaviour.ignored, 1), (.refused, 2)] {
            let server = try RangeServer(film, behaviour)
            defer { server.stop() }
            let words = ["thumbnail", "--overwrite", "--out", path("url.png"), server.url.absoluteString]
            #expect(try Tool.run(words).code == 0)
            #expect(try contents("url.png") == contents("file.png"))
            #expect(server.requestCount == requests && server.sentBytes == film.count)
            let outcome = try Tool.run(words + ["--max-bytes", "4M"])
            #expect(outcome.code != 0 && outcome.errors.contains("limit"), "\(outcome.errors)")
        }
    }

    /// The limit counts what is fetched.
    @Test func posterOfAVideoOverTheLimitIsReached() throws {
        let (film, _) = try saved(Self.samples[0])
        let server = try RangeServer(film)
        defer { server.stop() }
        let url = server.url.absoluteString
        #expect(try Tool.run("thumbnail", "--max-bytes", "2M", "--out", path("a.png"), url).code == 0)
        #expect(server.sentBytes <= 2 << 20)
        let outcome = try Tool.run("thumbnail", "--max-bytes", "300K", "--out", path("b.png"), url)
        #expect(outcome.code != 0 && outcome.errors.contains("limit"), "\(outcome.errors)")
    }

    /// The name and the media type of a video, but the bytes of a page or of a picture.
    @Test func whatIsNoVideoIsReadAsWhatItIs() throws {
        let page = try RangeServer(Data("<!doctype html><title>Film</title>".utf8))
        let picture = try RangeServer(
            ImageCodersManager.shared.encode(TestImages.solid(red: 3), format: .png, options: EncodingOptions()))
        defer {
            page.stop()
            picture.stop()
        }
        let outcome = try Tool.run("thumbnail", "--out", path("a.png"), page.url.absoluteString)
        #expect(outcome.code != 0 && !outcome.errors.isEmpty && page.requestCount == 2)
        #expect(!FileManager.default.fileExists(atPath: path("a.png")))
        #expect(try Tool.run("thumbnail", "--out", path("b.png"), picture.url.absoluteString).code == 0)
        let line = try Tool.run("info", picture.url.absoluteString).objects().first
        #expect(line?["format"] as? String == "png")
    }

    /// The URL decides, so a picture costs one request, without a range.
    @Test func aPictureCostsOneRequest() throws {
        let picture = try RangeServer(
            ImageCodersManager.shared.encode(TestImages.solid(red: 3), format: .png, options: EncodingOptions()),
            name: "/a.png", type: "image/png")
        defer { picture.stop() }
        #expect(try Tool.run("thumbnail", "--out", path("a.png"), picture.url.absoluteString).code == 0)
        #expect(picture.requestCount == 1 && picture.server.requests[0].headers["range"] == nil)
    }

    /// At a URL that names no format, the first bytes decide, also in a bucket.
    @Test(arguments: samples) func aVideoWithoutANameNeedsOnlyParts(sample: VideoSample) throws {
        let (film, file) = try saved(sample)
        let gate = FaultGate()
        let server = try RangeServer(film, .gated(gate), name: "/pictures/123", type: "application/octet-stream")
        defer {
            gate.open()
            server.stop()
        }
        let bucket = "s3://pictures?endpoint=http://127.0.0.1:\(server.server.port)&access=public"
        for (index, words) in [
            ["thumbnail", "--out", "OUT", "\(server.url)?token=1"],
            ["load", "--cache", "none", "--out", "OUT", "\(server.url)"],
            ["load", "--cache", "none", "--s3-source", bucket, "--out", "OUT", "s3://pictures/123"],
        ].enumerated() {
            let before = (server.sentBytes, server.requestCount)
            for (name, input) in [("url", words.last!), ("file", file)] {
                let output = path("\(name)\(index).jpg")
                let outcome = try Tool.run(words.dropLast().map { $0 == "OUT" ? output : $0 } + [input])
                #expect(outcome.code == 0, "\(words): \(outcome.errors)")
            }
            let (bytes, requests) = (server.sentBytes - before.0, server.requestCount - before.1)
            print("\(sample.container) \(words[0]): \(bytes) of \(film.count) bytes in \(requests) requests")
            #expect(bytes < film.count * 2 / 3 && (2...8).contains(requests), "\(words): \(bytes) in \(requests)")
            let isEqual = try contents("url\(index).jpg") == contents("file\(index).jpg")
            #expect(isEqual, "\(words)")
        }
    }

    /// With `--link-preview`, a URL without a known extension is that of a page.
    @Test func aPageWithoutANameIsReadAsAPage() throws {
        let picture = try ImageCodersManager.shared.encode(
            TestImages.solid(red: 3), format: .png, options: EncodingOptions())
        let server = try RangeServer(picture, name: "/a.png", type: "image/png")
        defer { server.stop() }
        server.server.route(
            "/page", .body(Data("<!doctype html><meta property=og:image content=/a.png>".utf8), type: "text/html"))
        let words = ["load", "--json", "--cache", "none", "--link-preview", server.server.url("/page").absoluteString]
        let outcome = try Tool.run(words)
        #expect(outcome.code == 0, "\(outcome.errors)")
    }
}
