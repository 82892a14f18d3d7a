import CWebImageGTK
import Foundation
import SDWebImageGTK
import Testing
import WebImageTesting

extension ViewDocuments {
    /// SDWebImage's test cases for the animated view.
    @MainActor struct AnimatedViewCases {
        let desk: Desk
        let imageView: SDAnimatedImageView
        let animation: SDAnimatedImage

        init() throws {
            try #require(gtk_init_check() != 0)
            desk = try Desk()
            imageView = SDAnimatedImageView()
            animation = try #require(SDAnimatedImage(data: try Desk.animation(frames: 4)))
        }

        // SDAnimatedImageTest.test06AnimatedImageViewSetImage
        @Test func aStillIsShownWithoutAPlayer() throws {
            let still = try TestImages.solid()
            imageView.image = still
            #expect(imageView.image === still && imageView.player == nil)
        }

        // SDAnimatedImageTest.test08AnimatedImageViewSetAnimatedImageGIF
        // SDAnimatedImageTest.test09AnimatedImageViewSetAnimatedImageAPNG
        @Test func animationsHaveAPlayer() throws {
            imageView.image = animation
            #expect(imageView.image === animation && imageView.player != nil)
            let file = try #require(animation.sd_imageData(as: .PNG))
            let apng = try #require(SDAnimatedImage(data: file))
            imageView.image = apng
            #expect(imageView.image === apng && imageView.player?.totalFrameCount == 4)
        }

        // SDAnimatedImageTest.test11AnimatedImageViewIntrinsicContentSize
        @Test func viewHasTheSizeOfItsAnimation() async {
            let stage = await Stage(imageView, width: 1, height: 1)
            defer { stage.close() }
            imageView.image = animation
            #expect(Stage.naturalSize(of: imageView) == (8, 8))
        }

        // SDAnimatedImageTest.test14AnimatedImageViewStopPlayingWhenHidden
        @Test func hiddenAnimatedViewStopsPlaying() async {
            let stage = await Stage(imageView)
            defer { stage.close() }
            imageView.image = animation
            imageView.startAnimating()
            #expect(await Stage.pump { imageView.player?.isPlaying == true })
            gtk_widget_set_visible(UnsafeMutablePointer(imageView.widget), 0)
            #expect(await Stage.pump { imageView.player?.isPlaying == false })
        }

        // SDAnimatedImageTest.test20AnimatedImageViewRendering
        @Test func everyFrameIsShownAndLoopsAreCounted() async {
            let stage = await Stage(imageView)
            defer { stage.close() }
            imageView.image = animation
            var seen: Set<UInt> = []
            #expect(
                await Stage.pump {
                    seen.insert(imageView.currentFrameIndex)
                    return seen.count == 4 && imageView.currentLoopCount >= 1
                })
        }

        // SDAnimatedImageTest.test21AnimatedImageViewSetProgressiveAnimatedImage, SDAnimatedImageTest.test23AnimatedImageViewCategoryProgressive
        @Test func progressiveAnimationShowsReceivedFrames() async throws {
            var slow = FaultResponse(
                .data(try Desk.animation(frames: 24, side: 64)), headers: ["Content-Type": "image/gif"])
            slow.piece = 256
            slow.interval = .milliseconds(5)
            let rest = FaultGate()
            slow.lastPiece = rest
            desk.server.route("/drip.gif", .respond(slow))
            var type: SDImageCacheType?
            imageView.sd_setImage(
                with: desk.server.url("/drip.gif"), placeholderImage: nil, options: .progressiveLoad,
                context: [.customManager: desk.manager]
            ) { image, error, cacheType, _ in type = image is SDAnimatedImage && error == nil ? cacheType : nil }
            var (parts, waited) = (0, false)
            #expect(
                await Stage.pump {
                    if let image = imageView.image, image.sd_isIncremental, image is any SDAnimatedImageProtocol {
                        parts += 1
                    }
                    if imageView.player?.awaitsMoreFrames == true { waited = true }
                    // The file is complete only when both were seen.
                    if waited, parts > 0 { rest.open() }
                    return type != nil
                })
            #expect(waited && imageView.player?.awaitsMoreFrames == false)
            #expect(parts > 0 && type == SDImageCacheType.none && imageView.image?.sd_isIncremental == false)
        }

        // SDAnimatedImageTest.test24AnimatedImageViewCategoryDiskCache
        @Test func anAnimationOnDiskIsPlayed() async throws {
            let url = try #require(URL(string: "https://nowhere.invalid/kept.gif"))
            desk.cache.storeImageData(toDisk: try Desk.animation(), forKey: url.absoluteString)
            var type: SDImageCacheType?
            imageView.sd_setImage(with: url, context: [.customManager: desk.manager]) { _, error, cacheType, _ in
                type = error == nil ? cacheType : nil
            }
            #expect(await Stage.pump { imageView.image != nil })
            #expect(type == .disk && imageView.image is SDAnimatedImage)
        }

        // SDAnimatedImageTest.test25AnimatedImageStopAnimatingNormal
        @Test func stoppedAnimatedViewKeepsItsFrameAndBuffer() async {
            let stage = await Stage(imageView)
            defer { stage.close() }
            imageView.image = animation
            #expect(await Stage.pump { imageView.currentFrameIndex > 0 })
            imageView.stopAnimating()
            #expect(imageView.currentFrameIndex > 0 && imageView.player.map { $0.bufferedFrameCount > 0 } == true)
        }

        // SDAnimatedImageTest.test26AnimatedImageStopAnimatingClearBuffer
        @Test func stoppedAnimatedViewClearsItsBufferOnRequest() async {
            let stage = await Stage(imageView)
            defer { stage.close() }
            imageView.clearBufferWhenStopped = true
            imageView.resetFrameIndexWhenStopped = true
            imageView.image = animation
            #expect(await Stage.pump { imageView.currentFrameIndex > 0 })
            imageView.stopAnimating()
            #expect(await Stage.pump { imageView.player?.bufferedFrameCount == 0 })
        }

        // SDAnimatedImageTest.test28AnimatedImageAutoPlayAnimatedImage
        @Test func animatedViewWithoutAutoPlayStartsOnRequest() async {
            let stage = await Stage(imageView)
            defer { stage.close() }
            imageView.autoPlayAnimatedImage = false
            imageView.image = animation
            #expect(!imageView.isAnimating)
            imageView.startAnimating()
            #expect(await Stage.pump { imageView.isAnimating && imageView.currentFrameIndex > 0 })
            imageView.stopAnimating()
            #expect(!imageView.isAnimating)
        }

        /// A transformer that returns the same image for every input.
        private struct OnePicture: SDImageTransformer {
            let picture: UIImage
            var transformerKey: String { "OnePicture" }
            func transformedImage(with image: UIImage, forKey key: String) -> UIImage? { picture }
        }

        // SDAnimatedImageTest.testAnimationTransformerWorks
        @Test func everyFrameIsTransformed() async throws {
            let stage = await Stage(imageView)
            defer { stage.close() }
            let picture = try TestImages.solid(width: 8, height: 8, red: 255)
            imageView.animationTransformer = OnePicture(picture: picture)
            imageView.image = animation
            #expect(await Stage.pump { imageView.currentFrameIndex > 0 })
            #expect(imageView.currentFrame === picture)
        }
    }
}
