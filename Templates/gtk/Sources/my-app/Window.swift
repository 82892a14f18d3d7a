import CMyAppGTK
import Foundation
import WebImage
import WebImageGTK
import MyAppKit

/// The window with a flow of pictures, each decoded at its displayed size.
@MainActor func showWindow(of application: UnsafeMutablePointer<GtkApplication>?, _ pictures: PictureList) {
    let window = gtk_application_window_new(application)
    gtk_window_set_title(cast(window), "My App")
    gtk_window_set_default_size(cast(window), 720, 540)
    if pictures.urls.isEmpty {
        gtk_window_set_child(cast(window), gtk_label_new("No picture was named. Start with: my-app FILE-OR-URL..."))
    } else {
        let flow = gtk_flow_box_new()
        gtk_flow_box_set_selection_mode(.init(flow), GTK_SELECTION_NONE)
        gtk_flow_box_set_row_spacing(.init(flow), 12)
        gtk_flow_box_set_column_spacing(.init(flow), 12)
        for setMargin in [
            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
            gtk_widget_set_margin_end,
        ] { setMargin(flow, 12) }
        gtk_widget_set_valign(flow, GTK_ALIGN_START)
        for url in pictures.urls { show(url, in: flow) }
        let scroller = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(.init(scroller), flow)
        gtk_window_set_child(cast(window), scroller)
    }
    gtk_window_present(cast(window))
}

@MainActor private func show(_ url: URL, in flow: UnsafeMutablePointer<GtkWidget>?) {
    let view = ImageView()
    view.fixedSize = CGSize(width: 320, height: 240)
    let overlay = gtk_overlay_new()
    gtk_overlay_set_child(.init(overlay), .init(view.widget))
    gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
    // The reason, on a picture that cannot be shown. A click goes through it to the view and tries again.
    let reason = gtk_label_new(nil)
    gtk_label_set_wrap(.init(reason), 1)
    gtk_widget_set_valign(reason, GTK_ALIGN_END)
    gtk_widget_set_margin_bottom(reason, 8)
    gtk_widget_set_can_target(reason, 0)
    gtk_overlay_add_overlay(.init(overlay), reason)
    // The flow owns the widgets from here on; before, the handle owns the view.
    gtk_flow_box_insert(.init(flow), overlay, -1)
    view.imageIndicator = WebImageActivityIndicator.medium
    view.imageTransition = .fade
    view.errorImage = errorImage
    view.retriesOnTap = true
    // Decoded at the size of the view in pixels of the screen: on a screen with two pixels per point, twice
    // as many as points.
    let finished: ViewImageCompletedBlock = { image, error, _, url in
        gtk_label_set_text(.init(reason), error.map { words(for: $0, url) } ?? "")
        print(url?.lastPathComponent ?? "-", image.map { "\($0.pixelSize)" } ?? error?.description ?? "nothing")
        fflush(nil)
    }
    view.retryCompleted = finished
    view.setImage(with: url, context: .thumbnail(.viewSize), completed: finished)
}

/// The reason in the words of a person who looks at the window.
private func words(for error: WebImageError, _ url: URL?) -> String {
    let name = url?.lastPathComponent ?? "This"
    return switch error.code {
    case .fileSystem: "There is no readable file \(name)."
    case .badImageData: "\(name) is damaged, or not a picture."
    case .unsupportedFormat: "\(name) is not a picture that this program reads."
    default: "\(name): \(error.code.words)"
    }
}

/// The picture for what cannot be shown; a click on it tries again. Its colours fit light and dark themes.
@MainActor private let errorImage = GraphicsImageRenderer(
    size: CGSize(width: 320, height: 240), format: twoPixelsPerPoint
).image { context in
    context.fillColor = ImageColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.18)
    context.fill(CGRect(x: 0, y: 0, width: 320, height: 240))
    var cross = GraphicsPath()
    cross.move(to: CGPoint(x: 135, y: 95))
    cross.addLine(to: CGPoint(x: 185, y: 145))
    cross.move(to: CGPoint(x: 185, y: 95))
    cross.addLine(to: CGPoint(x: 135, y: 145))
    context.strokeColor = ImageColor(red: 0.85, green: 0.3, blue: 0.3, alpha: 1)
    context.lineWidth = 6
    context.stroke(cross)
}

/// The error picture is also sharp on a screen with two pixels per point.
private var twoPixelsPerPoint: GraphicsImageRendererFormat {
    var format = GraphicsImageRendererFormat()
    format.scale = 2
    return format
}

/// Casts an object to one of its superclasses, like GTK's macros in C.
func cast<Object>(_ object: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Object>? {
    object?.assumingMemoryBound(to: Object.self)
}
