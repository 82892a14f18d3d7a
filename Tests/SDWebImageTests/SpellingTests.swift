import Foundation
import Testing
import WebImageTesting

@testable import SDWebImage

/// Checks the effect of the SDWebImage names that no other suite covers.
struct SpellingTests {
    @Test func refusedAnswersAreInTheUserInfo() throws {
        let url = try #require(URL(string: "https://a.test/b.png"))
        let response = WebImageResponse(
            url: url, statusCode: 200, allHeaderFields: ["Content-Type": "text/html"], mimeType: "text/html")
        let types = ResponseAcceptance(contentTypes: ["image/png"])
        let info = SDWebImageError(try #require(types.refusal(of: response, for: url))).userInfo
        #expect(info[SDWebImageErrorDownloadResponseKey] as? WebImageResponse == response)
        #expect(info[SDWebImageErrorDownloadContentTypeKey] as? String == "text/html")
        let missing = WebImageResponse(url: url, statusCode: 404)
        let status = SDWebImageError(try #require(ResponseAcceptance().refusal(of: missing, for: url))).userInfo
        #expect(status[SDWebImageErrorDownloadResponseKey] as? WebImageResponse == missing)
        #expect(status[SDWebImageErrorDownloadContentTypeKey] == nil)
        let other = SDWebImageError(WebImageError(.badImageData, stage: .decode)).userInfo
        #expect(other[SDWebImageErrorDownloadResponseKey] == nil)
    }

    @Test func headerFieldsKeepTheirCaseAndAreFoundInAnyCase() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let body = try #require(try TestImages.solid().pngData())
        let fields = ["Content-Type": "image/png", "X-Mixed-Case": "a", "x-lower": "b"]
        server.route("/a.png", .respond(FaultResponse(.data(body), headers: fields)))
        let downloader = SDWebImageDownloader(config: SDWebImageDownloaderConfig())
        let url = server.url("/a.png")
        let token = Locked<SDWebImageDownloadToken?>(nil)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let made = downloader.downloadImage(with: url) { _, _, _, _ in done.resume() }
            token.withLock { $0 = made }
        }
        let response = try #require(token.withLock { $0 }?.response)
        #expect(response.allHeaderFields.keys.contains("X-Mixed-Case"))
        #expect(response.allHeaderFields["x-MIXED-case"] == "a" && response.allHeaderFields["X-Lower"] == "b")
        #expect(response.value(forHTTPHeaderField: "X-Mixed-Case") == "a")

        var changed = response
        changed.allHeaderFields = ["Foo": "1"]
        #expect(changed.value(forHTTPHeaderField: "FOO") == "1" && changed.allHeaderFields["foo"] == "1")
        changed.allHeaderFields["fOO"] = "2"
        #expect(changed.allHeaderFields.count == 1 && changed.allHeaderFields["Foo"] == "2")
        #expect(SDHeaderFields(["A": "1", "a": "1"]).count == 1)
        #expect(SDHeaderFields(["A": "1"]) == ["a": "1"] && SDHeaderFields(["A": "1"]) != ["a": "2"])
        #expect(Set([SDHeaderFields(["A": "1"]), ["a": "1"]]).count == 1)
    }

    @Test func numericOptionsConvertToTheRequestedType() {
        var options = DecodingOptions()
        options.scaleFactor = 2
        options.scaleDownLimitBytes = 100
        let values = options.dictionary
        #expect(values[.decodeScaleFactor] as? CGFloat == 2 && values[.decodeScaleFactor] as? Double == 2)
        #expect(values[.decodeScaleFactor] as? NSNumber == 2)
        #expect(values[.decodeScaleDownLimitBytes] as? UInt == 100 && values[.decodeToHDR] as? Int == 0)
        #expect(DecodingOptions(values) == options)
        let encoding = EncodingOptions([.encodeCompressionQuality: 0.5, .encodeToHDR: SDImageHDRType.ISOHDR.rawValue])
        #expect(encoding.dictionary[.encodeCompressionQuality] as? CGFloat == 0.5 && encoding.keepsHDR)
    }

    @Test func optionsConvertToAContextAndBack() {
        let context: SDWebImageContext = [
            .imageThumbnailPixelSize: CGSize(width: 20, height: 10), .imageScaleFactor: 3,
            .imagePreserveAspectRatio: false,
        ]
        let decoding = SDGetDecodeOptionsFromContext(context, .decodeFirstFrameOnly, "https://a.test/b@2x.png")
        #expect(decoding[.decodeThumbnailPixelSize] as? CGSize == CGSize(width: 20, height: 10))
        #expect(decoding[.decodeScaleFactor] as? CGFloat == 3 && decoding[.decodeFirstFrameOnly] as? Bool == true)
        let byKey = SDGetDecodeOptionsFromContext(nil, [], "https://a.test/b@2x.png")
        #expect(byKey[.decodeScaleFactor] as? CGFloat == 2)
        var (into, options): (SDWebImageContext, SDWebImageOptions) = ([.imageScaleDownLimitBytes: 1], [])
        SDSetDecodeOptionsToContext(&into, &options, decoding)
        #expect(options == .decodeFirstFrameOnly && into[.imageScaleDownLimitBytes] == nil)
        #expect(into[.imageThumbnailPixelSize] as? CGSize == CGSize(width: 20, height: 10))
        #expect(into[.imagePreserveAspectRatio] as? Bool == false && into[.imageScaleFactor] as? CGFloat == 3)
        SDSetDecodeOptionsToContext(&into, &options, [:])
        #expect(options == [] && into[.imageThumbnailPixelSize] == nil)
    }

