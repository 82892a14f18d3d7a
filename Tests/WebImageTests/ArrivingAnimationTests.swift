import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Plays an animation while its file arrives. The player plays the received frames, waits at the last received frame
/// and continues when more frames arrive. After the end of the file, the complete animation continues at the current
/// frame.
@MainActor @Suite(.timeLimit(minutes: 1))
struct ArrivingAnimationTests {
    private let registry = FrameStoreRegistry(budget: 1 << 24)
    private let link = ManualDisplayLink()

    /// Returns an animation of 12 frames of 0.1 s each. The colour identifies the frame.
    nonisolated static func file(_ format: ImageFormat) throws -> Data {
        let frames = try (0..<12).map { index in
            // Noise does not compress, so all frames take about the same number of bytes.
            let image = try Image.generated(width: 48, height: 32) { x, y in
                x < 8 ? (0, UInt8(index * 20), 200, 255) : (noise(x, y, index), 90, 60, 255)
            }
            return ImageFrame(image: image, duration: 0.1)
        }
        var options = EncodingOptions()
        options.lossless = true
        return try ImageCodersManager.shared.encode(frames, loopCount: 3, format: format, options: options)
    }

    /// Returns noise that no encoder can predict.
    nonisolated private static func noise(_ x: Int, _ y: Int, _ index: Int) -> UInt8 {
        let mixed = (x &* 73_856_093) ^ (y &* 19_349_663) ^ ((index + 1) &* 83_492_791)
        return UInt8((mixed >> 5 ^ mixed >> 11) & 7) * 32
    }

    private func number(_ frame: Image) -> Int {
        Int(((frame.color(at: CGPoint(x: 2, y: 2))?.green ?? -1) * 255 / 20).rounded())
    }

    /// Waits until all received frames are decoded, and then advances the player by this many seconds.
    private func play(_ player: AnimatedImagePlayer, _ seconds: Double) async {
        let isFilled = await eventually(within: 20) {
            link.tick(0)
            return player.bufferedFrameCount == player.totalFrameCount
        }
        #expect(isFilled)
        for _ in 0..<Int((seconds * 50).rounded()) { link.tick(0.02) }
    }

    // SDAnimatedImageTest.test27AnimatedImageProgressiveAnimation
    @Test(.tags(.x6), arguments: [ImageFormat.gif, .png, .webP])
    func partialAnimationPlaysWaitsAndContinues(_ format: ImageFormat) async throws {
        let file = try Self.file(format)
        let coder = try #require(try ImageCodersManager.shared.animation(of: file, options: .init()))
        let arriving = ArrivingAnimation(coder: coder, options: .init())
        #expect(arriving.update(file.prefix(file.count / 3)))
        let first = arriving.animatedImageFrameCount
        #expect(first > 1 && first < 12)
        let preview = try #require(AnimatedImage(animatedCoder: arriving, scale: 1))
        #expect(preview.isAnimated && (preview.animatedCoder as AnyObject) === arriving)

        let player = try #require(AnimatedImagePlayer(provider: arriving, displayLink: link, registry: registry))
        player.awaitsMoreFrames = true
        var shown: [Int] = []
        player.animationFrameHandler = { index, frame in
            #expect(number(frame) == index)
            shown.append(index)
        }
        player.startPlaying()
        await play(player, 3)
        // The player waits at the last received frame.
        #expect(shown == Array(0..<first) && player.isPlaying && player.currentLoopCount == 0)

        #expect(arriving.update(file.prefix(file.count * 2 / 3)))
        player.totalFrameCount = arriving.animatedImageFrameCount
        let second = arriving.animatedImageFrameCount
        #expect(second > first && second < 12)
        await play(player, 0.25)
        let position = player.currentFrameIndex
        #expect(position > first - 1 && shown == Array(0...position))

        // The complete animation continues at the current frame. No frame is shown twice or left out.
        let whole = try #require(AnimatedImage(data: file))
        player.continuePlaying(with: whole)
        #expect(player.currentFrameIndex == position && player.totalFrameCount == 12 && !player.awaitsMoreFrames)
        // A player plays a GIF as often as its number of repetitions says, as SDWebImage does.
        #expect(player.totalLoopCount == (format == .gif ? 2 : 3) && player.bufferedFrameCount > 0)
        await play(player, Double(12 - position) * 0.1 + 0.15)
        #expect(Array(shown.prefix(12)) == Array(0..<12) && player.currentLoopCount == 1)
        player.stopPlaying()
        player.animationFrameHandler = nil
    }

