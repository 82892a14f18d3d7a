import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Loads images through all real parts: network, decoder, caches and delivery.
@Suite(.timeLimit(minutes: 2))
struct JourneyTests {
    @Test(arguments: [ImageFormat.jpeg, .png, .webP])
    func imageIsLoadedFromTheNetworkThenFromMemoryThenFromDisk(_ format: ImageFormat) async throws {
        let journey = try Journey()
        let file = try Journey.file(format)
        journey.server.route("/picture", .body(file))
        let url = journey.server.url("/picture")
        let first = try await journey.manager.result(for: url)
        #expect(first.cacheType == .none && first.data == file && first.image.imageFormat == format)
        #expect(first.image.pixelSize == PixelSize(width: 40, height: 30))
        #expect(try await journey.manager.result(for: url).cacheType == .memory)
        // Disable the weak map. Otherwise, the weak map would find the image that `first` references.
        journey.cache.config.shouldUseWeakMemoryCache = false
        journey.cache.clearMemory()
        #expect(try await journey.manager.result(for: url).cacheType == .disk)
        #expect(journey.server.requestCount("/picture") == 1)
    }

    /// An entry on disk expires when its load said so, for an original and for a thumbnail that is stored.
    @Test(arguments: [nil, CGSize(width: 10, height: 10)]) func anEntryExpiresAtTheTimeOfItsRequest(
        _ size: CGSize?
    ) async throws {
        let journey = try Journey()
        journey.server.route("/picture", .body(try Journey.file()))
        journey.cache.config.shouldUseWeakMemoryCache = false
        for (expiration, count) in [(Duration.seconds(3600), 1), (.zero, 2)] {
            await journey.manager.removeImage(for: journey.server.url("/picture"))
            var request = ImageRequest(url: journey.server.url("/picture"), size: size)
            request.expiration = expiration
            request.storeCache = .all
            let before = journey.server.requestCount("/picture")
            for _ in 0..<2 {
                _ = try await journey.manager.result(for: request)
                await journey.cache.flush()
                journey.cache.clearMemory()
            }
            #expect(journey.server.requestCount("/picture") - before == count)
        }
    }

