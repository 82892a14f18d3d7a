// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of SwiftCrossUI's GTK backend that the adapter uses, without implementation.
import Gtk
import SwiftCrossUI

public struct GtkWidgetRepresentableContext<Representable: GtkWidgetRepresentable> {
    public let coordinator: Representable.Coordinator
}

public protocol GtkWidgetRepresentable: View where Content == Never {
    associatedtype GtkWidgetType: Gtk.Widget
    associatedtype Coordinator = Void
    typealias Context = GtkWidgetRepresentableContext<Self>

    @MainActor func makeGtkWidget(context: Context) -> GtkWidgetType
    @MainActor func updateGtkWidget(_ gtkWidget: GtkWidgetType, context: Context)
    @MainActor func makeCoordinator() -> Coordinator
}
