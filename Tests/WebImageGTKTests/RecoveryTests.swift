import CWebImageGTK
import CWebImageGTKShim
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Failure, absence, adoption") @MainActor struct RecoveryTests {
        let loader = ControlledViewLoader()
        let url = URL(fileURLWithPath: "/a.png")
        let image: Image

        init() throws {
            try Display.open()
            image = try TestImages.solid()
        }

        private var context: WebImageContext { [.customManager: loader] }
        private let offline = WebImageError(.transport, stage: .download)

        @Test func failedViewShowsItsErrorImageAndRetriesOnRequest() throws {
            let view = ImageView()
            let broken = try TestImages.solid()
            view.errorImage = broken
            view.setImage(with: url, context: context)
            loader.loads[0].deliver(nil, error: offline)
            #expect(view.image === broken && view.imageLoadFailure?.code == .transport)
            view.retryImageLoad()
            try #require(loader.loads.dropFirst().first).deliver(image)
            #expect(view.image === image && view.imageLoadFailure == nil)
            #expect(view.retryImageLoad() == nil)
        }

        @Test func tapRetriesOnlyAfterAFailure() throws {
            let view = ImageView()
            view.retriesOnTap = true
            let controllers = gtk_widget_observe_controllers(UnsafeMutablePointer(view.widget))
            defer { g_object_unref(controllers.map { UnsafeMutableRawPointer($0) }) }
            let gesture = try #require(g_list_model_get_item(controllers, 0))
            defer { g_object_unref(gesture) }
            func tap() { emit_released(gesture) }
            tap()
            #expect(loader.loads.isEmpty)
            view.setImage(with: url, context: context)
            loader.loads[0].deliver(nil, error: WebImageError(.badImageData, stage: .decode))
            var ends = 0
            view.retryCompleted = { _, _, _, _ in ends += 1 }
            tap()
            #expect(loader.loads.count == 2)
            try #require(loader.loads.dropFirst().first).deliver(image)
            #expect(ends == 1 && view.image === image)
        }

        @Test func failedViewHasTheFocusAKeyAndAnAction() async throws {
            let (view, other) = (ImageView(), ImageView())
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            for each in [view, other] {
                each.retriesOnTap = true
                gtk_widget_set_size_request(each.gtkWidget(), 8, 8)
                gtk_box_append(gtkCast(box), each.gtkWidget())
            }
            let window = try await TestWindow(OpaquePointer(box), width: 20, height: 20)
            defer { window.close() }
            let widget: UnsafeMutablePointer<GtkWidget> = view.gtkWidget()
            func canRetry() -> Bool { gtk_widget_activate_action_variant(widget, "webimage.retry", nil) != 0 }
            #expect(gtk_widget_get_focusable(widget) == 0)
            view.setImage(with: url, context: context)
            loader.loads[0].deliver(nil, error: offline)
            #expect(gtk_widget_get_focusable(widget) != 0 && gtk_widget_get_focusable(other.gtkWidget()) == 0)
            #expect(gtk_widget_child_focus(box, GTK_DIR_TAB_FORWARD) != 0 && gtk_widget_is_focus(widget) != 0)
            #expect(keys(of: widget) == ["Return", "KP_Enter", "space"])
            #expect(canRetry())
            #expect(loader.loads.count == 2)
            // The view keeps the focus while it loads and after it.
            try #require(loader.loads.dropFirst().first).deliver(image)
            #expect(gtk_widget_get_focusable(widget) != 0)
            _ = canRetry()
            #expect(loader.loads.count == 2)
            gtk_widget_set_focusable(other.gtkWidget(), 1)
            gtk_widget_grab_focus(other.gtkWidget())
            #expect(try await pump { gtk_widget_get_focusable(widget) == 0 })
        }

        @Test func buttonRetriesWhenItIsClicked() throws {
            let button = Button()
            button.retriesOnTap = true
            button.setImage(with: url, context: context)
            loader.loads[0].deliver(nil, error: offline)
            g_signal_emit_by_name_clicked(button.widget)
            #expect(loader.loads.count == 2)
            try #require(loader.loads.dropFirst().first).deliver(image)
            g_signal_emit_by_name_clicked(button.widget)
            #expect(loader.loads.count == 2 && button.currentImage === image)
        }

        private func g_signal_emit_by_name_clicked(_ button: OpaquePointer) {
            var values = [GValue()]
            g_value_init(&values[0], gtk_button_get_type())
            g_value_set_object(&values[0], UnsafeMutableRawPointer(button))
            g_signal_emitv(&values, g_signal_lookup("clicked", gtk_button_get_type()), 0, nil)
            g_value_unset(&values[0])
        }

        /// Returns the names of the keys for which a widget has a shortcut of its own.
        private func keys(of widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
            let controllers = gtk_widget_observe_controllers(widget)
            defer { g_object_unref(controllers.map { UnsafeMutableRawPointer($0) }) }
            var names: [String] = []
            for place in 0..<g_list_model_get_n_items(controllers) {
                guard let controller = g_list_model_get_item(controllers, place) else { continue }
                defer { g_object_unref(controller) }
                let instance = controller.assumingMemoryBound(to: GTypeInstance.self)
                guard g_type_check_instance_is_a(instance, gtk_shortcut_controller_get_type()) != 0,
                    let shortcut = g_list_model_get_item(OpaquePointer(controller), 0)
                else { continue }
                defer { g_object_unref(shortcut) }
                let text = gtk_shortcut_trigger_to_string(gtk_shortcut_get_trigger(OpaquePointer(shortcut)))
                if let text {
                    names += String(cString: text).split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                }
                g_free(text)
            }
            return names
        }

        private func emit_released(_ gesture: UnsafeMutableRawPointer) {
            var values = [GValue(), GValue(), GValue(), GValue()]
            g_value_init(&values[0], gtk_gesture_click_get_type())
            g_value_set_object(&values[0], gesture)
            g_value_init(&values[1], GType(6 << 2))
            g_value_set_int(&values[1], 1)
            for place in [2, 3] { g_value_init(&values[place], GType(15 << 2)) }
            g_signal_emitv(&values, g_signal_lookup("released", gtk_gesture_click_get_type()), 0, nil)
            for place in 0..<4 { g_value_unset(&values[place]) }
        }

        @Test func restoredNetworkRetriesVisibleViews() async throws {
            let (seen, unseen, other) = (ImageView(), ImageView(), ImageView())
            let window = try await TestWindow(seen.widget, width: 10, height: 10)
            defer { window.close() }
            for view in [seen, unseen] { view.setImage(with: url, context: context) }
            other.setImage(with: URL(fileURLWithPath: "/other"), context: context)
            for load in loader.loads { load.deliver(nil, error: offline) }
            other.retriesWhenOnline = false
            Connectivity.shared.networkIsBack()
            #expect(loader.loads.count == 4)
            loader.loads[3].deliver(image)
            #expect(seen.image === image && unseen.image == nil)
            Connectivity.shared.networkIsBack()
            #expect(loader.loads.count == 4)
        }

        @Test func loadsPauseWithTheirWidgetOnRequest() async throws {
            let view = ImageView()
            view.pausesLoadsWhenUnmapped = true
            let window = try await TestWindow(view.widget, width: 10, height: 10)
            defer { window.close() }
            var ends = 0
            view.setImage(with: url, context: context) { _, _, _, _ in ends += 1 }
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            gtk_widget_set_visible(widget, 0)
            #expect(loader.loads[0].isCancelled && ends == 0)
            gtk_widget_set_visible(widget, 1)
            #expect(try await pump { loader.loads.count == 2 })
            try #require(loader.loads.dropFirst().first).deliver(image)
            #expect(view.image === image && ends == 1)
        }

        @Test func unmappedViewsReleaseTheirImageUnderMemoryPressureAndRestoreIt() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 10, height: 10)
            defer { window.close() }
            view.setImage(with: url, context: context)
            loader.loads[0].deliver(image)
            MemoryWatch.shared.trimViews()
            #expect(view.image === image)
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            gtk_widget_set_visible(widget, 0)
            MemoryPressureRelay.system.report(.warning)
            #expect(try await pump { view.image == nil })
            gtk_widget_set_visible(widget, 1)
            #expect(try await pump { loader.loads.count == 2 })
            try #require(loader.loads.dropFirst().first).deliver(image)
            #expect(view.image === image)
        }

        @Test(arguments: [false, true])
        func imageThatTheProgramHasClearedIsNotRestored(_ isHighlighted: Bool) async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 10, height: 10)
            defer { window.close() }
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            for index in 0..<2 {
                let url = URL(fileURLWithPath: "/\(index)")
                if isHighlighted {
                    view.setHighlightedImage(with: url, context: context)
                } else {
                    view.setImage(with: url, context: context)
                }
                loader.loads[index].deliver(image)
                gtk_widget_set_visible(widget, 0)
                MemoryWatch.shared.trimViews()
                #expect((isHighlighted ? view.highlightedImage : view.image) == nil)
                // The row of a list, for example, is recycled while its page is hidden.
                if isHighlighted { view.highlightedImage = nil } else { view.image = nil }
                gtk_widget_set_visible(widget, 1)
                #expect(try await pump { view.isVisible })
                #expect(loader.loads.count == index + 1)
            }
        }

        @Test func theIndicatorOfAnAdoptedPictureIsAddedToItsOverlay() throws {
            let overlay = try #require(gtk_overlay_new())
            g_object_ref_sink(UnsafeMutableRawPointer(overlay))
            defer { g_object_unref(UnsafeMutableRawPointer(overlay)) }
            let picture = try #require(OpaquePointer(gtk_picture_new()))
            gtk_overlay_set_child(OpaquePointer(overlay), UnsafeMutablePointer(picture))
            let view = try #require(ImageView.adopting(picture))
            let indicator = WebImageActivityIndicator.medium
            view.imageIndicator = indicator
            view.setImage(with: url, context: context)
            let spinner = UnsafeMutablePointer<GtkWidget>(indicator.indicatorView.widget)
            #expect(gtk_widget_get_parent(spinner) == overlay && indicator.isAnimating)
            view.imageIndicator = nil
            #expect(gtk_widget_get_parent(spinner) == nil)
        }

        @Test func indicatorOfAButtonIsShownAboveItsLabelUntilTheImage() async throws {
            let button = try #require(OpaquePointer(gtk_button_new_with_label("text")))
            let view = try #require(Button.adopting(button))
            let indicator = WebImageActivityIndicator.medium
            view.imageIndicator = indicator
            let label = try #require(gtk_button_get_child(UnsafeMutablePointer(button)))
            let window = try await TestWindow(button, width: 80, height: 40)
            defer { window.close() }
            let spinner = UnsafeMutablePointer<GtkWidget>(indicator.indicatorView.widget)
            view.setImage(with: url, context: context)
            #expect(try await pump { gtk_widget_get_mapped(spinner) != 0 && gtk_widget_get_mapped(label) != 0 })
            loader.loads[0].deliver(nil, error: offline)
            #expect(try await pump { gtk_widget_get_mapped(spinner) == 0 && gtk_widget_get_mapped(label) != 0 })
            // If the program sets a label, the label replaces the view in the button. The next load places the view
            // above the new label.
            gtk_button_set_label(UnsafeMutablePointer(button), "other")
            view.setImage(with: url, context: context)
            #expect(try await pump { gtk_widget_get_mapped(spinner) != 0 })
            try #require(loader.loads.dropFirst().first).deliver(image)
            let child = gtk_button_get_child(UnsafeMutablePointer(button))
            #expect(child.map { webimage_is_view(OpaquePointer($0)) } == true && view.currentImage === image)
        }

        @Test func adoptedButtonReplacesItsLabelByTheImageAndKeepsItsState() throws {
            let button = try #require(OpaquePointer(gtk_button_new_with_label("text")))
            let view = try #require(Button.adopting(button))
            view.setImage(with: url, context: context)
            loader.loads[0].deliver(image)
            let child = gtk_button_get_child(UnsafeMutablePointer(button))
            #expect(child.map { webimage_is_view(OpaquePointer($0)) } == true)
            #expect(try #require(Button.adopting(button)).currentImage === image)
            #expect(Button.adopting(try #require(OpaquePointer(gtk_picture_new()))) == nil)
        }

        /// Destroys 5,000 widgets at random moments of a load. No handle or closure leaks, and every load completes.
        @Test(.timeLimit(minutes: 5))
        func widgetsDestroyedAtAnyInstantAreFreed() async throws {
            try await turnLoop()
            let live = GTKHandles.live
            var random = SeededRandom(seed: 7)
            var (asked, ended) = (0, 0)
            for round in 0..<5000 {
                var view: ImageView? = round % 3 == 0 ? AnimatedImageView() : ImageView()
                if round % 4 == 0 { view?.imageIndicator = WebImageActivityIndicator.medium }
                if round % 5 == 0 { view?.imageTransition = .fade(duration: 0.01) }
                for step in 0..<Int(random.next() % 3) + 1 {
                    asked += 1
                    view?.setImage(
                        with: URL(fileURLWithPath: "/\(round)-\(step)"), placeholderImage: image,
                        options: random.next() % 2 == 0 ? [] : [.progressiveLoad, .waitTransition], context: context
                    ) { _, _, _, _ in ended += 1 }
                }
                let load = try #require(loader.loads.last)
                if random.next() % 2 == 0 { load.deliver(image, finished: false) }
                switch random.next() % 3 {
                case 0: view.map { g_object_run_dispose(UnsafeMutablePointer<GObject>($0.widget)) }
                case 1: load.deliver(image)
                default: break
                }
                view = nil
                load.deliver(image)
                loader.removeLoads()
            }
            #expect(try await pump { ended == asked })
            #expect(try await pump { GTKHandles.hasNoMore(than: live) }, "\(GTKHandles.live) after \(live)")
        }
    }
}
