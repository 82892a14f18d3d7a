import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// A faulty input makes only its own load fail, with a specific error. Nothing is stored.
@Suite(.timeLimit(minutes: 2))
struct BadInputTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let behaviour: @Sendable (Data) -> FaultBehaviour
        let code: WebImageError.Code
        /// The expected code of libcurl, if libcurl detects the fault.
        var curl: Int?
    }

    static let faults: [Fault] = [
        Fault(testDescription: "empty", behaviour: { _ in .body(Data()) }, code: .badImageData),
        Fault(
            testDescription: "garbage", behaviour: { _ in .body(Data("<html>no picture</html>".utf8)) },
            code: .badImageData),
        Fault(testDescription: "cut in half", behaviour: { .body($0.prefix($0.count / 2)) }, code: .badImageData),
        Fault(testDescription: "404", behaviour: { _ in .status(404) }, code: .invalidDownloadStatusCode),
        Fault(testDescription: "500", behaviour: { _ in .status(500) }, code: .invalidDownloadStatusCode),
        Fault(
            testDescription: "early close",
            behaviour: {
                var response = FaultResponse(.data($0))
                response.closeAfter = 20
                return .respond(response)
            }, code: .transport, curl: 18),
        Fault(
            testDescription: "wrong Content-Length",
            behaviour: {
                var response = FaultResponse(.data($0))
                response.framing = .claimedLength($0.count + 1000)
                return .respond(response)
            }, code: .transport, curl: 18),
        Fault(
            testDescription: "redirect loop", behaviour: { _ in .redirect(to: "/bad") }, code: .transport, curl: 47),
        Fault(testDescription: "no answer", behaviour: { _ in .close }, code: .transport, curl: 52),
        Fault(
            testDescription: "over the cap", behaviour: { _ in .respond(FaultResponse(.endless)) },
            code: .limitExceeded),
    ]

    @Test(arguments: faults)
    func faultyInputFailsWithItsErrorAndStoresNothing(_ fault: Fault) async throws {
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytes = 1 << 20
        let journey = try Journey(config: config)
        let file = try Journey.file(.png, width: 60, height: 60)
        journey.server.route("/bad", fault.behaviour(file))
        journey.server.route("/good", .body(file))
        async let good = journey.manager.image(for: journey.server.url("/good"))
        let url = journey.server.url("/bad")
        let error = await #expect(throws: WebImageError.self) { try await journey.manager.image(for: url) }
        #expect(error?.code == fault.code, "\(error.map { "\($0)" } ?? "")")
        if let curl = fault.curl, case .curl(let code, let message)? = error?.underlying {
            #expect(code == curl)
            #expect(!message.isEmpty)
        } else {
            #expect(fault.curl == nil)
        }
        #expect(error?.url == url)
        #expect(journey.cache.imageFromMemoryCache(forKey: url.absoluteString) == nil)
        #expect(journey.cache.diskImageDataSync(forKey: url.absoluteString) == nil)
        #expect(try await good.pixelSize.width == 60)
    }

    @Test func unknownHostAndRefusedConnectionHaveDifferentErrors() async throws {
        let journey = try Journey()
        let port = journey.server.port
        journey.server.stop()
        let refused = try #require(URL(string: "http://127.0.0.1:\(port)/x.png"))
        let unknown = try #require(URL(string: "http://nonexistent.invalid/x.png"))
        for (url, expected) in [(refused, 7), (unknown, 6)] {
            let error = await #expect(throws: WebImageError.self) { try await journey.manager.image(for: url) }
            guard case .curl(let code, _)? = error?.underlying else {
                Issue.record("\(url): \(error.map { "\($0)" } ?? "no error")")
                continue
            }
            #expect(code == expected)
            #expect(error?.hint != nil)
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP])
    func truncatedAtEveryLengthIsATypedErrorOrAPicture(_ format: ImageFormat) throws {
        let file = try Journey.file(format, width: 17, height: 13)
        for length in 0..<file.count {
            do {
                _ = try ImageCodersManager.shared.decode(file.prefix(length), options: DecodingOptions())
                // A truncated file may decode if only an end marker or a checksum is missing.
                #expect(length > file.count / 2, "\(length) of \(file.count) bytes gave a picture")
            } catch {
                #expect(error.code == .badImageData, "\(length): \(error)")
            }
        }
    }

    @Test func wrongExtensionOrTypeIsIgnored() async throws {
        let journey = try Journey()
        journey.server.route("/picture.gif", .body(try Journey.file(.webP), type: "image/jpeg"))
        let image = try await journey.manager.image(for: journey.server.url("/picture.gif"))
        #expect(image.imageFormat == .webP)
    }

    @Test func aDamagedCacheEntryIsRemovedAndFetchedAgain() async throws {
        let journey = try Journey()
        let file = try Journey.file()
        journey.server.route("/picture.png", .body(file))
        let url = journey.server.url("/picture.png")
        await withCheckedContinuation { continuation in
            journey.cache.storeImage(
                nil, imageData: Data("not a picture".utf8), forKey: url.absoluteString, options: [],
                context: [.callbackQueue: CallbackQueue.invoking], cacheType: .disk
            ) { continuation.resume() }
        }
        let result = try await journey.manager.result(for: url)
        #expect(result.cacheType == .none)
        #expect(journey.cache.diskImageDataSync(forKey: url.absoluteString) == file)
    }

    @Test(arguments: ["/proc", "/dev/null/folder"])
    func aFolderThatCannotBeWrittenFailsNoLoad(_ path: String) async throws {
        let journey = try Journey()
        let manager = WebImageManager(
            cache: ImageCache(namespace: "default", diskCacheDirectory: path), loader: journey.manager.imageLoader)
        journey.server.route("/picture.png", .body(try Journey.file()))
        #expect(try await manager.image(for: journey.server.url("/picture.png")).pixelSize.width == 40)
    }
}
