import CWebImageGTK
import Foundation
import SDWebImageGTK
import Testing
import WebImageTestTraits
import WebImageTesting

extension ViewDocuments {
    /// Call sites from SDWebImage's document about animated views.
    @MainActor struct AnimatedDocumentTests {
        let desk: Desk
        let imageView: SDAnimatedImageView

        init() throws {
            try #require(gtk_init_check() != 0)
            desk = try Desk()
            imageView = SDAnimatedImageView()
        }

        // SDAnimatedImageTest.test22AnimatedImageViewCategory
        @Test(.tags(.x5)) func animatedViewStartsAutomaticallyAndStops() async throws {
            let stage = await Stage(imageView)
            defer { stage.close() }
            desk.server.route("/play.gif", .body(try Desk.animation(frames: 4), type: "image/gif"))
            imageView.sd_setImage(
                with: desk.server.url("/play.gif"), context: [.customManager: desk.manager])
            #expect(await Stage.pump { imageView.isAnimating && imageView.currentFrameIndex > 0 })
            #expect(imageView.image is SDAnimatedImage)
            imageView.stopAnimating()
            #expect(!imageView.isAnimating && imageView.currentFrame != nil)
            imageView.startAnimating()
            #expect(imageView.isAnimating)
        }

        @Test(.tags(.x5)) func webPAndAPNGPlayInTheAnimatedView() throws {
            let gif = try #require(SDAnimatedImage(data: try Desk.animation()))
            for format in [SDImageFormat.webP, .PNG] {
                let file = try #require(gif.sd_imageData(as: format))
                imageView.image = SDAnimatedImage(data: file)
                #expect(imageView.player?.totalFrameCount == 3)
            }
        }

        @Test(.tags(.m5)) func framesAreDecodedWithinTheBuffer() throws {
            let animation = try #require(SDAnimatedImage(data: try Desk.animation(frames: 6)))
            imageView.maxBufferSize = 1
            imageView.image = animation
            #expect(imageView.player?.maxBufferSize == 1 && !animation.isAllFramesLoaded)
            #expect(animation.sd_memoryCost < UInt(animation.pixels.byteCount * 2))
        }

        @Test(.tags(.x6))
        func viewWithoutIncrementalLoadShowsTheWholeAnimation() async throws {
            desk.server.route("/arrives.gif", .body(try Desk.animation(frames: 5), type: "image/gif"))
            imageView.shouldIncrementalLoad = false
            #expect(!imageView.shouldIncrementalLoad)
            imageView.sd_setImage(
                with: desk.server.url("/arrives.gif"), placeholderImage: nil, options: .progressiveLoad,
                context: [.customManager: desk.manager])
            #expect(await Stage.pump { imageView.player?.totalFrameCount == 5 })
        }
    }
}
