import CWebImageGTK
import CWebImageGTKShim

/// The kinds of widget, and how each kind receives the paintable to show.
enum WidgetKind {
    /// A view of this library.
    case view
    case picture
    case image
    /// An `AdwAvatar`, recognised by its type name, because this library does not link libadwaita.
    case avatar
    /// Any other widget. It can have loads and indicators, but a closure must show its images.
    case other

    @MainActor init(of widget: OpaquePointer) {
        let instance = UnsafeMutablePointer<GTypeInstance>(widget)
        if webimage_is_view(widget) {
            self = .view
        } else if g_type_check_instance_is_a(instance, gtk_picture_get_type()) != 0 {
            self = .picture
        } else if g_type_check_instance_is_a(instance, gtk_image_get_type()) != 0 {
            self = .image
        } else if String(cString: webimage_type_name(widget)) == "AdwAvatar",
            webimage_has_property(widget, "custom-image")
        {
            self = .avatar
        } else {
            self = .other
        }
    }

    @MainActor func paintable(of widget: OpaquePointer) -> OpaquePointer? {
        switch self {
        case .view: webimage_view_get_paintable(widget)
        case .picture: gtk_picture_get_paintable(widget)
        case .image: gtk_image_get_paintable(widget)
        case .avatar: webimage_get_object(widget, "custom-image")
        case .other: nil
        }
    }

    @MainActor func setPaintable(_ paintable: OpaquePointer?, of widget: OpaquePointer) {
        switch self {
        case .view: webimage_view_set_paintable(widget, paintable)
        case .picture: gtk_picture_set_paintable(widget, paintable)
        case .image: gtk_image_set_from_paintable(widget, paintable)
        case .avatar: webimage_set_object(widget, "custom-image", paintable)
        case .other: break
        }
    }

    /// Sets the size of the picture in a widget that draws its picture at a size of its own, in points.
    @MainActor func setPictureSide(_ side: CInt, of widget: OpaquePointer) {
        switch self {
        case .image: gtk_image_set_pixel_size(widget, side)
        case .avatar: webimage_set_number(widget, "size", side)
        case .view, .picture, .other: break
        }
    }

    /// Whether the widget itself fits the paintable into its area. Such a widget draws the paintable in a rectangle
    /// that already has the paintable's proportions.
    var fitsItself: Bool { self != .view }
}
