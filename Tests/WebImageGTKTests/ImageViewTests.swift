import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting
import WebImageViews

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Image view") @MainActor struct ImageViewTests {
        let loader = ControlledViewLoader()
        let first = URL(fileURLWithPath: "/1.png")
        let second = URL(fileURLWithPath: "/2.png")

        init() throws { try Display.open() }

        private var context: WebImageContext { [.customManager: loader] }

        @Test func memoryHitIsSetOnTheWidgetBeforeTheCallReturns() throws {
            let view = ImageView()
            let image = try Image.generated(width: 7, height: 5)
            loader.remember(image, for: first)
            var origins: [ImageCacheType] = []
            view.setImage(with: first, context: context) { _, _, origin, _ in origins.append(origin) }
            #expect(origins == [.memory])
            #expect(view.image === image)
            let paintable = try #require(view.paintable)
            #expect(gdk_paintable_get_intrinsic_width(paintable) == 7)
            #expect(gdk_paintable_get_intrinsic_height(paintable) == 5)
        }

        @Test func textIsReadAsByBrowsers() throws {
            let view = ImageView()
            for text in [" http://host/a%20[1].png\n", "http:\\\\host\\b c%20d.png"] {
                view.setImage(with: text, context: context)
            }
            let urls = ["http://host/a%20%5B1%5D.png", "http://host/b%20c%20d.png"]
            #expect(loader.loads.map(\.url?.absoluteString) == urls)
        }

        @Test func aRequestIsLoadedByItsManagerWithItsOptions() throws {
            let view = ImageView()
            var request = ImageRequest(url: first, size: CGSize(width: 4, height: 4), priority: .high)
            request.manager = loader
            view.setImage(with: request)
            #expect(loader.loads.map(\.url) == [first] && loader.loads[0].options == .highPriority)
            #expect(loader.loads[0].thumbnail == CGSize(width: 4, height: 4))
        }

        @Test func aResultHasTheImageOrTheError() throws {
            let view = ImageView()
            var request = ImageRequest(url: first)
            request.manager = loader
            var ends: [String] = []
            func load(_ url: URL) {
                request.url = url
                view.setImage(with: request) { result in
                    switch result {
                    case .success(let image): ends.append("\(image.pixelSize.width), shown: \(view.image === image)")
                    case .failure(let error): ends.append("\(error.code)")
                    }
                }
            }
            load(first)
            loader.loads[0].deliver(try Image.generated(width: 7, height: 5))
            load(second)
            load(first)
            #expect(ends == ["7, shown: true", "cancelled"])
            view.setImage(with: URL?.none)
            #expect(ends == ["7, shown: true", "cancelled", "cancelled"])
        }

        @Test func pictureIsDrawnUprightAndUnstretched() async throws {
            // The quarters of the image are red, green, blue and white. The image is twice as wide as high, and the
            // widget is square.
            let image = try Image.generated(width: 40, height: 20) { x, y in
                switch (x < 20, y < 10) {
                case (true, true): (0, 0, 255, 255)
                case (false, true): (0, 255, 0, 255)
                case (true, false): (255, 0, 0, 255)
                case (false, false): (255, 255, 255, 255)
                }
            }
            let placeholder = try Image.generated(width: 10, height: 10) { _, _ in (128, 0, 128, 255) }
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 160, height: 160)
            defer { window.close() }
            view.setImage(with: first, placeholderImage: placeholder, context: context)
            let waiting = try #require(
                try await TestWindow.drawing(of: view.widget) { $0.bgra(80, 80) == [128, 0, 128, 255] })
            #expect(waiting.bgra(5, 5) == [128, 0, 128, 255])
            loader.loads[0].deliver(image)
            let drawn = try #require(
                try await TestWindow.drawing(of: view.widget) { $0.bgra(40, 60) == [0, 0, 255, 255] })
            #expect(drawn.pixelSize == PixelSize(width: 160, height: 160))
            #expect(drawn.bgra(40, 60) == [0, 0, 255, 255])
            #expect(drawn.bgra(120, 60) == [0, 255, 0, 255])
            #expect(drawn.bgra(40, 100) == [255, 0, 0, 255])
            #expect(drawn.bgra(120, 100) == [255, 255, 255, 255])
            // The image fills the width. The bars above and below the image are transparent.
            #expect(drawn.bgra(80, 20)[3] == 0)
            #expect(drawn.bgra(80, 140)[3] == 0)
            #expect(drawn.bgra(2, 45) == [0, 0, 255, 255])
            #expect(drawn.bgra(157, 114) == [255, 255, 255, 255])
        }

        @Test func adoptedGtkImageShowsTheSameAsAGtkPicture() throws {
            let widget = try #require(OpaquePointer(gtk_image_new()))
            let view = try #require(ImageView.adopting(widget))
            view.image = try Image.generated(width: 3, height: 3)
            #expect(gtk_image_get_paintable(widget) != nil)
            view.image = nil
            #expect(gtk_image_get_paintable(widget) == nil)
        }

        @Test func handlesOfOneWidgetShareTheirState() throws {
            let view = ImageView()
            let again = try #require(ImageView.adopting(view.widget))
            view.setImage(with: first, context: context)
            #expect(again.imageURL == first)
            again.setImage(with: second, context: context)
            #expect(loader.loads.map(\.isCancelled) == [true, false])
        }

        @Test func otherWidgetsAreNotAdopted() throws {
            let label = try #require(OpaquePointer(gtk_label_new("text")))
            g_object_ref_sink(UnsafeMutableRawPointer(label))
            defer { g_object_unref(UnsafeMutableRawPointer(label)) }
            #expect(ImageView.adopting(label) == nil)
        }

        @Test func invalidURLTextCompletesWithInvalidURL() throws {
            let view = ImageView()
            var codes: [WebImageError.Code?] = []
            view.setImage(with: "", context: context) { _, error, _, _ in codes.append(error?.code) }
            #expect(codes == [.invalidURL])
        }

        @Test func lateImageOfARecycledRowIsNeverShown() throws {
            let view = ImageView()
            let image = try Image.generated(width: 2, height: 2)
            var codes: [WebImageError.Code?] = []
            for number in 0..<1000 {
                let url = URL(fileURLWithPath: "/\(number).png")
                view.setImage(with: url, context: context) { _, error, _, _ in codes.append(error?.code) }
                if number > 0 { loader.loads[number - 1].deliver(image) }
                #expect(view.image == nil)
                #expect(view.paintable == nil)
            }
            view.cancelCurrentImageLoad()
            #expect(codes == Array(repeating: .cancelled, count: 1000))
        }

        @Test func widgetDestroyedDuringALoadCompletesOnceAndIsFreed() async throws {
            try await turnLoop()
            let live = GTKHandles.live
            var codes: [WebImageError.Code?] = []
            let image = try Image.generated(width: 2, height: 2)
            for round in 0..<50 {
                var view: ImageView? = ImageView()
                let window = try await TestWindow(try #require(view?.widget), width: 20, height: 20)
                view?.image = image
                view?.setImage(with: first, placeholderImage: image, context: context) { _, error, _, _ in
                    codes.append(error?.code)
                }
                // The load ends when the view's Swift object and the window have both been released. The order of the
                // two releases does not matter.
                if round.isMultiple(of: 2) { view = nil }
                window.close()
                view = nil
                try await turnLoop()
                loader.loads[round].deliver(image)
            }
            #expect(codes == Array(repeating: .cancelled, count: 50))
            #expect(try await pump { GTKHandles.hasNoMore(than: live) }, "\(GTKHandles.live) after \(live)")
        }

        @Test func disposedWidgetEndsItsLoadsWhileAHandleExists() throws {
            let view = ImageView()
            let image = try Image.generated(width: 2, height: 2)
            var codes: [WebImageError.Code?] = []
            view.setImage(with: first, context: context) { _, error, _, _ in codes.append(error?.code) }
            g_object_run_dispose(UnsafeMutablePointer<GObject>(view.widget))
            #expect(codes == [.cancelled])
            loader.loads[0].deliver(image)
            view.image = image
            #expect(codes.count == 1)
        }

        @Test func lateDeliveriesFromOtherThreadsReachTheRightView() async throws {
            let view = ImageView()
            let images = try (0..<20).map { _ in try Image.generated(width: 2, height: 2) }
            var completions = 0
            for number in 0..<200 {
                view.setImage(with: URL(fileURLWithPath: "/\(number)"), context: context) { _, _, _, _ in
                    completions += 1
                }
                let load = loader.loads[number]
                let image = images[number % 20]
                DispatchQueue.global().async { load.deliver(image) }
                if number.isMultiple(of: 3) { await Task.yield() }
            }
            _ = try await pump { completions == 200 && view.image != nil }
            #expect(completions == 200)
            #expect(view.image === images[199 % 20])
        }
    }
}
