import CWebImageGTK
import Foundation
import SDWebImageGTK
import Testing
import WebImageTesting

extension ViewDocuments {
    /// Checks that properties with UIKit's names change how a widget looks.
    @MainActor struct LookCases {
        let desk: Desk

        init() throws {
            try #require(gtk_init_check() != 0)
            desk = try Desk()
        }

        @Test func viewsAreInitialisedWithFramesAndImages() throws {
            let image = try TestImages.solid(width: 12, height: 7)
            let frame = CGRect(x: 3, y: 4, width: 40, height: 30)
            for view in [UIView(frame: frame), UIImageView(frame: frame), SDAnimatedImageView(frame: frame)] {
                #expect(Stage.naturalSize(of: view) == (40, 30))
                #expect(view.intrinsicContentSize == CGSize(width: 40, height: 30))
            }
            #expect(UIButton(frame: frame).intrinsicContentSize.width >= 40)
            #expect(UIView().intrinsicContentSize == .zero)
            #expect(UIImageView(image: image).intrinsicContentSize == CGSize(width: 12, height: 7))
            let highlit = UIImageView(image: nil, highlightedImage: image)
            #expect(highlit.image == nil && highlit.highlightedImage === image)
        }

        // SDAnimatedImageTest.test13AnimatedImageViewInitWithImage
        @Test func animatedViewIsInitialisedWithItsImage() throws {
            let animation = try #require(SDAnimatedImage(data: try Desk.animation()))
            let view = SDAnimatedImageView(image: animation)
            #expect(view.image === animation && view.player != nil && view.autoPlayAnimatedImage)
        }

        @Test func appearancePropertiesHaveTheSystemsNames() {
            let view = UIImageView()
            view.contentMode = .scaleAspectFill
            #expect(view.contentMode == .cover)
            view.contentMode = .scaleAspectFit
            #expect(view.contentMode == .fit)
            view.contentMode = .scaleToFill
            #expect(view.contentMode == UIView.ContentMode.fill)
            view.layer.cornerRadius = 6
            view.layer.masksToBounds = true
            view.clipsToBounds = true
            #expect(view.cornerRadius == 6 && view.layer.cornerRadius == 6 && view.clipsToBounds)
            UIView().layer.cornerRadius = 6
            view.isHidden = true
            #expect(gtk_widget_get_visible(UnsafeMutablePointer(view.widget)) == 0)
            view.isHidden = false
            #expect(!view.isHidden)
        }

        @Test func highlightedAndBackgroundLoadsReportProgress() async throws {
            let (view, button) = (UIImageView(), UIButton())
            let told = Calls<String>()
            let context: SDWebImageContext = [.customManager: desk.manager]
            view.sd_setHighlightedImage(
                with: try desk.picture("/lit.png"), context: context, progress: { _, _, _ in told.add("lit") },
                completed: { image, _, _, _ in if image != nil { told.add("lit end") } })
            button.sd_setBackgroundImage(
                with: try desk.picture("/back.png"), for: .normal, context: context,
                progress: { _, _, _ in told.add("back") },
                completed: { image, _, _, _ in if image != nil { told.add("back end") } })
            #expect(await Stage.pump { Set(told.all).count == 4 })
            #expect(view.highlightedImage != nil && button.backgroundImage(for: .normal) != nil)
        }

        // SDAnimatedImageTest.test21AnimatedImageViewSetProgressiveAnimatedImage
        // SDAnimatedImageTest.test27AnimatedImageProgressiveAnimation
        @Test(arguments: [SDImageFormat.GIF, .PNG])
        func incrementalAnimationPlaysDuringTheDownload(format: SDImageFormat) async throws {
            let animation = try #require(SDAnimatedImage(data: try Desk.animation(frames: 12, side: 32)))
            let file = try #require(animation.sd_imageData(as: format))
            let coder: any SDAnimatedImageCoder & SDProgressiveImageCoder =
                format == .GIF
                ? SDImageGIFCoder(incrementalWithOptions: nil) : SDImageAPNGCoder(incrementalWithOptions: nil)
            let view = SDAnimatedImageView()
            let stage = await Stage(view)
            defer { stage.close() }

            coder.updateIncrementalData(file.prefix(file.count / 3), finished: false)
            let part = try #require(SDAnimatedImage(animatedCoder: coder, scale: 1))
            part.sd_isIncremental = true
            view.image = part
            let player = try #require(view.player)
            let early: UInt = coder.animatedImageFrameCount
            #expect(player.awaitsMoreFrames && player.totalFrameCount == early && early < 12)

            coder.updateIncrementalData(file.prefix(file.count * 2 / 3), finished: false)
            let more = try #require(SDAnimatedImage(animatedCoder: coder, scale: 1))
            more.sd_isIncremental = true
            view.image = more
            #expect(view.player === player && player.totalFrameCount > early)

            coder.updateIncrementalData(file, finished: true)
            view.image = SDAnimatedImage(animatedCoder: coder, scale: 1)
            #expect(view.player?.totalFrameCount == 12 && view.player?.awaitsMoreFrames == false)
            #expect(await Stage.pump { view.currentFrameIndex == 11 })
        }
    }
}
