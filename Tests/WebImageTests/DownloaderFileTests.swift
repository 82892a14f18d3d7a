import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// Loads file URLs with the downloader, as SDWebImage does.
@Suite(.timeLimit(minutes: 1))
struct DownloaderFileTests {
    private let scratch: ScratchFolder
    private let file: URL
    private let bytes: Data

    init() throws {
        scratch = try ScratchFolder()
        file = scratch.url.appendingPathComponent("a b.png")
        bytes = try Journey.file(width: 40)
        try bytes.write(to: file)
    }

    private func policies() -> [DownloadPolicy] {
        var open = DownloadPolicy()
        open.publicAddressesOnly = true
        open.allowedSchemes.insert("file")
        return [.server, DownloadPolicy(), open]
    }

    @Test func fileIsReadInBothForms() async throws {
        let downloader = WebImageDownloader(config: .default)
        defer { downloader.shutdown() }
        #expect(downloader.canLoad(ImageDataLoad(url: file)))
        let result = try await downloader.loadData(for: ImageDataLoad(url: file), progress: nil)
        #expect(result.data == bytes)
        let heard = Locked<(Image?, Data?, WebImageError?)?>(nil)
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let token = downloader.downloadImage(with: file, context: context) { image, data, error, _ in
            heard.withLock { $0 = (image, data, error) }
        }
        #expect(token?.url == file)
        #expect(await eventually { heard.withLock { $0 != nil } })
        #expect(heard.withLock { $0?.0?.pixelSize.width } == 40)
        #expect(heard.withLock { $0?.1 } == bytes)
        let missing = scratch.url.appendingPathComponent("missing.png")
        await #expect { try await downloader.loadData(for: ImageDataLoad(url: missing), progress: nil) } throws: {
            ($0 as? WebImageError)?.code == .fileSystem
        }
    }

    @Test func managerWithOnlyTheDownloaderLoadsFiles() async throws {
        let journey = try Journey()
        let manager = WebImageManager(cache: journey.cache, loader: journey.downloader)
        try await #expect(manager.image(for: file).pixelSize.width == 40)
        await journey.cache.flush()
        #expect(journey.cache.totalDiskCount() == 0)
        let missing = scratch.url.appendingPathComponent("missing.png")
        for _ in 0..<2 {
            await #expect { try await manager.image(for: missing) } throws: {
                ($0 as? WebImageError)?.code == .fileSystem
            }
        }
    }

    @Test  // SDWebImageDownloaderTests.test22ThatCustomDecoderWorksForImageDownload
    func theContextsCoderDecodesAFile() async throws {
        let journey = try Journey()
        let coder = FakeCoder()
        try FakeCoder.file(width: 80, height: 60).write(to: file)
        let images = Calls<Image?>()
        journey.downloader.downloadImage(
            with: file, context: [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking]
        ) { image, _, _, _ in images.append(image) }
        #expect(await images.wait().flatMap { $0 }?.pixelSize == PixelSize(width: 80, height: 60))
        #expect(coder.decodeCount == 1)
    }

    @Test  // SDWebImageDownloaderTests.test31ThatMultipleRequestForSameURLNeverSkipCallback
    func noneOfManyRequestsForAFileIsSkipped() async throws {
        let journey = try Journey()
        let images = Calls<Image?>()
        for number in 0...200 {
            journey.downloader.downloadImage(with: file, context: [.callbackQueue: CallbackQueue.global]) {
                image, _, _, _ in images.append(image)
            }
            if number.isMultiple(of: 10) { await Task.yield() }
        }
        #expect(await eventually(within: 30) { images.all.count == 201 })
        #expect(images.all.allSatisfy { $0?.pixelSize.width == 40 })
    }

    @Test  // SDWebImageDownloaderTests.test31ThatMultipleRequestForSameURLFailedCallback
    func everyRequestForAnEmptyFileFails() async throws {
        let journey = try Journey()
        try Data().write(to: file)
        let codes = Calls<WebImageError.Code?>()
        for _ in 0...10 {
            journey.downloader.downloadImage(with: file, context: [.callbackQueue: CallbackQueue.global]) {
                _, _, error, _ in codes.append(error?.code)
            }
        }
        #expect(await eventually(within: 30) { codes.all.count == 11 })
        #expect(codes.all.allSatisfy { $0 == .badImageData })
    }

    @Test func policyForbidsFiles() async throws {
        for policy in policies() {
            var config = WebImageDownloaderConfig.default
            config.policy = policy
            let downloader = WebImageDownloader(config: config)
            defer { downloader.shutdown() }
            await #expect { try await downloader.loadData(for: ImageDataLoad(url: file), progress: nil) } throws: {
                ($0 as? WebImageError)?.code == .invalidDownloadOperation
            }
        }
        var config = WebImageDownloaderConfig.default
        config.policy = DownloadPolicy()
        config.policy?.allowedSchemes.insert("file")
        let downloader = WebImageDownloader(config: config)
        defer { downloader.shutdown() }
        try await #expect(downloader.loadData(for: ImageDataLoad(url: file), progress: nil).data == bytes)
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func noRedirectLeadsToAFile(status: Int) async throws {
        for policy in policies() + [nil] {
            var config = WebImageDownloaderConfig.default
            config.policy = policy
            config.policy?.allowedAddresses = [try #require(AddressRange("127.0.0.1"))]
            config.policy?.allowedSchemes.insert("file")
            let journey = try Journey(config: config)
            defer { journey.downloader.shutdown() }
            for target in [
                file.absoluteString, "file://localhost" + file.path.replacingOccurrences(of: " ", with: "%20"),
            ] {
                journey.server.route("/a", .redirect(to: target, status: status))
                for method in ["GET", "POST", "PUT"] {
                    let modifier = WebImageDownloaderRequestModifier(method: method)
                    let load = ImageDataLoad(
                        url: journey.server.url("/a"), context: [.downloadRequestModifier: modifier])
                    await #expect(throws: WebImageError.self) {
                        try await journey.downloader.loadData(for: load, progress: nil)
                    }
                }
            }
        }
    }

    @Test func modifierCannotChangeTheSchemeToAnother() async throws {
        let downloader = WebImageDownloader(config: .default)
        defer { downloader.shutdown() }
        for target in [file, try #require(URL(string: "ftp://127.0.0.1:1/a.png"))] {
            let modifier = WebImageDownloaderRequestModifier { _ in WebImageRequest(url: target) }
            let load = ImageDataLoad(
                url: try #require(URL(string: "http://127.0.0.1:1/")), context: [.downloadRequestModifier: modifier])
            await #expect { try await downloader.loadData(for: load, progress: nil) } throws: {
                ($0 as? WebImageError)?.code == .invalidURL
            }
        }
    }
}
