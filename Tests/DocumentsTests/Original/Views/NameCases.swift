import CWebImageGTK
import Foundation
import SDWebImageGTK
import Testing
import WebImageTesting

/// A view as a program for UIKit declares it. It has no initialiser for adopted widgets.
class AvatarView: UIImageView {
    var name = "unknown"
    let badge = UIImageView()

    override init(frame: CGRect) {
        super.init(frame: frame)
        name = "set"
    }

    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
}

/// A view without initialisers of its own.
class PlainAvatarView: SDAnimatedImageView { var name = "plain" }

/// A view whose `deinit` is not isolated to the main actor, as those of UIKit's subclasses.
class LeavingView: UIImageView {
    nonisolated static let ends = Calls<String>()
    deinit { Self.ends.add("end") }
}

/// An indicator with the signatures of the original.
final class CountingIndicator: NSObject, SDWebImageIndicator {
    let indicatorView = UIView()
    var calls: [String] = []
    var progress: [Double] = []
    func startAnimatingIndicator() { calls.append("start") }
    func stopAnimatingIndicator() { calls.append("stop") }
    func updateProgress(_ progress: Double) { self.progress.append(progress) }
}

/// An indicator that omits the optional method.
final class SilentIndicator: NSObject, SDWebImageIndicator {
    let indicatorView = UIView()
    func startAnimatingIndicator() {}
    func stopAnimatingIndicator() {}
}

extension ViewDocuments {
    /// Classes, members and blocks of views under the original's names.
    @MainActor struct NameCases {
        let desk: Desk
        let imageView: UIImageView

        init() throws {
            try #require(gtk_init_check() != 0)
            desk = try Desk()
            imageView = UIImageView()
        }

        private var context: SDWebImageContext { [.customManager: desk.manager] }

        @Test func everyMethodOfAnIndicatorIsCalled() async throws {
            let indicator = CountingIndicator()
            imageView.sd_imageIndicator = indicator
            #expect(imageView.sd_imageIndicator === indicator)
            imageView.sd_setImage(with: try desk.picture("/indicator.png", width: 300), context: context)
            #expect(await Stage.pump { indicator.calls == ["start", "stop"] })
            #expect(indicator.progress.contains { $0 > 0 })
            imageView.sd_imageIndicator = SilentIndicator()
            imageView.sd_imageIndicator?.updateProgress(0.5)
            let bar = SDWebImageProgressIndicator.default
            imageView.sd_imageIndicator = bar
            imageView.sd_imageIndicator?.updateProgress(0.5)
            #expect(bar.progress == 0.5)
        }

        /// The native functions decode a picture without a size at the size of the view. SDWebImage decodes it whole.
        @Test func everyFunctionDecodesWholePictures() async throws {
            let stage = await Stage(imageView, width: 64, height: 48)
            defer { stage.close() }
            imageView.sd_setImage(with: try desk.picture("/1.png", width: 300), context: context)
            #expect(await Stage.pump { imageView.image?.size.width == 300 })
            imageView.sd_setImage(with: try desk.picture("/2.png", width: 301), context: context, progress: nil) {
                _, _, _, _ in
            }
            #expect(await Stage.pump { imageView.image?.size.width == 301 })
            imageView.sd_setHighlightedImage(with: try desk.picture("/3.png", width: 302), context: context)
            #expect(await Stage.pump { imageView.highlightedImage?.size.width == 302 })
            _ = imageView.sd_internalSetImage(
                with: try desk.picture("/4.png", width: 303), placeholderImage: nil, options: [], context: context,
                setImageBlock: nil, progress: nil)
            #expect(await Stage.pump { imageView.image?.size.width == 303 })
            imageView.setImage(with: try desk.picture("/5.png", width: 304), context: context)
            #expect(await Stage.pump { imageView.image?.size.width == 64 })
        }

        @Test func subclassesOfViewsNeedNoFurtherInitialiser() throws {
            let view = AvatarView(frame: CGRect(x: 0, y: 0, width: 30, height: 20))
            #expect(view.name == "set" && view.badge !== view && Stage.naturalSize(of: view) == (30, 20))
            #expect(AvatarView().name == "set")
            let animated = PlainAvatarView()
            #expect(animated.name == "plain" && !animated.skipsLateFrames)
            let image = try TestImages.solid(width: 9, height: 9)
            #expect(PlainAvatarView(image: image).image === image && AvatarView(image: image).image === image)
            // The widget goes to the adopting view, not to the view inside it.
            let picture = try #require(OpaquePointer(gtk_picture_new()))
            let adopted = try #require(AvatarView(adopting: picture))
            #expect(adopted.widget == picture && adopted.badge.widget != picture)
            #expect(SDAnimatedImageView(adopting: try #require(OpaquePointer(gtk_label_new("a")))) == nil)
        }

