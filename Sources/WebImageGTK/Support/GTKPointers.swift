// GTK's functions want pointers to many types, which C casts with macros that Swift does not see.

/// A GTK object as the pointer type that a C function wants, which the call infers; nil stays nil.
///
/// As unchecked as C's own cast: the object must be of that type.
///
/// ```swift
/// gtk_window_set_child(gtkCast(window), view.gtkWidget())
/// ```
public func gtkCast<Object, Wanted>(_ object: UnsafeMutablePointer<Object>?) -> UnsafeMutablePointer<Wanted>? {
    UnsafeMutablePointer(OpaquePointer(object))
}

/// A GTK object whose C type Swift cannot see, as the pointer type that a C function wants; nil stays nil.
public func gtkCast<Wanted>(_ object: OpaquePointer?) -> UnsafeMutablePointer<Wanted>? { UnsafeMutablePointer(object) }

extension WidgetView {
    /// The `GtkWidget` as the pointer type that a C function wants, which the call infers.
    ///
    /// ```swift
    /// gtk_box_append(gtkCast(box), view.gtkWidget())
    /// ```
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }
}
