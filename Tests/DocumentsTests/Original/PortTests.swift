import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// The calls that an app ported from iOS makes to the API.
@Suite(.timeLimit(minutes: 1)) struct PortTests {
    @Test func animatedImageReturnsItsFrames() throws {
        let file = try Desk.animation(frames: 4)
        let image = try #require(SDAnimatedImage(data: file))
        let one = Int(image.sd_memoryCost) - file.count
        #expect(image.animatedImageFrameCount == 4)
        #expect(image.animatedImageDuration(at: 0) == 0.05)
        #expect(image.animatedImageFormat == .GIF)
        #expect(image.animatedImageFrame(at: 3)?.size == CGSize(width: 8, height: 8))
        image.preloadAllFrames()
        #expect(image.isAllFramesLoaded && Int(image.sd_memoryCost) == 4 * one + file.count)
        image.unloadAllFrames()
        #expect(!image.isAllFramesLoaded)
    }

    @Test func codersAreAddedAndRemoved() {
        let coder = MyWebImageCoder()
        #expect(!SDImageCodersManager.shared.canDecode(from: MyWebImageCoder.file))
        SDImageCodersManager.shared.addCoder(coder)
        #expect(SDImageCodersManager.shared.canDecode(from: MyWebImageCoder.file))
        SDImageCodersManager.shared.removeCoder(coder)
        #expect(!SDImageCodersManager.shared.canDecode(from: MyWebImageCoder.file))
        #expect(SDImageCodersManager.shared.coders?.isEmpty == false)
    }

    @Test func webPIsEncodedWithItsOptions() throws {
        let image = try Image.generated(width: 64, height: 64) { x, y in (UInt8(x * 4), UInt8(y * 4), 90, 255) }
        let options: SDImageCoderOptions = [.encodeWebPMethod: 6, .encodeCompressionQuality: 0.3]
        let data = try #require(SDImageWebPCoder.shared.encodedData(with: image, format: .webP, options: options))
        #expect(NSData.sd_imageFormat(forImageData: data) == .webP)
        let best = try #require(SDImageWebPCoder.shared.encodedData(with: image, format: .webP, options: nil))
        #expect(data.count < best.count)
        let lossless = SDImageWebPCoder.shared.encodedData(
            with: image, format: .webP, options: [.encodeWebPLossless: true])
        #expect(
            lossless.flatMap { UIImage(data: $0) }?.sd_color(at: CGPoint(x: 9, y: 3))
                == image.sd_color(at: CGPoint(x: 9, y: 3)))
    }

    @Test func encodingHonoursItsSizeLimits() throws {
        let image = try Image.generated(width: 200, height: 100) { x, y in
            (UInt8(truncatingIfNeeded: x &* y), UInt8(truncatingIfNeeded: x ^ y), UInt8(y), 255)
        }
        let small = try #require(
            SDImageCodersManager.shared.encodedData(
                with: image, format: .JPEG, options: [.encodeMaxPixelSize: CGSize(width: 50, height: 50)]))
        #expect(UIImage(data: small)?.size == CGSize(width: 50, height: 25))
        let bounded = try #require(
            SDImageCodersManager.shared.encodedData(with: image, format: .JPEG, options: [.encodeMaxFileSize: 6000]))
        #expect(bounded.count <= 6000)
        let poor = try #require(image.sd_imageData(as: .JPEG, compressionQuality: 0.1))
        let good = try #require(image.jpegData(compressionQuality: 1))
        #expect(poor.count < good.count)
    }

    @Test func theFirstFrameCanBeWrittenAlone() throws {
        let animation = try #require(SDAnimatedImage(data: try Desk.animation()))
        let still = animation.sd_imageData(as: .GIF, compressionQuality: 1, firstFrameOnly: true)
        #expect(still.flatMap { UIImage.sd_image(with: $0) }?.sd_imageFrameCount == 1)
        let moving = animation.sd_imageData(as: .GIF)
        #expect(moving.flatMap { UIImage.sd_image(with: $0) }?.sd_imageFrameCount == 3)
    }

    @Test func decodedImageHasTheRequestedScale() throws {
        let image = SDImageCodersManager.shared.decodedImage(
            with: try Desk.file(width: 40, height: 30), options: [.decodeScaleFactor: 2])
        #expect(image?.scale == 2 && image?.size == CGSize(width: 20, height: 15))
        #expect(SDImageScaleFactorForKey("https://a.test/b@3x.png") == 3)
        #expect(SDScaledImageForScaleFactor(4, image)?.size == CGSize(width: 10, height: 7.5))
    }

    @Test func formatsHaveTheOriginalsNumbersAndIdentifiers() {
        let formats: [SDImageFormat] = [.JPEG, .PNG, .GIF, .TIFF, .webP, .HEIC, .HEIF, .PDF, .SVG, .BMP, .RAW]
        #expect(formats.map(\.rawValue) == Array(0...10))
        #expect(SDImageFormat.undefined.rawValue == -1)
        #expect(NSData.sd_UTType(from: .webP) == "org.webmproject.webp")
        #expect(NSData.sd_imageFormat(fromUTType: "public.heic") == .HEIC)
    }

    @Test func cacheKeysEqualTheOriginals() {
        let key = SDThumbnailedKeyForKey("https://foo.com/a.png", CGSize(width: 100, height: 100), true)
        #expect(key == "https://foo.com/a-Thumbnail(%7B100.000000,100.000000%7D,1).png")
        #expect(SDTransformedKeyForKey(nil, "S") == nil)
        #expect(SDTransformedKeyForKey("Test/image.png", "S") == "Test/image-S.png")
    }

    @Test func cacheIsQueriedInEveryForm() async throws {
        let desk = try Desk()
        let (cache, image) = (desk.cache, try TestImages.solid())
        await withCheckedContinuation { done in cache.store(image, forKey: "k") { done.resume() } }
        #expect(cache.imageFromCache(forKey: "k") === image)
        let (queried, type) = await withCheckedContinuation { done in
            cache.queryCacheOperation(forKey: "k") { image, _, type in done.resume(returning: (image, type)) }
        }
        #expect(queried === image && type == .memory)
        let (count, size) = await withCheckedContinuation { done in
            cache.calculateSize { count, size in done.resume(returning: (count, size)) }
        }
        #expect(count == 1 && size > 0)
        await withCheckedContinuation { done in cache.removeImage(forKey: "k", withCompletion: { done.resume() }) }
        #expect(!cache.diskImageDataExists(withKey: "k"))
        cache.storeImage(toMemory: image, forKey: "m")
        cache.storeImageData(toDisk: try Desk.file(), forKey: "d")
        #expect(cache.imageFromMemoryCache(forKey: "m") === image && cache.diskImageDataExists(withKey: "d"))
        await withCheckedContinuation { done in cache.clearDisk(onCompletion: { done.resume() }) }
        cache.clearMemory()
        #expect(cache.totalDiskCount() == 0 && cache.imageFromMemoryCache(forKey: "m") == nil)
    }

    @Test func downloadTokenReportsLikeTheOriginals() async throws {
        let desk = try Desk()
        desk.server.route("/missing.png", .status(404))
        let downloader = desk.downloader
        downloader.setValue("yes", forHTTPHeaderField: "X-Port")
        #expect(downloader.value(forHTTPHeaderField: "X-Port") == "yes")
        downloader.requestModifier = SDWebImageDownloaderRequestModifier { request in
            var request = request
            request.setValue("bar", forHTTPHeaderField: "foo")
            return request
        }
        let url = desk.server.url("/missing.png")
        let error = await withCheckedContinuation { done in
            downloader.downloadImage(with: url, options: .highPriority, progress: nil) { _, _, error, _ in
                done.resume(returning: error as NSError?)
            }
        }
        #expect(
            error?.domain == SDWebImageErrorDomain && error?.code == SDWebImageError.invalidDownloadStatusCode.rawValue)
        #expect((error?.userInfo[SDWebImageErrorDownloadStatusCodeKey] as? NSNumber)?.intValue == 404)
        #expect(error?.localizedDescription.isEmpty == false)
        #expect(desk.server.requests.first?.headers["foo"] == "bar")
        #expect(desk.server.requests.first?.headers["x-port"] == "yes")
    }

    @Test func configurationsAreReferenceTypes() {
        let config = SDWebImageDownloaderConfig()
        config.maxConcurrentDownloads = 2
        config.downloadTimeout = 4
        config.executionOrder = .lifoExecutionOrder
        let downloader = SDWebImageDownloader(config: config)
        #expect(downloader.config.maxConcurrentDownloads == 2 && downloader.config.executionOrder == .lifo)
        config.maxConcurrentDownloads = 9
        #expect(downloader.config.maxConcurrentDownloads == 2)
        downloader.config.maxConcurrentDownloads = 3
        #expect(downloader.config.maxConcurrentDownloads == 3)
    }

    @Test func errorsAreDistinguishedInEveryForm() {
        let failure: any Error = SDWebImageError(WebImageError(.badImageData, stage: .decode))
        switch failure {
        case SDWebImageError.cancelled: Issue.record("the error matches .cancelled")
        case SDWebImageError.badImageData: break
        default: Issue.record("the error matches no case")
        }
        #expect((failure as NSError).domain == SDWebImageErrorDomain)
        #expect((failure as? SDWebImageError)?.code == .badImageData)
        #expect((failure as NSError).code == SDWebImageError.Code.badImageData.rawValue)
        switch (failure as? SDWebImageError)?.code {
        case .cancelled: Issue.record("the code matches .cancelled")
        case .badImageData: break
        default: Issue.record("the code matches no case")
        }
        #expect(SDWebImageError(rawValue: 2002) != nil && SDWebImageError(rawValue: 3) == nil)
        #expect(SDWebImageError.cancelled.rawValue == 2002)
        #expect(throws: SDWebImageError.self) { throw SDWebImageError.blackListed }
    }

    @Test func rendererDrawsAPicture() throws {
        let format = SDGraphicsImageRendererFormat.preferred()
        let renderer = SDGraphicsImageRenderer(size: CGSize(width: 12, height: 6), format: format)
        let image = renderer.image { _ in }
        #expect(image.size == CGSize(width: 12, height: 6))
    }
}
