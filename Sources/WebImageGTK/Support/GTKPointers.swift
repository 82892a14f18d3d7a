// GTK functions take pointers to many types. C casts them with macros that Swift cannot import.

/// Casts a GTK object to the pointer type that a C function takes. Swift infers this type from the call. nil stays nil.
///
/// The cast is unchecked, as in C: the object must be of that type.
///
/// ```swift
/// gtk_window_set_child(gtkCast(window), view.gtkWidget())
/// ```
public func gtkCast<Object, Wanted>(_ object: UnsafeMutablePointer<Object>?) -> UnsafeMutablePointer<Wanted>? {
    UnsafeMutablePointer(OpaquePointer(object))
}

/// Casts an `OpaquePointer` to the pointer type that a C function takes; nil stays nil. Use this function for a GTK
/// object whose C type Swift cannot see.
public func gtkCast<Wanted>(_ object: OpaquePointer?) -> UnsafeMutablePointer<Wanted>? { UnsafeMutablePointer(object) }

extension WidgetView {
    /// Returns the `GtkWidget` as the pointer type that a C function takes. Swift infers this type from the call.
    ///
    /// ```swift
    /// gtk_box_append(gtkCast(box), view.gtkWidget())
    /// ```
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }
}