    @Test func highDynamicRangeIsTold() throws {
        let deep = UIImage(pixels: try PixelBuffer(width: 2, height: 2, format: .rgba16))
        #expect(deep.sd_isHighDynamicRange)
        #expect(try !TestImages.solid().sd_isHighDynamicRange)
    }

    @Test func imagesAreComparedByIdentity() throws {
        let (one, other) = (try TestImages.solid(), try TestImages.solid())
        #expect(one == one && one != other && Set([one, one, other]).count == 2)
        let empty = UIImage()
        #expect(empty.size == CGSize(width: 1, height: 1) && empty.sd_color(at: .zero)?.alpha == 0)
        #expect(one.imageOrientation == .up && one.images == nil && one.duration == 0)
    }

    @Test func arrayOfImagesIsAnAnimation() throws {
        let pictures = try [0, 80, 160].map { try TestImages.solid(blue: $0) }
        let image = try #require(UIImage.animatedImage(with: pictures, duration: 0.6))
        #expect(image.sd_isAnimated && image.sd_imageFrameCount == 3 && image.images == pictures)
        #expect(abs(image.duration - 0.6) < 1e-9 && image.sd_imageLoopCount == 0)
        #expect(image.sd_memoryCost == UInt(pictures[0].pixels.byteCount * 3))
        let frames = try #require(SDImageCoderHelper.frames(from: image))
        #expect(frames.map(\.image) == pictures && frames.allSatisfy { abs($0.duration - 0.2) < 1e-9 })
        let file = try #require(image.sd_imageData(as: .GIF))
        #expect(SDAnimatedImage(data: file)?.animatedImageFrameCount == 3)
        #expect(SDScaledImageForScaleFactor(2, image)?.images?.count == 3)
        #expect(UIImage.animatedImage(with: [], duration: 1) == nil)
        #expect(UIImage.animatedImage(with: [pictures[0]], duration: 1)?.images == [pictures[0]])
        #expect(SDImageCoderHelper.frames(from: pictures[0]) == nil)
    }

    @Test func configurationsAreCopied() throws {
        let cache = SDImageCacheConfig()
        cache.maxDiskSize = 7
        let copy = try #require(cache.copy() as? SDImageCacheConfig)
        cache.maxDiskSize = .max
        #expect(copy.maxDiskSize == 7 && cache.value.maxDiskSize == .max)
        let downloader = SDWebImageDownloaderConfig()
        downloader.downloadTimeout = 3
        let other = try #require(downloader.copy(with: nil) as? SDWebImageDownloaderConfig)
        downloader.downloadTimeout = 4
        #expect(other.downloadTimeout == 3)
    }

    // SDUtilsTests.testSDCallbackQueue
    @Test @available(*, deprecated) func blockRunsBeforeSyncReturns() {
        let queue = DispatchQueue(label: "spelling")
        let calls = Locked<[Int]>([])
        SDCallbackQueue(dispatchQueue: queue).sync { calls.withLock { $0.append(1) } }
        calls.withLock { $0.append(2) }
        queue.sync {
            let inside = SDCallbackQueue(dispatchQueue: queue)
            inside.sync { calls.withLock { $0.append(3) } }
            inside.policy = .dispatch
            inside.sync { calls.withLock { $0.append(4) } }
        }
        #expect(calls.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test func registriesBeginWithTheBuiltInOnes() throws {
        let coders = SDImageCodersManager()
        #expect(coders !== SDImageCodersManager.shared && coders.canEncode(to: .GIF))
        #expect(SDImageLoadersManager().loaders?.first is SDWebImageDownloader)
        let (coder, image) = (SDImageIOCoder(), try TestImages.solid(width: 5, height: 4))
        #expect(coder.canEncode(to: .undefined) && !coder.canEncode(to: .GIF))
        #expect(coder.canDecode(from: nil) && coder.canDecode(from: Data()) && coder.decodedImage(with: nil) == nil)
        let gif = try #require(image.sd_imageData(as: .GIF))
        #expect(!coder.canDecode(from: gif))
        let file = try #require(coder.encodedData(with: image, format: .undefined, options: nil))
        #expect([.JPEG, .PNG].contains(file.sd_imageFormat))
        #expect(coder.decodedImage(with: file, options: nil)?.pixelSize == PixelSize(width: 5, height: 4))
        let arriving = SDImageIOCoder(incrementalWithOptions: [.decodeScaleFactor: 2])
        #expect(arriving.canIncrementalDecode(from: file) && arriving.incrementalDecodedImage() == nil)
        arriving.updateIncrementalData(file, finished: true)
        #expect(arriving.incrementalDecodedImage()?.scale == 2)
    }

    @Test func queryMayOmitItsLayers() async throws {
        let scratch = try ScratchFolder()
        let cache = SDImageCache(namespace: "query", diskCacheDirectory: scratch.url.path)
        let image = try TestImages.solid()
        cache.storeImage(toMemory: image, forKey: "a")
        let found = Locked<[UIImage?]>([])
        cache.queryImage(forKey: "a", context: nil) { image, _, _ in found.withLock { $0.append(image) } }
        SDImageCachesManager(caches: [cache]).queryImage(forKey: "a", options: [], context: nil) { image, _, _ in
            found.withLock { $0.append(image) }
        }
        #expect(await eventually { found.withLock { $0 } == [image, image] })
    }
}