        @Test func subclassesOfViewsMayHaveADeinit() {
            var view: LeavingView? = LeavingView(frame: .zero)
            #expect(view?.image == nil)
            view = nil
            #expect(LeavingView.ends.all == ["end"])
        }

        // SDWebCacheCategoriesTests.testNSButtonSetImageWithURL
        // SDWebCacheCategoriesTests.testNSButtonSetAlternateImageWithURL
        @Test func buttonOfAppKitHasAnImageAndAnAlternateImage() async throws {
            let button = NSButton()
            button.sd_setImage(with: try desk.picture("/usual.png", width: 20), context: context)
            button.sd_setAlternateImage(with: try desk.picture("/pressed.png", width: 21), context: context)
            #expect(
                await Stage.pump {
                    button.image(for: .normal)?.size.width == 20 && button.image(for: .highlighted)?.size.width == 21
                })
            let held: NSImage? = button.currentImage
            #expect(held?.size.width == 20)
            desk.server.route("/stays.png", .hang)
            button.sd_setAlternateImage(with: desk.server.url("/stays.png"), context: context)
            let key = button.sd_imageOperationKey(for: .highlighted)
            #expect(button.sd_imageLoadOperation(forKey: key) != nil)
            button.sd_cancelCurrentAlternateImageLoad()
            #expect(button.sd_imageLoadOperation(forKey: key) == nil)
        }

        @Test func operationOfAViewIsThatOfTheManager() async throws {
            desk.server.route("/stays.png", .hang)
            let url = desk.server.url("/stays.png")
            let operation = imageView.sd_internalSetImage(
                with: url, placeholderImage: nil, options: [], context: context, setImageBlock: nil, progress: nil)
            let combined = try #require(operation as? SDWebImageCombinedOperation)
            let key = NSStringFromClass(type(of: imageView))
            #expect(imageView.sd_latestOperationKey == key)
            #expect(imageView.sd_imageLoadOperation(forKey: key) as? SDWebImageCombinedOperation === combined)
            combined.cancel()
            #expect(await Stage.pump { combined.isCancelled && imageView.sd_imageLoadOperation(forKey: key) == nil })
            let own = BlockOperation {}
            imageView.sd_setImageLoad(own, forKey: "own")
            #expect(imageView.sd_imageLoadOperation(forKey: "own") as? BlockOperation === own)
            imageView.sd_cancelImageLoadOperation(withKey: "own")
            #expect(own.isCancelled)
        }

        // SDWebCacheCategoriesTests.testUIViewCancelCurrentImageLoadWithTransition
        @Test func replacedTransitionOffScreenNeverCompletes() async throws {
            let fast = try desk.picture("/201x201.png", width: 201, height: 201)
            _ = await desk.load(fast)
            let slow = try desk.picture("/201x201-slow.png", width: 201, height: 201)
            let transition = SDWebImageTransition()
            transition.duration = 1
            let calls = Calls<String>()
            transition.prepares = { _, _, _, _, _ in calls.add("prepares") }
            transition.completion = { _ in calls.add("completion") }
            imageView.sd_imageTransition = transition
            imageView.sd_setImage(with: slow, placeholderImage: nil, options: .forceTransition, context: context)
            #expect(await Stage.pump { calls.all.contains("prepares") })
            imageView.sd_cancelLatestImageLoad()
            imageView.sd_imageTransition = nil
            imageView.sd_setImage(with: fast, placeholderImage: nil, options: [], context: context) { _, _, _, _ in
                calls.add("second")
            }
            #expect(await Stage.pump { calls.all.contains("second") })
            let later = UIImageView()
            let last = SDWebImageTransition()
            last.duration = 1.3
            last.completion = { _ in calls.add("last") }
            later.sd_imageTransition = last
            later.sd_setImage(with: slow, placeholderImage: nil, options: .forceTransition, context: context)
            // The later transition off screen ends after the time of the replaced one, and its image is there at once.
            #expect(await Stage.pump { later.image != nil && !calls.all.contains("last") })
            #expect(await Stage.pump { calls.all.contains("last") })
            #expect(!calls.all.contains("completion"))
        }

        @Test func progressOfAViewCanBeReset() {
            let own = Progress(totalUnitCount: 3)
            imageView.sd_imageProgress = own
            #expect(imageView.sd_imageProgress === own)
            imageView.sd_imageProgress = nil
            #expect(imageView.sd_imageProgress.totalUnitCount == 0)
        }
    }
}
