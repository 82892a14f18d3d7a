// GTK functions take pointers to many types. C casts them with macros that Swift cannot import.
//
// Swift sees the fields of some types, for example of `GtkWidget` and `GtkWindow`, and imports pointers to them as
// `UnsafeMutablePointer`. It does not see the fields of others, for example of `GtkLabel`, `GtkStack`,
// `GtkScrolledWindow` and `GtkGridView`, and imports pointers to them as `OpaquePointer`. The functions below cast from
// each kind of pointer to each kind.

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

/// Casts a GTK object to the `OpaquePointer` that a C function takes if Swift cannot see the type of its parameter; nil
/// stays nil.
///
/// ```swift
/// gtk_scrolled_window_set_child(gtkCast(scrolled), list.gtkWidget())
/// ```
public func gtkCast<Object>(_ object: UnsafeMutablePointer<Object>?) -> OpaquePointer? { OpaquePointer(object) }

/// Returns the pointer itself, so that a caller need not know which C types Swift can see.
public func gtkCast(_ object: OpaquePointer?) -> OpaquePointer? { object }

/// Casts a GTK object to the pointer type that a function takes. Swift infers this type from the call.
@_disfavoredOverload
public func gtkCast<Object, Wanted>(_ object: UnsafeMutablePointer<Object>) -> UnsafeMutablePointer<Wanted> {
    UnsafeMutablePointer(OpaquePointer(object))
}

/// Casts an `OpaquePointer` to the pointer type that a function takes.
@_disfavoredOverload
public func gtkCast<Wanted>(_ object: OpaquePointer) -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(object) }

/// Casts a GTK object to an `OpaquePointer`, for example for ``WidgetView/adopting(_:)``.
@_disfavoredOverload
public func gtkCast<Object>(_ object: UnsafeMutablePointer<Object>) -> OpaquePointer { OpaquePointer(object) }

/// Returns the pointer itself, so that a caller need not know which C types Swift can see.
@_disfavoredOverload
public func gtkCast(_ object: OpaquePointer) -> OpaquePointer { object }

extension WidgetView {
    /// Returns the `GtkWidget` as the pointer type that a C function takes. Swift infers this type from the call. The
    /// pointer is valid as long as ``widget``, also if this view is temporary.
    ///
    /// ```swift
    /// gtk_box_append(gtkCast(box), view.gtkWidget())
    /// ```
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }

    /// Returns ``widget``, for a function that takes an `OpaquePointer`.
    public func gtkWidget() -> OpaquePointer { widget }
}

extension FittingImageView {
    /// Returns the `GtkWidget` as the pointer type that a C function takes. Swift infers this type from the call.
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }
}

extension FittingList {
    /// Returns the `GtkWidget` as the pointer type that a C function takes. Swift infers this type from the call.
    public func gtkWidget<Wanted>() -> UnsafeMutablePointer<Wanted> { UnsafeMutablePointer(widget) }
}
