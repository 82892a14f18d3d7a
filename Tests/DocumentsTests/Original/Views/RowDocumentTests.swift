import CWebImageGTK
import Foundation
import SDWebImageGTK
import Testing
import WebImageTestTraits
import WebImageTesting

extension ViewDocuments {
    /// Call sites from SDWebImage's documents about views and rows.
    @MainActor struct RowDocumentTests {
        /// A table row.
        @MainActor final class Cell {
            var imageView: UIImageView? = UIImageView()
        }

        let desk: Desk
        let imageView: UIImageView
        let placeholder: UIImage

        init() throws {
            try #require(gtk_init_check() != 0)
            desk = try Desk()
            imageView = UIImageView()
            placeholder = try TestImages.solid(width: 5, height: 5)
        }

        private var context: SDWebImageContext { [.customManager: desk.manager] }

        /// Stores an image in memory and on disk and returns its URL.
        private func stored(_ path: String, width: Int = 40) async throws -> URL {
            let url = try desk.picture(path, width: width)
            _ = await desk.load(url, options: .waitStoreCache)
            return url
        }

        @Test(.tags(.v1)) func recycledRowShowsItsNewestImage() async throws {
            let cell = Cell()
            let gate = FaultGate()
            desk.server.route("/slow.png", .gated(gate, .body(try Desk.file(width: 11))))
            let fast = try desk.picture("/fast.png", width: 22)
            let ends = Calls<Int>()
            cell.imageView?.sd_setImage(
                with: desk.server.url("/slow.png"), placeholderImage: placeholder, context: context
            ) { _, error, _, _ in ends.add((error as NSError?)?.code ?? 0) }
            cell.imageView?.sd_setImage(with: fast, placeholderImage: placeholder, context: context) {
                _, _, _, _ in
                ends.add(1)
            }
            #expect(await Stage.pump { ends.all.count == 2 })
            #expect(ends.all == [SDWebImageError.cancelled.rawValue, 1])
            gate.open()
            _ = await Stage.pump { !desk.manager.isRunning }
            #expect(cell.imageView?.image?.size.width == 22)
        }

        @Test(.tags(.v2)) func placeholderComesFirstOrTheViewIsCleared() throws {
            desk.server.route("/never.png", .hang)
            let url = desk.server.url("/never.png")
            imageView.sd_setImage(with: url, placeholderImage: placeholder, context: context)
            #expect(imageView.image === placeholder)
            imageView.sd_setImage(with: url, context: context)
            #expect(imageView.image == nil)
            imageView.sd_setImage(with: nil, placeholderImage: placeholder, context: context)
            #expect(imageView.image === placeholder)
            let other = try TestImages.solid()
            imageView.sd_setImage(
                with: url, placeholderImage: other, options: .delayPlaceholder, context: context)
            #expect(imageView.image === placeholder)
            imageView.sd_cancelCurrentImageLoad()
        }

        @Test(.tags(.v3)) func memoryHitIsShownBeforeTheCallReturns() async throws {
            let url = try await stored("/memory.png")
            var order: [String] = []
            imageView.sd_setImage(with: url, placeholderImage: placeholder, context: context) {
                image, _, type, _ in
                order.append(image != nil && type == .memory ? "hit" : "miss")
            }
            order.append("returned")
            #expect(order == ["hit", "returned"] && imageView.image?.size.width == 40)
        }

        // SDWebCacheCategoriesTests.testUIImageViewSetImageWithURLDiskSync
        @Test(.tags(.v4)) func diskHitIsAsynchronousUnlessQueriedSync() async throws {
            let url = try await stored("/disk.png")
            desk.cache.clearMemory()
            imageView.sd_setImage(with: url, placeholderImage: placeholder, context: context)
            #expect(imageView.image === placeholder)
            #expect(await Stage.pump { imageView.image?.size.width == 40 })
            desk.cache.clearMemory()
            let other = UIImageView()
            other.sd_setImage(
                with: url, placeholderImage: placeholder, options: .queryDiskDataSync, context: context)
            #expect(other.image?.size.width == 40)
        }

