// GTK functions take pointers to many types. C casts them with macros that Swift cannot import.

/// Casts a GTK object to the pointer type that a C function takes, inferred from the call; nil stays nil.
///
/// Unchecked, as the cast in C is: the object must be of that type.
///
/// ```swift
/// gtk_window_set_child(gtkCast(window), view.gtkWidget())
/// ```
public func gtkCast<Object, Wanted>(_ object: UnsafeMutablePointer<Object>?) -> UnsafeMutablePointer<Wanted>? {
    UnsafeMutablePointer(OpaquePointer(object))
}

/// Casts a GTK object whose C type Swift cannot see to the pointer type that a C function takes; nil stays nil.
public func gtkCast<Wanted>(_ object: OpaquePointer?) -> UnsafeMutablePointer<Wanted>? { UnsafeMutablePointer(object) }

extension WidgetView {
    /// Returns the `GtkWidget` as the pointer type that a C function takes, inferred from the call.
    ///
    /// ```swift
    /// gtk_box_append(gtkCast(box), view.gtkWidget())
    /// ```
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }
}
