import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// The size at which views decode pictures that are requested without a size.
    @Suite("Sizes by default") @MainActor struct DefaultSizeTests {
        let journey: ViewJourney
        let answer = ViewAnswer()
        /// 800 x 600 px.
        let url: URL
        static let whole = PixelSize(width: 800, height: 600)

        init() throws {
            try Display.open()
            journey = try ViewJourney()
            let picture = try Image.generated(width: 800, height: 600) { x, y in
                (UInt8(x & 255), UInt8(y & 255), 9, 255)
            }
            let file = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
            journey.server.route("/large.png", .body(file))
            url = journey.server.url("/large.png")
        }

        /// Shows a view in a window. The view expands.
        private func window(_ view: WidgetView, width: Int, height: Int) async throws -> TestWindow {
            try await TestWindow(view.widget, width: width, height: height)
        }

        /// A box that gives its children the whole width, and the height that they request.
        private func column(_ view: WidgetView) throws -> OpaquePointer {
            let box = OpaquePointer(try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)))
            gtk_box_append(UnsafeMutablePointer(box), UnsafeMutablePointer(view.widget))
            return box
        }

        @Test func pictureHasTheSizeOfTheView() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            // 66.7 px are rounded up.
            #expect(view.image?.pixelSize == PixelSize(width: 67, height: 50))
        }

        @Test func requestBeforeTheFirstLayoutWaitsForTheSize() async throws {
            let view = ImageView()
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == PixelSize(width: 67, height: 50))
        }

        @Test func theLayoutIsThatOfTheWholePicture() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.naturalSize == CGSize(width: 800, height: 600))
        }

        @Test func fullSizeIsDecodedOnRequest() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            let context = journey.context.merging(.thumbnail(.fullSize)) { $1 }
            view.setImage(with: url, context: context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == Self.whole)
        }

        @Test(arguments: [false, true]) func onlyTheGivenWidthLimitsThePicture(_ isExplicit: Bool) async throws {
            let view = ImageView()
            let window = try await TestWindow(try column(view), width: 200, height: 300)
            defer { window.close() }
            // With a size request, the deadline must not be the reason why the load begins.
            let size: WebImageContext = isExplicit ? .thumbnail(.viewSizeWithin(.seconds(60))) : [:]
            view.setImage(with: url, context: journey.context.merging(size) { $1 }, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == PixelSize(width: 200, height: 150))
        }

        /// A view in the middle of a large area, with its natural size.
        private func centred(_ view: ImageView) throws -> OpaquePointer {
            let overlay = OpaquePointer(try #require(gtk_overlay_new()))
            gtk_overlay_set_child(overlay, gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_overlay_add_overlay(overlay, view.gtkWidget())
            gtk_widget_set_halign(view.gtkWidget(), GTK_ALIGN_CENTER)
            gtk_widget_set_valign(view.gtkWidget(), GTK_ALIGN_CENTER)
            return overlay
        }

        @Test func pictureThatDeterminesTheSizeOfTheViewIsDecodedWhole() async throws {
            let view = ImageView()
            let window = try await TestWindow(try centred(view), width: 900, height: 700)
            defer { window.close() }
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == Self.whole)
            #expect(try await pump { gtk_widget_get_width(view.gtkWidget()) == 800 })
        }

        @Test func placeholderIsNotTheSizeOfTheView() async throws {
            let view = ImageView()
            view.image = try TestImages.solid(width: 50, height: 50)
            let window = try await TestWindow(try centred(view), width: 900, height: 700)
            defer { window.close() }
            #expect(try await pump { gtk_widget_get_width(view.gtkWidget()) == 50 })
            view.setImage(
                with: url, placeholderImage: view.image, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == Self.whole)
        }

        @Test func viewInNoWindowDecodesTheWholePicture() async throws {
            let view = ImageView()
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == Self.whole)
        }

        @Test func wholePictureInMemoryIsShownBeforeTheCallReturns() async throws {
            let first = ImageView()
            first.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            let view = ImageView()
            view.setImage(with: url, context: journey.context)
            #expect(view.image?.pixelSize == Self.whole)
        }

        @Test func synchronousLoadNeverWaits() async throws {
            let first = ImageView()
            first.setImage(with: url, options: .waitStoreCache, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            journey.cache.clearMemory()
            let view = ImageView()
            view.setImage(with: url, options: .queryDiskDataSync, context: journey.context)
            #expect(view.image?.pixelSize == Self.whole)
        }

        @Test func repeatedRequestKeepsItsPicture() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            let image = view.image
            var origins: [ImageCacheType] = []
            view.setImage(with: url, context: journey.context) { _, _, origin, _ in origins.append(origin) }
            #expect(origins == [.memory] && view.image === image)
        }

        // MARK: A view that becomes larger

        @Test(arguments: [false, true]) func growingViewDecodesThePictureAgain(_ isExplicit: Bool) async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            let indicator = CountingIndicator()
            view.imageIndicator = indicator
            let size: WebImageContext = isExplicit ? .thumbnail(.viewSize) : [:]
            view.setImage(with: url, context: journey.context.merging(size) { $1 }, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            let starts = indicator.starts
            view.requestSize(CGSize(width: 400, height: 300))
            var wasEmpty = false
            #expect(
                try await pump {
                    wasEmpty = wasEmpty || view.image == nil
                    return view.image?.pixelSize == PixelSize(width: 400, height: 300)
                })
            #expect(!wasEmpty && answer.count == 1 && view.imageLoadFailure == nil)
            #expect(indicator.starts == starts)
            #expect(journey.server.requestCount("/large.png") == 1)
            // Larger than the picture: all its pixels, and then no further load.
            view.requestSize(CGSize(width: 1000, height: 900))
            #expect(try await pump { view.image?.pixelSize == Self.whole })
            #expect(view.naturalSize == CGSize(width: 1000, height: 900))
        }

        @Test func pictureThatCannotBeDecodedAgainStays() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(
                with: url, context: journey.context.merging([.originalStoreCacheType: ImageCacheType.none]) { $1 },
                completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            let image = view.image
            view.errorImage = try TestImages.solid(blue: 200)
            journey.server.route("/large.png", .status(404))
            view.requestSize(CGSize(width: 400, height: 300))
            #expect(try await pump { journey.server.requestCount("/large.png") == 2 && !journey.manager.isRunning })
            try await turnLoop()
            #expect(view.image === image && view.imageLoadFailure == nil && answer.count == 1)
        }

        @Test func pictureThatTheProgramSetIsNotReplaced() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(
                with: url, context: journey.context.merging([.originalStoreCacheType: ImageCacheType.none]) { $1 },
                completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            let gate = FaultGate()
            journey.server.route("/large.png", .gated(gate, .body(try ViewJourney.file(.png, side: 700))))
            view.requestSize(CGSize(width: 400, height: 300))
            #expect(try await pump { journey.server.requestCount("/large.png") == 2 })
            let own = try TestImages.solid(blue: 200)
            view.image = own
            gate.open()
            #expect(try await pump { !journey.manager.isRunning })
            try await turnLoop()
            #expect(view.image === own)
        }

        @Test func animationContinuesInALargerView() async throws {
            let file = try ImageCodersManager.shared.encode(
                frameCount: 50, loopCount: 0, format: .gif, options: EncodingOptions()
            ) { number throws(WebImageError) in
                ImageFrame(
                    image: try TestImages.solid(width: 400, height: 400, blue: UInt8(number * 4)), duration: 0.03)
            }
            journey.server.route("/large.gif", .body(file))
            let view = ImageView()
            let window = try await window(view, width: 40, height: 40)
            defer { window.close() }
            view.setImage(with: journey.server.url("/large.gif"), context: journey.context, completed: answer.hear)
            #expect(try await pump { view.state.animation?.currentFrameIndex ?? 0 > 2 })
            let player = try #require(view.state.animation?.player)
            #expect(view.state.animation?.currentFrame?.pixelSize == PixelSize(width: 40, height: 40))
            let loops = view.state.animation?.currentLoopCount ?? 0
            let index = view.state.animation?.currentFrameIndex ?? 0
            view.requestSize(CGSize(width: 200, height: 200))
            #expect(
                try await pump { view.state.animation?.currentFrame?.pixelSize == PixelSize(width: 200, height: 200) })
            #expect(view.state.animation?.player === player && view.isAnimating)
            let animation = try #require(view.state.animation)
            #expect((animation.currentLoopCount, animation.currentFrameIndex) >= (loops, index))
        }

        @Test func centredPictureIsDecodedWhole() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == PixelSize(width: 67, height: 50))
            // This mode draws the picture at its own size.
            view.contentMode = .center
            #expect(try await pump { view.image?.pixelSize == Self.whole })
        }

        // MARK: Requests that need the whole picture

        @Test func transformerReceivesTheWholePicture() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            let crop = ImageCroppingTransformer(rect: CGRect(x: 700, y: 500, width: 50, height: 50))
            view.setImage(
                with: url, context: journey.context.merging([.imageTransformer: crop]) { $1 }, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(view.image?.pixelSize == PixelSize(width: 50, height: 50))
        }

        @Test func picturesThatTheProgramShowsItselfAreWhole() async throws {
            let view = ImageView()
            let window = try await window(view, width: 100, height: 50)
            defer { window.close() }
            view.setImage(
                with: url, options: .avoidAutoSetImage, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(answer.image?.pixelSize == Self.whole)
        }

        @Test func buttonsAndPhasesShowWholePictures() async throws {
            let button = Button()
            let window = try await window(button, width: 100, height: 50)
            defer { window.close() }
            button.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(button.currentImage?.pixelSize == Self.whole)
            var request = ImageRequest(url: url)
            request.manager = journey.manager
            let phases = PhaseView(request) { ImageView($0.image) }
            #expect(try await pump { phases.phase.image?.pixelSize == Self.whole })
        }

        // MARK: Lists

        @Test func listsDecodeWholePicturesOnRequest() async throws {
            let sizes = DecodedSizes()
            journey.manager.listener = sizes
            let context = journey.context.merging(.thumbnail(.fullSize)) { $1 }
            let factory = ImageListFactory(
                request: { [url] _ in ImageListRequest(url, context: context) }, make: { FixedRow(side: 96) })
            let list = try #require(OpaquePointer(gtk_list_view_new(EmptyRows.model(60), factory.retainedFactory())))
            let window = try await ListWindow(list, width: 160, height: 300)
            defer { window.close() }
            #expect(try await pump { !journey.manager.isRunning && sizes.count > 0 })
            window.value += 250
            try await window.frames(3)
            #expect(try await pump { !journey.manager.isRunning })
            #expect(sizes.all == [Self.whole])
        }

        @Test(arguments: [false, true]) func listsDecodeAtTheSizeOfTheirRows(_ isFitting: Bool) async throws {
            let file = try ImageCodersManager.shared.encode(
                try Image.generated(width: 800, height: 400) { x, y in (UInt8(x & 255), UInt8(y & 255), 9, 255) },
                format: .png, options: EncodingOptions())
            for number in 0..<60 { journey.server.route("/\(number).png", .body(file)) }
            let sizes = DecodedSizes()
            journey.manager.listener = sizes
            let list: OpaquePointer
            if isFitting {
                list =
                    FittingList(count: 60) { [journey] in
                        ImageListRequest(journey.server.url("/\($0).png"), context: journey.context)
                    }.widget
            } else {
                let factory = ImageListFactory(
                    request: { [journey] in
                        ImageListRequest(journey.server.url("/\($0).png"), context: journey.context)
                    },
                    make: { FixedRow(side: 96) })
                list = try #require(OpaquePointer(gtk_list_view_new(EmptyRows.model(60), factory.retainedFactory())))
            }
            let window = try await ListWindow(list, width: 160, height: 300)
            defer { window.close() }
            for _ in 0..<4 {
                #expect(try await pump { !journey.manager.isRunning && sizes.count > 0 })
                window.value += 250
                try await window.frames(3)
            }
            #expect(try await pump { !journey.manager.isRunning })
            // All rows are 160 px wide, and those of the list view have a padding of 2 px. The rows that were loaded before
            // they had widgets are not larger.
            let width = isFitting ? 160 : 156
            #expect(sizes.all == [PixelSize(width: width, height: width / 2)])
            #expect(sizes.count >= 8)
        }
    }
}

/// Records the sizes of decoded pictures.
private final class DecodedSizes: WebImageManagerListener {
    private let sizes = Locked<[PixelSize]>([])

    var count: Int { sizes.withLock { $0.count } }
    var all: Set<PixelSize> { Set(sizes.withLock { $0 }) }

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {}

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        if report.stage == .decode, let size = report.pixelSize { sizes.withLock { $0.append(size) } }
    }
}

/// Counts the loads for which it was shown.
@MainActor private final class CountingIndicator: WebImageIndicator {
    let indicatorView = WidgetView()
    private(set) var starts = 0

    func startAnimatingIndicator() { starts += 1 }
    func stopAnimatingIndicator() {}
}