    @Test(arguments: [ImageFormat.gif, .png, .webP])
    func everyTruncationReturnsOnlyWholeFrames(_ format: ImageFormat) throws {
        let file = try Self.file(format)
        let whole = try #require(AnimatedImage(data: file))
        var counts: [Int] = []
        for length in stride(from: 0, through: file.count, by: max(file.count / 40, 1)) {
            let part = try? ArrivingAnimation(animation: file.prefix(length), options: DecodingOptions())
            counts.append(part?.animatedImageFrameCount ?? 0)
            guard let part, let last = part.animatedImageFrame(at: part.animatedImageFrameCount - 1) else { continue }
            #expect(number(last) == part.animatedImageFrameCount - 1)
            #expect(part.animatedImageDuration(at: 0) == whole.animatedImageDuration(at: 0))
        }
        #expect(counts == counts.sorted() && counts.first == 0 && counts.last ?? 0 >= 11)
        #expect((try? ArrivingAnimation(animation: Data("no picture".utf8), options: DecodingOptions())) == nil)
    }

    @Test func openingEveryPartCostsAFewTimesTheWhole() throws {
        let file = try Self.file(.gif)
        let coder = try #require(try ImageCodersManager.shared.animation(of: file, options: .init()))
        let arriving = ArrivingAnimation(coder: coder, options: .init())
        var looks = 0
        for length in 1...file.count where arriving.update(file.prefix(length)) { looks += 1 }
        #expect(looks > 2 && looks < 12)
    }

    @Test(.tags(.x6))
    func progressiveLoadReturnsTheReceivedFrames() async throws {
        let file = try Self.file(.gif)
        let server = try FaultServer()
        defer { server.stop() }
        var drip = FaultResponse(.data(file), headers: ["Content-Type": "image/gif"])
        // Each preview of several frames lets the next quarter be sent.
        let gates = (1...3).map { _ in FaultGate() }
        drip.piece = file.count / 4 + 1
        for (index, gate) in gates.enumerated() { drip.pieceGates[index + 1] = gate }
        server.route("/a.gif", .respond(drip))
        let scratch = try ScratchFolder()
        let cache = ImageCache(namespace: "arriving", diskCacheDirectory: scratch.url.path)
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager.shared)
        let seen = Locked<[(count: Int, coder: ObjectIdentifier?)]>([])
        let final = await withCheckedContinuation { continuation in
            _ = manager.loadImage(
                with: server.url("/a.gif"), options: [.progressiveLoad],
                context: [.animatedImageClass: AnimatedImage.self, .callbackQueue: CallbackQueue.global], progress: nil
            ) { image, _, _, _, isFinished, _ in
                if isFinished { return continuation.resume(returning: image) }
                guard let image = image as? AnimatedImage, image.isIncremental else { return }
                let coder = image.animatedCoder.map { ObjectIdentifier($0 as AnyObject) }
                let count = seen.withLock {
                    $0.append((image.imageFrameCount, coder))
                    return $0.count { $0.count > 1 }
                }
                for gate in gates.prefix(count) { gate.open() }
            }
        }
        let parts = seen.withLock { $0 }.filter { $0.count > 1 }
        #expect(parts.count > 1 && parts.map(\.count) == parts.map(\.count).sorted())
        #expect(Set(parts.map(\.coder)).count == 1)
        let whole = try #require(final as? AnimatedImage)
        #expect(whole.imageFrameCount == 12 && !whole.isIncremental)
    }
}