        // SDWebCacheCategoriesTests.testUIImageViewSetImageWithURL, SDWebCacheCategoriesTests.testUIViewImageUrlForNSURLWorks
        @Test(.tags(.v5))
        func networkResultArrivesOnMainAfterThePlaceholder() async throws {
            let url = try desk.picture("/network.png")
            var type: SDImageCacheType?
            imageView.sd_setImage(
                with: url, placeholderImage: placeholder, options: .refreshCached, context: context
            ) { _, _, cacheType, _ in
                MainActor.assertIsolated()
                type = cacheType
            }
            #expect(imageView.image === placeholder && imageView.sd_imageURL == url)
            #expect(await Stage.pump { type != nil })
            #expect(type == SDImageCacheType.none && imageView.image?.size.width == 40)
        }

        @Test(.tags(.v6)) func delayedPlaceholderIsShownAfterAFailure() async throws {
            desk.server.route("/missing.png", .status(404))
            var isOver = false
            imageView.sd_setImage(
                with: desk.server.url("/missing.png"), placeholderImage: placeholder,
                options: .delayPlaceholder,
                context: context, completed: { _, _, _, _ in isOver = true })
            #expect(imageView.image == nil)
            #expect(await Stage.pump { isOver })
            #expect(imageView.image === placeholder)
        }

        @Test(.tags(.v7)) func avoidAutoSetImageLeavesTheView() async throws {
            var given: UIImage?
            imageView.sd_setImage(
                with: try desk.picture("/given.png"), placeholderImage: placeholder,
                options: .avoidAutoSetImage,
                context: context, completed: { image, _, _, _ in given = image })
            #expect(await Stage.pump { given != nil })
            #expect(imageView.image === placeholder)
        }

        @Test(.tags(.v8)) func imageIsLaidOutByItsOwnSize() async throws {
            let stage = await Stage(imageView, width: 1, height: 1)
            defer { stage.close() }
            imageView.sd_setImage(
                with: try desk.picture("/wide.png", width: 60, height: 20), placeholderImage: placeholder,
                context: context)
            #expect(Stage.naturalSize(of: imageView) == (5, 5))
            #expect(await Stage.pump { imageView.image?.size.width == 60 })
            #expect(Stage.naturalSize(of: imageView) == (60, 20))
        }

        @Test(.tags(.v9))
        @available(*, deprecated)
        func indicatorRunsWhileTheViewLoads() async throws {
            let gate = FaultGate()
            desk.server.route("/slow.png", .gated(gate, .body(try Desk.file())))
            let indicator = SDWebImageActivityIndicator.gray
            imageView.sd_imageIndicator = indicator
            imageView.sd_setImage(with: desk.server.url("/slow.png"), context: context)
            #expect(indicator.isAnimating)
            gate.open()
            #expect(await Stage.pump { imageView.image != nil && !indicator.isAnimating })

            let bar = SDWebImageProgressIndicator.default
            imageView.sd_imageIndicator = bar
            imageView.sd_setImage(with: try desk.picture("/bar.png"), context: context)
            #expect(await Stage.pump { imageView.image != nil })
            #expect(await Stage.pump { bar.progress == 1 })

            imageView.sd_setShowActivityIndicatorView(true)
            imageView.sd_setIndicatorStyle(.gray)
            imageView.sd_setIndicatorStyle(.Gray)
            #expect(imageView.sd_imageIndicator is SDWebImageActivityIndicator)
            imageView.sd_setShowActivityIndicatorView(false)
            #expect(imageView.sd_imageIndicator == nil)
        }

        @MainActor private final class Screen {
            let imageView = UIImageView()
            var shown: UIImage?
        }

