import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore

/// The images of a button, by state, and the view inside the button that shows the images. The button's
/// ``ImageWidgetState`` owns this object.
@MainActor final class ButtonFace {
    private let button: OpaquePointer
    /// The state of the view inside the button.
    let child: ImageWidgetState
    private var images: [ControlState: Image] = [:]
    private var backgrounds: [ControlState: Image] = [:]
    private var isPlaced = false

    init(_ button: OpaquePointer) {
        self.button = button
        let view = webimage_view_new()
        child = ImageWidgetState.of(view, key: "ButtonFace")
        // Keep the view alive if the button gets another child.
        g_object_ref_sink(UnsafeMutableRawPointer(view))
        gtk_widget_set_can_target(UnsafeMutablePointer(view), 0)
        Signal.connect(button, "state-flags-changed") { [weak self] _ in self?.refresh() }
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(child.widget)) }

    /// The widget in which an indicator is placed.
    var widget: OpaquePointer { child.widget }

    var state: ControlState { ControlState(gtk_widget_get_state_flags(UnsafeMutablePointer(button))) }

    func image(for state: ControlState) -> Image? { images[state] }
    func background(for state: ControlState) -> Image? { backgrounds[state] }

    func setImage(_ image: Image?, for state: ControlState) {
        images[state] = image
        place()
        refresh()
    }

    func setBackground(_ image: Image?, for state: ControlState) {
        backgrounds[state] = image
        place()
        refresh()
    }

    var currentImage: Image? { images[state] ?? images[.normal] }
    var currentBackground: Image? { backgrounds[state] ?? backgrounds[.normal] }

    /// Replaces the button's label with the view as soon as there is an image.
    private func place() {
        guard !isPlaced, !(images.isEmpty && backgrounds.isEmpty) else { return }
        isPlaced = true
        // The parent is an overlay if an indicator was shown on top of the label.
        let view = UnsafeMutablePointer<GtkWidget>(child.widget)
        if let overlay = gtk_widget_get_parent(view) { gtk_overlay_remove_overlay(OpaquePointer(overlay), view) }
        let own = UnsafeMutablePointer<GtkButton>(button)
        gtk_button_set_child(own, view)
    }

    /// Places the view above the button's label, so that an indicator is visible before there is an image.
    func showAboveLabel() {
        let view = UnsafeMutablePointer<GtkWidget>(child.widget)
        guard !isPlaced, gtk_widget_get_parent(view) == nil, let overlay = gtk_overlay_new() else { return }
        let own = UnsafeMutablePointer<GtkButton>(button)
        if let label = gtk_button_get_child(own) {
            // Keep the label alive while it has no parent.
            g_object_ref(label)
            gtk_button_set_child(own, nil)
            gtk_overlay_set_child(OpaquePointer(overlay), label)
            g_object_unref(label)
        }
        gtk_overlay_add_overlay(OpaquePointer(overlay), view)
        gtk_button_set_child(own, overlay)
    }

    private func refresh() {
        guard isPlaced else { return }
        let background = currentBackground
        child.drawing.background = background?.makeTexture().map {
            PictureDrawing.Layer(texture: $0, size: background?.size ?? .zero)
        }
        child.image = currentImage
        child.attach()
    }
}
