import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore

/// The images of a button by state, and the view inside the button that shows them. Belongs to the button's
/// ``ImageWidgetState``.
@MainActor final class ButtonFace {
    private let button: OpaquePointer
    private let child: ImageWidgetState
    private var images: [ControlState: Image] = [:]
    private var backgrounds: [ControlState: Image] = [:]
    private var isPlaced = false

    init(_ button: OpaquePointer) {
        self.button = button
        let view = webimage_view_new()
        child = ImageWidgetState.of(view, key: "ButtonFace")
        // Keep the view alive when the button is given another child.
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
        let own = UnsafeMutablePointer<GtkButton>(button)
        gtk_button_set_child(own, UnsafeMutablePointer(child.widget))
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
