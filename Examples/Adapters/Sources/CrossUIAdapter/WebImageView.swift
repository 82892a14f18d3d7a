// A view for SwiftCrossUI with its GTK backend that shows the picture of a URL. Copy this file into your target.
// It is compiled here against stubs of the declarations it uses and was not tested with the real package.
import CGtk
import Foundation
import Gtk
import GtkBackend
import SwiftCrossUI
import WebImage
import WebImageGTK

/// Shows the picture of a URL, decoded to fit a size in pixels.
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
