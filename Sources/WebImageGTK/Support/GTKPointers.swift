// GTK's functions take pointers to many types. C casts between them with macros, which Swift does not import.

/// Returns a GTK object as the pointer type that a C function takes, inferred from the call; nil stays nil.
///
/// The cast is not checked, as in C: the object must be of that type.
///
/// ```swift
/// gtk_window_set_child(gtkCast(window), view.gtkWidget())
/// ```
public func gtkCast<Object, Wanted>(_ object: UnsafeMutablePointer<Object>?) -> UnsafeMutablePointer<Wanted>? {
    UnsafeMutablePointer(OpaquePointer(object))
}

/// Returns a GTK object whose C type Swift does not import as the pointer type that a C function takes.
///
/// Nil stays nil.
public func gtkCast<Wanted>(_ object: OpaquePointer?) -> UnsafeMutablePointer<Wanted>? { UnsafeMutablePointer(object) }

extension WidgetView {
    /// Returns the `GtkWidget` as the pointer type that a C function takes, inferred from the call.
    ///
    /// ```swift
    /// gtk_box_append(gtkCast(box), view.gtkWidget())
    /// ```
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }
}
