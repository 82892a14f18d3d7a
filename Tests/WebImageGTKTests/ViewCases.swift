import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// SDWebImage's test cases for views.
    @Suite("View cases") @MainActor struct ViewCases {
        let journey: ViewJourney
        let answer = ViewAnswer()

        init() throws {
            try Display.open()
            journey = try ViewJourney()
        }

        // SDWebCacheCategoriesTests.testUIImageViewSetImageWithURL
        @Test func imageViewShowsTheImageOfAURL() async throws {
            let view = ImageView()
            view.setImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            #expect(view.imageURL == journey.jpeg)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(view.image === answer.image)
        }

        // SDWebCacheCategoriesTests.testUIImageViewSetImageWithURLDiskSync
        @Test func synchronousDiskHitIsSetBeforeTheCallReturns() throws {
            journey.cache.storeImageDataToDisk(
                try ViewJourney.file(.jpeg, side: 20), forKey: journey.jpeg.absoluteString)
            let view = ImageView()
            view.setImage(
                with: journey.jpeg, options: .queryDiskDataSync, context: journey.context, completed: answer.hear)
            #expect(view.image != nil && view.imageURL == journey.jpeg)
            #expect(answer.cacheType == .disk)
            #expect(journey.server.requests.isEmpty)
        }

        // SDWebCacheCategoriesTests.testUIImageViewSetHighlightedImageWithURL
        @Test func highlightedImageIsTheOneDelivered() async throws {
            let view = ImageView()
            view.setHighlightedImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(view.highlightedImage === answer.image && view.image == nil)
            #expect(view.currentHighlightedImageURL == journey.jpeg && view.currentImageURL == nil)
        }

        // SDWebCacheCategoriesTests.testUIButtonSetImageWithURLNormalState, SDWebCacheCategoriesTests.testNSButtonSetImageWithURL
        @Test func buttonShowsTheImageOfItsNormalState() async throws {
            let button = Button()
            button.setImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(button.image(for: .normal) === answer.image && button.currentImage === answer.image)
            #expect(button.currentImageURL == journey.jpeg)
        }

        // SDWebCacheCategoriesTests.testUIButtonSetImageWithURLHighlightedState, SDWebCacheCategoriesTests.testNSButtonSetAlternateImageWithURL
        @Test func buttonShowsTheImageOfAnotherStateInThatState() async throws {
            let button = Button()
            let normal = try TestImages.solid()
            button.setImage(normal, for: .normal)
            button.setImage(with: journey.jpeg, for: .highlighted, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(button.image(for: .highlighted) === answer.image)
            #expect(button.currentImage === normal)
            gtk_widget_set_state_flags(UnsafeMutablePointer(button.widget), GTK_STATE_FLAG_ACTIVE, 0)
            #expect(button.controlState == .highlighted)
            #expect(button.currentImage === answer.image)
            #expect(button.currentImageURL == journey.jpeg)
        }

        // SDWebCacheCategoriesTests.testUIButtonSetBackgroundImageWithURLNormalState
        @Test func buttonShowsTheBackgroundOfItsNormalState() async throws {
            let button = Button()
            button.setBackgroundImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(button.backgroundImage(for: .normal) === answer.image)
            #expect(button.currentBackgroundImage === answer.image && button.currentImage == nil)
        }

        // SDWebCacheCategoriesTests.testUIButtonBackgroundImageCancelCurrentImageLoad
        @Test func cancelledBackgroundLoadLeavesNoOperation() {
            let button = Button()
            button.setBackgroundImage(with: journey.jpeg, for: .normal, context: journey.context)
            let key = "UIButtonBackgroundImageOperation0"
            #expect(button.imageLoadOperation(forKey: key) != nil)
            button.cancelBackgroundImageLoad(for: .normal)
            #expect(button.imageLoadOperation(forKey: key) == nil)
        }

        // SDWebCacheCategoriesTests.testUIViewInternalSetImageWithURL
        @Test func setImageBlockOfAPlainWidgetReceivesTheImage() async throws {
            let label = try #require(OpaquePointer(gtk_label_new("plain")))
            let view = try #require(WidgetView.adopting(label))
            let placeholder = try TestImages.solid()
            var contents: Image?
            view.internalSetImage(
                with: journey.jpeg, placeholderImage: placeholder, context: journey.context,
                setImageBlock: { image, data, cacheType, _ in
                    if data == nil, cacheType == .none { #expect(image === placeholder) } else { #expect(image != nil) }
                    contents = image
                }, completed: answer.hearAll)
            #expect(contents === placeholder)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(contents === answer.image)
        }

        // SDWebCacheCategoriesTests.testUIViewCancelWithDelayPlaceholderShouldCallbackOnceBeforeSecond, SDWebCacheCategoriesTests.testUIViewCancelWithoutDelayPlaceholderShouldCallbackOnceBeforeSecond
        @Test(arguments: [.delayPlaceholder, []] as [WebImageOptions])
        func cancelledLoadSetsItsPlaceholderOnceBeforeTheNextBegins(options: WebImageOptions) async throws {
            let view = ImageView()
            let context = journey.context(key: UUID().uuidString)
            let (first, second) = (try TestImages.solid(), try TestImages.solid())
            var (count1, count2) = (0, 0)
            var seen: [Int] = []
            let operation = view.internalSetImage(
                with: journey.jpeg, placeholderImage: first, options: options, context: context,
                setImageBlock: { image, _, _, _ in
                    count1 += 1
                    #expect(image === first && count2 == 0)
                }, completed: { _, _, _, _, _, _ in seen.append(count1) })
            operation?.cancel()
            #expect(count1 == 1 && seen == [1])
            view.internalSetImage(
                with: journey.jpeg, placeholderImage: second, context: context,
                setImageBlock: { image, _, _, _ in
                    count2 += 1
                    if count2 == 1 { #expect(image === second) } else { #expect(image != nil) }
                }, completed: answer.hearAll)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(count1 == 1 && count2 == 2)
        }

        // SDWebCacheCategoriesTests.testUIViewAutoCancelImage
        @Test func nextLoadCancelsThePreviousOne() {
            let view = ImageView()
            let one = view.setImage(with: journey.jpeg, context: journey.context)
            let two = view.setImage(with: journey.png, context: journey.context)
            #expect(one?.isCancelled == true && two?.isCancelled == false)
        }

        // SDWebCacheCategoriesTests.testUIViewAvoidAutoCancelImage
        @Test func nextLoadKeepsThePreviousOneOnRequest() {
            let view = ImageView()
            let one = view.setImage(with: journey.jpeg, context: journey.context)
            let two = view.setImage(with: journey.png, options: .avoidAutoCancelImage, context: journey.context)
            #expect(one?.isCancelled == false && two?.isCancelled == false)
        }

        // SDWebCacheCategoriesTests.testUIViewCancelCurrentImageLoad
        @Test func cancelledLoadLeavesNoOperation() {
            let view = ImageView()
            let operation = view.setImage(with: journey.jpeg, context: journey.context)
            #expect(view.imageLoadOperation(forKey: NSStringFromClass(ImageView.self)) != nil)
            view.cancelLatestImageLoad()
            #expect(operation?.isCancelled == true)
            #expect(view.imageLoadOperation(forKey: NSStringFromClass(ImageView.self)) == nil)
        }

        // SDWebCacheCategoriesTests.testUIViewCancelCurrentImageLoadWithTransition
        @Test func transitionOfACancelledLoadNeverCompletes() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 50, height: 50)
            defer { window.close() }
            journey.cache.storeImage(
                try TestImages.solid(), imageData: nil, forKey: journey.png.absoluteString, toDisk: false)
            var (isPrepared, hasEnded) = (false, false)
            let transition = WebImageTransition.fade(duration: 2)
            transition.prepares = { _, _, _, _, _ in isPrepared = true }
            transition.completion = { _ in hasEnded = true }
            view.imageTransition = transition
            view.setImage(with: journey.jpeg, context: journey.context(key: journey.jpeg.absoluteString))
            #expect(try await pump { isPrepared })
            view.cancelLatestImageLoad()
            view.imageTransition = nil
            view.setImage(
                with: journey.png, context: journey.context(key: journey.png.absoluteString), completed: answer.hear)
            #expect(try await answer.isSuccess(journey.png))
            let clock = GTKDisplayLink(view.widget)
            var time = 0.0
            clock.start { time += $0 }
            #expect(try await pump { time > 2.2 })
            #expect(!hasEnded && view.state.running == nil)
        }

        // SDWebCacheCategoriesTests.testUIViewCancelCallbackWithError
        @Test func cancelledLoadCompletesWithCancelled() {
            let view = ImageView()
            view.setImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            view.cancelLatestImageLoad()
            #expect(answer.error?.code == .cancelled && answer.count == 1)
            #expect(answer.error?.code.rawValue == 2002)
        }

        // SDWebCacheCategoriesTests.testUIViewImageProgressKVOWork
        @Test func progressCanBeObserved() async throws {
            let view = ImageView()
            let progress = view.imageProgress
            let heard = Task { @MainActor in
                var fractions: [Double] = []
                for await update in progress.updates {
                    fractions.append(update.fractionCompleted)
                    if update.fractionCompleted == 1 { break }
                }
                return fractions
            }
            view.setImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(view.imageProgress.fractionCompleted == 1)
            #expect(await heard.value.last == 1)
        }

        /// A body without a length, then a body with a length, an image in memory, no URL, and a failure.
        @Test func progressFollowsTheLoadsOfAView() async throws {
            let gate = FaultGate()
            let file = try ViewJourney.file(.png, side: 90)
            let url = journey.server.url("/chunked.png")
            var response = FaultResponse(.data(file), headers: ["Content-Type": "image/png"])
            (response.framing, response.firstPiece, response.lastPiece) = (.chunked, 40, gate)
            journey.server.route("/chunked.png", .respond(response))
            let view = ImageView()
            let progress = view.imageProgress
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await pump { progress.completedUnitCount > 0 })
            #expect(progress.totalUnitCount == -1 && progress.fractionCompleted == 0 && !progress.isFinished)
            gate.open()
            #expect(try await answer.isSuccess(url))
            #expect(progress.isFinished && progress.completedUnitCount == file.count)
            let missing = journey.server.url("/missing.png")
            for next in [journey.jpeg, url, nil, journey.png, missing, journey.jpeg] {
                let answer = ViewAnswer()
                view.setImage(with: next, context: journey.context, completed: answer.hear)
                #expect(try await pump { answer.count == 1 })
                #expect(progress.isFinished == (answer.error == nil))
            }
        }

        // SDWebCacheCategoriesTests.testUIViewTransitionFromNetworkWork
        @Test func networkResultIsShownWithATransition() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 50, height: 50)
            defer { window.close() }
            for preset in [
                WebImageTransition.fade, .flipFromTop, .flipFromLeft, .flipFromBottom, .flipFromRight, .curlUp,
                .curlDown(duration: 30),
            ] { view.imageTransition = preset }
            view.setImage(
                with: journey.jpeg, placeholderImage: try TestImages.solid(), options: .forceTransition,
                context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(view.state.running != nil)
            let progress = view.state.drawing.progress
            #expect(try await pump { view.state.drawing.progress > progress })
        }

        // SDWebCacheCategoriesTests.testUIViewTransitionFromDiskWork
        @Test func asynchronousDiskHitIsShownWithATransition() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 50, height: 50)
            defer { window.close() }
            view.imageTransition = .fade(duration: 30)
            journey.cache.storeImageDataToDisk(
                try ViewJourney.file(.jpeg, side: 20), forKey: journey.jpeg.absoluteString)
            view.setImage(
                with: journey.jpeg, options: .fromCacheOnly, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(answer.cacheType == .disk && view.state.running != nil)
        }

        // SDWebCacheCategoriesTests.testUIViewIndicatorWork
        @Test func indicatorIsAddedOnceAndFollowsTheLoad() async throws {
            let view = ImageView()
            for indicator in [
                WebImageActivityIndicator.gray, .grayLarge, .white, .whiteLarge, .medium, .large,
            ] { view.imageIndicator = indicator }
            let progress = WebImageProgressIndicator.default
            view.imageIndicator = progress
            let child = gtk_widget_get_first_child(UnsafeMutablePointer(view.widget))
            #expect(child.map { OpaquePointer($0) } == progress.indicatorView.widget)
            #expect(gtk_widget_get_next_sibling(child) == nil)
            view.setImage(
                with: journey.jpeg, options: .fromLoaderOnly, context: journey.context,
                progress: { received, expected, _ in
                    guard received > 0, expected > 0 else { return }
                    #expect(progress.progress == Double(received) / Double(expected))
                    #expect(!progress.indicatorView.isHidden)
                }, completed: answer.hear)
            #expect(!progress.indicatorView.isHidden && progress.progress == 0)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(progress.progress == 1 && progress.indicatorView.isHidden)
        }

        // SDWebCacheCategoriesTests.testUIViewOperationKeyContextWorks
        @Test func optionsProcessorReceivesTheOperationKeyAndNotTheManager() async throws {
            let seen = Locked<[String?]>([])
            journey.manager.optionsProcessor = WebImageOptionsProcessor { _, options, context in
                seen.withLock {
                    $0.append(context?[.setImageOperationKey] as? String)
                    $0.append(context?[.customManager] == nil ? "gone" : "there")
                }
                return WebImageOptionsResult(options: options, context: context)
            }
            let view = ImageView()
            view.setImage(with: journey.jpeg, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(seen.withLock { $0 } == [NSStringFromClass(ImageView.self), "gone"])
        }

        // SDWebCacheCategoriesTests.testUIViewImageUrlForNilWorks
        @Test func missingURLCompletesWithoutAnImage() {
            let view = ImageView()
            view.setImage(with: nil as URL?, context: journey.context, completed: answer.hear)
            #expect(answer.count == 1 && answer.image == nil && answer.error?.code == .invalidURL)
        }

        // SDWebCacheCategoriesTests.testUIViewImageUrlForStringWorks, SDWebCacheCategoriesTests.testUIViewImageUrlForNSURLWorks
        @Test func urlMayBeAString() async throws {
            let view = ImageView()
            view.setImage(with: journey.jpeg.absoluteString, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.jpeg))
            #expect(view.image != nil)
        }
    }
}