        @Test(.tags(.v10)) func completionIsReleasedAtTheEndOfTheLoad() async throws {
            let url = try desk.picture("/weak.png")
            var screen: Screen? = Screen()
            weak let wasScreen = screen
            screen?.imageView.sd_setImage(
                with: url, context: context,
                completed: {
                    [weak screen] (image, error, cacheType, imageURL) in
                    screen?.shown = image
                })
            #expect(await Stage.pump { wasScreen?.shown != nil })
            screen = nil
            #expect(wasScreen == nil)

            var strong: Screen? = Screen()
            weak let wasStrong = strong
            let view = UIImageView()
            view.sd_setImage(with: try desk.picture("/strong.png"), context: context) {
                [held = strong] image, _, _, _ in
                held?.shown = image
            }
            strong = nil
            #expect(wasStrong != nil)
            #expect(await Stage.pump { wasStrong == nil })
        }

        @Test(.tags(.v11))
        func transitionRunsForNetworkResultsUnlessForced() async throws {
            let stage = await Stage(imageView)
            defer { stage.close() }
            var steps: [String] = []
            let transition = SDWebImageTransition.fade
            transition.duration = 0.05
            transition.prepares = { (view, image, imageData, cacheType, imageURL) in
                view.transform = .init(rotationAngle: .pi)
                steps.append("prepares")
            }
            transition.animations = { (view, image) in
                view.transform = .identity
                steps.append("animations")
            }
            transition.completion = { _ in steps.append("completion") }
            imageView.sd_imageTransition = transition
            let url = try desk.picture("/faded.png")
            imageView.sd_setImage(with: url, context: context)
            #expect(await Stage.pump { steps.count == 3 })
            #expect(
                steps == ["prepares", "animations", "completion"] && imageView.transform == .identity)

            steps = []
            imageView.sd_setImage(with: url, context: context)
            #expect(imageView.image?.size.width == 40 && steps.isEmpty)
            imageView.sd_setImage(with: url, options: .forceTransition, context: context)
            #expect(await Stage.pump { steps.count == 3 })
            for look in [
                SDWebImageTransition.flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom, .curlUp,
                .curlDown,
            ] {
                #expect(look.duration == 0.5)
            }
            imageView.sd_imageTransition = .fade
        }