    @Test func theNetworkIsReadOnlyIfTheRequestAllowsIt() async throws {
        let journey = try Journey()
        journey.server.route("/picture", .body(try Journey.file()))
        var request = ImageRequest(url: journey.server.url("/picture"))
        request.reading = [.memory, .disk]
        await #expect { try await journey.manager.image(for: request) } throws: {
            ($0 as? WebImageError)?.code == .notCached
        }
        (request.reading, request.writing) = (.network, .memory)
        #expect(try await journey.manager.result(for: request).cacheType == .none)
        #expect(try await journey.manager.result(for: request).cacheType == .none)
        request.reading = .memory
        #expect(try await journey.manager.result(for: request).cacheType == .memory)
        await journey.cache.flush()
        journey.cache.config.shouldUseWeakMemoryCache = false
        journey.cache.clearMemory()
        request.reading = .disk
        await #expect(throws: WebImageError.self) { try await journey.manager.image(for: request) }
        #expect(journey.server.requestCount("/picture") == 2)
    }

    @Test func aDiskCacheOutlivesItsProcess() async throws {
        let journey = try Journey()
        let file = try Journey.file()
        journey.server.route("/picture.png", .body(file))
        let url = journey.server.url("/picture.png")
        _ = try await journey.manager.result(for: url)
        await journey.cache.flush()
        let later = WebImageManager(
            cache: ImageCache(namespace: "default", diskCacheDirectory: journey.folder.path),
            loader: journey.manager.imageLoader)
        let result = try await later.result(for: url)
        #expect(result.cacheType == .disk)
        #expect(journey.server.requestCount("/picture.png") == 1)
    }

    @Test func aThousandConcurrentLoadsMakeOneRequestAndOneDecode() async throws {
        let journey = try Journey()
        let gate = FaultGate()
        journey.server.route("/one.png", .gated(gate, .body(try Journey.file())))
        let url = journey.server.url("/one.png")
        let counting = CountingCoder()
        let manager = journey.manager
        try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<1000 {
                group.addTask { ObjectIdentifier(try await manager.image(for: url, context: [.imageCoder: counting])) }
            }
            #expect(await eventually { manager.subscriberCount(of: url) == 1000 })
            gate.open()
            var images: Set<ObjectIdentifier> = []
            for try await image in group { images.insert(image) }
            #expect(images.count == 1)
        }
        #expect(journey.server.requestCount("/one.png") == 1)
        #expect(counting.decodeCount == 1)
    }

    @Test func aThumbnailIsDecodedAtItsSizeAndItsOriginalIsKept() async throws {
        let journey = try Journey()
        let file = try Journey.file(.jpeg, width: 400, height: 300)
        journey.server.route("/large.jpg", .body(file, type: "image/jpeg"))
        let url = journey.server.url("/large.jpg")
        let context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 100, height: 100)]
        let small = try await journey.manager.result(for: url, context: context)
        #expect(small.image.pixelSize == PixelSize(width: 100, height: 75) && small.image.isThumbnail)
        #expect(journey.cache.diskImageDataSync(forKey: url.absoluteString) == file)
        let full = try await journey.manager.result(for: url)
        #expect(full.cacheType == .disk && full.image.pixelSize.width == 400)
        #expect(journey.server.requestCount("/large.jpg") == 1)
    }

    @Test func fileAndDataURLsUseTheSamePipeline() async throws {
        let journey = try Journey()
        let file = try Journey.file()
        let path = journey.folder.appendingPathComponent("own picture.png")
        try file.write(to: path)
        #expect(try await journey.manager.image(for: path).pixelSize.width == 40)
        let data = try #require(URL(string: "data:image/png;base64,\(file.base64EncodedString())"))
        #expect(try await journey.manager.image(for: data).pixelSize.width == 40)
    }

    @Test func twoThousandRandomCancelsEndOnceEachAndLeakNothing() async throws {
        let before = LiveHandles.current
        try await cancelAtRandom()
        // After the release of the journey, all of its handles are closed. SQLite handles are exempt, because other
        // tests use SQLite at the same time.
        #expect(
            await eventually {
                LiveHandles.current.allSatisfy { kind, count in
                    kind.hasPrefix("sqlite") || count <= before[kind, default: 0]
                }
            }, "\(LiveHandles.current) after \(before)")
    }

    private func cancelAtRandom() async throws {
        let journey = try Journey()
        let file = try Journey.file(.jpeg, width: 200, height: 150)
        for number in 0..<40 {
            var response = FaultResponse(.data(file), headers: ["Content-Type": "image/jpeg"])
            response.delay = .milliseconds(number % 5)
            journey.server.route("/\(number).jpg", .respond(response))
        }
        let ends = Locked([Int](repeating: 0, count: 2000))
        var operations: [WebImageCombinedOperation] = []
        var random = SeededRandom.printingSeed()
        for index in 0..<2000 {
            let context: WebImageContext = [
                .callbackQueue: CallbackQueue.invoking,
                .imageThumbnailPixelSize: CGSize(width: 20 + index % 3, height: 40),
            ]
            operations.append(
                journey.manager.loadImage(
                    with: journey.server.url("/\(index % 40).jpg?\(index / 200)"), context: context
                ) {
                    _, _, _, _, finished, _ in
                    if finished { ends.withLock { $0[index] += 1 } }
                })
            if index % 50 == 49 {
                for _ in 0..<30 { operations[Int.random(in: max(0, index - 150)...index, using: &random)].cancel() }
                // Wait until some loads have ended, while other loads have not begun. The cancels then reach loads in
                // every stage.
                let fewest = Int.random(in: max(0, index - 300)...index, using: &random) / 2
                _ = await eventually { ends.withLock { $0.count { $0 > 0 } } >= fewest }
            }
        }
        for operation in operations.shuffled(using: &random) where Bool.random(using: &random) { operation.cancel() }
        let manager = journey.manager
        #expect(await eventually(within: 30) { ends.withLock { $0.allSatisfy { $0 == 1 } } })
        #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(await eventually { manager.sharedTaskCount == 0 && !manager.isRunning })
    }
}

extension JourneyTests {
    @Test func changedLocalFileIsReadAgainAndAMissingOneNotRemembered() async throws {
        let journey = try Journey()
        let path = journey.folder.appendingPathComponent("picture.png")
        try Data("no picture".utf8).write(to: path)
        await #expect(throws: WebImageError.self) { try await journey.manager.image(for: path) }
        try Journey.file(.png, width: 40, height: 30).write(to: path)
        #expect(try await journey.manager.image(for: path).pixelSize.width == 40)
        try Journey.file(.png, width: 50, height: 30).write(to: path)
        journey.cache.config.shouldUseWeakMemoryCache = false
        journey.cache.clearMemory()
        #expect(try await journey.manager.image(for: path).pixelSize.width == 50)
        #expect(await journey.cache.diskUsage().count == 0)
    }
}
