// A view for SwiftCrossUI and its GTK backend. The view shows the picture of a URL. Copy this file into your target.
// Here, the file is compiled against stubs of the declarations that it uses. It was not tested with the real package.
import CGtk
import Foundation
import Gtk
import GtkBackend
import SwiftCrossUI
import WebImage
import WebImageGTK

/// Shows the picture of a URL. The picture is decoded to fit `size` in pixels, or at full size if `size` is nil.
struct WebImageView: GtkWidgetRepresentable {
    private let url: URL?
    private let size: CGSize?

    init(_ url: URL?, size: CGSize? = nil) {
        self.url = url
        self.size = size
    }

    func makeCoordinator() -> WebImageGTK.ImageView { WebImageGTK.ImageView() }

    func makeGtkWidget(context: Context) -> Gtk.Box {
        let box = Gtk.Box(orientation: .vertical, spacing: 0)
        let view = context.coordinator
        gtk_widget_set_hexpand(view.gtkWidget(), 1)
        gtk_widget_set_vexpand(view.gtkWidget(), 1)
        gtk_box_append(gtkCast(box.opaquePointer), view.gtkWidget())
        return box
    }

    func updateGtkWidget(_ box: Gtk.Box, context: Context) {
        // If the URL is the same, the view and its load do not change.
        let values: WebImageContext? = size.map { [.imageThumbnailPixelSize: $0] }
        context.coordinator.setImage(with: url, context: values)
    }
}