        @Test(.tags(.v12)) func imageProgressReportsBytes() async throws {
            let file = try Desk.file()
            let progress = try #require(imageView.sd_imageProgress)
            imageView.sd_setImage(with: try desk.picture("/progress.png"), context: context)
            #expect(await Stage.pump { imageView.image != nil })
            #expect(await Stage.pump { progress.fractionCompleted == 1 })
            #expect(
                progress.totalUnitCount == Int64(file.count)
                    && progress.completedUnitCount == progress.totalUnitCount)
            #expect(imageView.sd_imageProgress === progress)
        }

        @Test(.tags(.v13)) func rowHasTheProportionsOfItsImage() async throws {
            let row = FittingImageView()
            #expect(row.proportions == PixelSize(width: 3, height: 2))
            row.setImage(with: try desk.picture("/row.png", width: 80, height: 20), context: context)
            #expect(
                await Stage.pump {
                    row.proportions == PixelSize(width: 4, height: 1)
                        || row.proportions == PixelSize(width: 80, height: 20)
                })
        }

        @Test(.tags(.v14)) func loadOutsideAViewReportsProgressAndOrigin() async throws {
            let url = try desk.picture("/request.png")
            let bytes = Calls<Int>()
            let origins = Calls<SDImageCacheType>()
            for _ in 0..<2 {
                desk.manager.loadImage(
                    with: url, context: [.imageTransformer: SDImageBlurTransformer(radius: 2)],
                    progress: { received, _, _ in bytes.add(received) }
                ) { image, _, _, cacheType, finished, _ in
                    if image?.sd_isTransformed == true, finished { origins.add(cacheType) }
                }
                let count = origins.all.count
                _ = await Stage.pump { origins.all.count > count || origins.all.count == 2 }
            }
            #expect(origins.all == [.none, .memory])
            #expect(try bytes.all.last == Desk.file().count)
        }

        // SDWebCacheCategoriesTests.testUIButtonSetImageWithURLNormalState, SDWebCacheCategoriesTests.testUIButtonSetImageWithURLHighlightedState
        // SDWebCacheCategoriesTests.testUIButtonSetBackgroundImageWithURLNormalState
        @Test func buttonsLoadByState() async throws {
            let button = UIButton()
            let url = try desk.picture("/button.png")
            button.sd_setImage(with: url, for: .normal, placeholderImage: placeholder, context: context)
            button.sd_setImage(with: url, for: .highlighted, context: context)
            button.sd_setBackgroundImage(with: url, for: .normal, context: context)
            #expect(button.image(for: .normal) === placeholder)
            #expect(
                await Stage.pump {
                    button.image(for: .normal)?.size.width == 40 && button.image(for: .highlighted) != nil
                        && button.backgroundImage(for: .normal) != nil
                })
            #expect(button.sd_imageURL(for: .normal) == url && button.sd_currentImageURL == url)
            #expect(button.sd_imageOperationKey(for: .normal) == "UIButtonImageOperation0")
        }

        // SDWebCacheCategoriesTests.testUIButtonBackgroundImageCancelCurrentImageLoad
        @Test func aButtonsBackgroundIsCancelledByState() {
            let button = UIButton()
            desk.server.route("/held.png", .hang)
            button.sd_setBackgroundImage(with: desk.server.url("/held.png"), for: .normal, context: context)
            let key = button.sd_backgroundImageOperationKey(for: .normal)
            #expect(key == "UIButtonBackgroundImageOperation0" && button.sd_imageLoadOperation(forKey: key) != nil)
            button.sd_cancelBackgroundImageLoad(for: .normal)
            #expect(button.sd_imageLoadOperation(forKey: key) == nil)
        }

        // SDWebCacheCategoriesTests.testUIViewCancelCallbackWithError, SDWebCacheCategoriesTests.testUIViewCancelCurrentImageLoad
        // SDWebCacheCategoriesTests.testUIImageViewSetHighlightedImageWithURL
        @Test func aViewReportsAndCancelsItsLoads() async throws {
            desk.server.route("/held.png", .hang)
            let url = desk.server.url("/held.png")
            var code: Int?
            imageView.sd_setImage(with: url, context: context, progress: nil) { _, error, _, _ in
                code = (error as NSError?)?.code
            }
            #expect(imageView.sd_imageURL == url && imageView.sd_currentImageURL == url)
            #expect(imageView.sd_imageLoadOperation(forKey: imageView.sd_latestOperationKey) != nil)
            imageView.sd_cancelLatestImageLoad()
            #expect(code == SDWebImageError.cancelled.rawValue)
            #expect(imageView.sd_imageLoadOperation(forKey: imageView.sd_latestOperationKey) == nil)
            imageView.sd_setHighlightedImage(with: try desk.picture("/lit.png"), context: context)
            #expect(await Stage.pump { imageView.highlightedImage != nil })

            var given: (UIImage?, Bool) = (nil, false)
            imageView.sd_internalSetImage(
                with: try desk.picture("/block.png"), placeholderImage: nil, context: context,
                setImageBlock: { image, _, _, _ in given = (image, true) }, progress: nil)
            #expect(await Stage.pump { given.0 != nil })
            #expect(imageView.image == nil)
        }

        @Test("The documents' older spellings compile and run") @available(*, deprecated)
        func olderSpellings() async throws {
            let transformer = SDImageResizingTransformer(size: CGSize(300, 300), scaleMode: .fill)
            imageView.sd_setImage(
                withURL: try desk.picture("/old.png"), placeholderImage: nil,
                context: [.imageTransformer: transformer, .customManager: desk.manager])
            #expect(await Stage.pump { imageView.image?.size == CGSize(300, 300) })
        }
    }
}
