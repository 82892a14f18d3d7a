import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// A handle that is released as soon as its pointer was read, as in the guides.
    @Suite("Temporary handles") @MainActor struct HandleLifetimeTests {
        let image: Image

        init() throws {
            try Display.open()
            image = try Image.generated(width: 20, height: 20) { _, _ in (10, 20, 200, 255) }
        }

        /// Makes a handle of each type, and keeps nothing but its pointer.
        nonisolated private static let makers: [(name: String, make: @MainActor @Sendable (Image) -> OpaquePointer)] = [
            ("WidgetView", { _ in WidgetView().widget }),
            ("ImageView", { ImageView($0).gtkWidget() }),
            ("AnimatedImageView", { _ in AnimatedImageView().gtkWidget() }),
            ("Button", { _ in Button().widget }),
            ("PhaseView", { image in PhaseView(nil) { _ in ImageView(image) }.widget }),
            ("FittingImageView", { _ in FittingImageView().widget }),
            ("FittingList", { _ in FittingList(count: 3) { _ in nil }.widget }),
        ]

        @Test(arguments: makers.map(\.name)) func pointerOfATemporaryHandleIsValidUntilItHasAParent(
            _ name: String
        ) async throws {
            let maker = try #require(Self.makers.first { $0.name == name })
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let window = try await TestWindow(OpaquePointer(box), width: 20, height: 20)
            defer { window.close() }
            let widget = maker.make(image)
            gtk_box_append(gtkCast(box), gtkCast(widget))
            #expect(gtk_widget_get_parent(gtkCast(widget)) == box)
            try await turnLoop()
            #expect(gtk_widget_get_parent(gtkCast(widget)) == box)
        }

        @Test(arguments: makers.map(\.name)) func widgetWithoutAParentDiesAfterOneTurnOfTheLoop(
            _ name: String
        ) async throws {
            let maker = try #require(Self.makers.first { $0.name == name })
            try await turnLoop()
            let live = GTKHandles.live
            let fate = Fate()
            func make() {
                let widget = maker.make(image)
                fate.watch(widget)
            }
            make()
            #expect(!fate.isDead)
            try await turnLoop()
            #expect(fate.isDead)
            #expect(try await pump { GTKHandles.hasNoMore(than: live) })
        }

        @Test func pointerOfATemporaryFactoryIsValid() async throws {
            let list = try #require(gtk_list_view_new(EmptyRows.model(3), nil))
            gtk_list_view_set_factory(gtkCast(list), ImageListFactory { _ in nil }.factory)
            try await turnLoop()
            #expect(gtk_list_view_get_factory(gtkCast(list)) != nil)
            g_object_ref_sink(list)
            g_object_unref(list)
        }

        @Test func temporaryImageViewIsDrawn() async throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let window = try await TestWindow(OpaquePointer(box), width: 20, height: 20)
            defer { window.close() }
            gtk_box_append(gtkCast(box), ImageView(image).gtkWidget())
            let drawn = try await TestWindow.drawing(of: OpaquePointer(box)) { $0.bgra(10, 10) == [10, 20, 200, 255] }
            #expect(drawn?.bgra(10, 10) == [10, 20, 200, 255])
        }

        @Test func phaseViewShowsTheTemporaryViewsOfItsClosure() async throws {
            let loader = ControlledViewLoader()
            var request = ImageRequest(url: URL(fileURLWithPath: "/1.png"))
            request.manager = loader
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let window = try await TestWindow(OpaquePointer(box), width: 20, height: 20)
            defer { window.close() }
            gtk_box_append(
                gtkCast(box),
                PhaseView(request) { phase in
                    switch phase {
                    case .empty, .loading: WidgetView()
                    case .success(let image): ImageView(image)
                    case .failure: WidgetView()
                    }
                }.gtkWidget())
            try await turnLoop()
            loader.loads[0].deliver(image)
            let drawn = try await TestWindow.drawing(of: OpaquePointer(box)) { $0.bgra(10, 10) == [10, 20, 200, 255] }
            #expect(drawn?.bgra(10, 10) == [10, 20, 200, 255])
        }

        /// The kinds of pointer that GTK's functions take, see `gtkCast`.
        @Test func castsCompileForEveryKindOfPointer() {
            let (label, scrolled, stack) = (gtk_label_new(""), gtk_scrolled_window_new(), gtk_stack_new())
            gtk_label_set_text(gtkCast(label), "a")
            gtk_scrolled_window_set_child(gtkCast(scrolled), gtkCast(label))
            gtk_stack_add_named(gtkCast(stack), ImageView(image).gtkWidget(), "b")
            let picture = gtk_picture_new_for_paintable(nil)
            #expect(picture.flatMap { ImageView.adopting(gtkCast($0)) } != nil)
            #expect(ImageView.adopting(gtkCast(gtk_picture_new())) != nil)
            let child: OpaquePointer? = gtkCast(gtk_scrolled_window_get_child(gtkCast(scrolled)))
            #expect(child != nil)
            for widget in [scrolled, stack] {
                g_object_ref_sink(widget)
                g_object_unref(widget)
            }
        }

        /// This test compiles: the types of views follow from closures of several lines, and a trailing closure is the
        /// completion.
        @Test func closuresMeanWhatTheirReaderExpects() throws {
            let urls = [URL(fileURLWithPath: "/1.png")]
            let factory = ImageListFactory { position in
                ImageListRequest(urls[position])
            } make: {
                let view = ImageView()
                view.contentMode = .cover
                gtk_widget_set_size_request(view.gtkWidget(), 96, 96)
                return view
            } bind: { view, position in
                view.alternativeText = "\(position)"
            }
            let list = FittingList(count: 1) { position in
                ImageListRequest(urls[position])
            } make: {
                let view = FittingImageView()
                gtk_widget_set_size_request(view.gtkWidget(), 96, -1)
                return view
            } bind: { view, position in
                view.imageView.alternativeText = "\(position)"
            }
            let animated = ImageListFactory(
                request: { ImageListRequest(urls[$0]) }, make: { AnimatedImageView() },
                bind: { view, _ in view.playbackRate = 2 })
            withExtendedLifetime((factory, list, animated)) {}

            let loader = ControlledViewLoader()
            var request = ImageRequest(url: urls[0])
            request.manager = loader
            let context: WebImageContext = [.customManager: loader]
            var ends: [String] = []
            let (view, button) = (ImageView(), Button())
            view.setImage(with: request) { _, _, _, _ in ends.append("request") }
            view.setHighlightedImage(with: urls[0], context: context) { _, _, _, _ in ends.append("highlighted") }
            button.setImage(with: urls[0], context: context) { _, _, _, _ in ends.append("button") }
            button.setBackgroundImage(with: urls[0], context: context) { _, _, _, _ in ends.append("background") }
            for load in loader.loads { load.deliver(image) }
            #expect(ends == ["request", "highlighted", "button", "background"])
        }
    }
}

/// Records the end of an object.
@MainActor private final class Fate {
    var isDead = false

    func watch(_ object: OpaquePointer) {
        g_object_weak_ref(
            UnsafeMutablePointer(object),
            { fate, _ in
                guard let fate else { return }
                MainActor.assumeIsolated {
                    Unmanaged<Fate>.fromOpaque(fate).takeRetainedValue().isDead = true
                }
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
