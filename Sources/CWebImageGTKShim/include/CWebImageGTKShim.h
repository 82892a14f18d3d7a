#ifndef CGTKSHIM_H
#define CGTKSHIM_H

#include <stdbool.h>

#include "CGTKLists.h"

#pragma clang assume_nonnull begin

// A GObject of any class. The struct is incomplete on purpose, so that Swift imports a pointer to it as OpaquePointer,
// without GTK's headers.
typedef struct webimage_object *webimage_ref;

// Makes GLib's default main context drain libdispatch's main queue, which runs the main actor. Returns false if the
// caller is not on the process's first thread, or if GLib cannot add the source. Repeated calls have no further effect.
// This function is in C, because no header declares the two libdispatch functions that it needs.
bool webimage_main_loop_attach(void);

// Called for a connected signal. `argument` is the first argument of the signal if that argument is an object,
// otherwise null.
typedef void (*webimage_signal_handler)(void *user_data, webimage_ref _Nullable argument);

// Connects a handler to a signal and returns the number of the connection. `release` is called when the connection
// ends. This function is in C, because a signal's arguments arrive as GValues, which are read through macros. One
// marshaller handles signals with any number of arguments, so Swift need not cast a function pointer for each signal.
unsigned long webimage_signal_connect(
    webimage_ref object, const char *signal, webimage_signal_handler handler, void *user_data,
    void (*release)(void *user_data));

// Draws the contents of a drawing into a GtkSnapshot, at a size in points.
typedef void (*webimage_draw)(void *user_data, webimage_ref snapshot, double width, double height);

// Returns a new GdkPaintable that calls `draw` to draw its contents. `release` is called when the GdkPaintable is
// finalized. This function is in C, because a GObject class with an interface is declared by macros.
webimage_ref webimage_drawing_new(webimage_draw draw, void *user_data, void (*release)(void *user_data));

// Sets the natural size of the drawing, and reports changed contents to the widgets that show the drawing. Also reports
// a new size if `width` or `height` differ from the previous values. `still` is the paintable that GTK receives where
// it requires a paintable that never changes. The drawing adds a reference to `still`. This function is in C, because
// the object's fields are behind a GObject cast.
void webimage_drawing_set(webimage_ref drawing, webimage_ref _Nullable still, int width, int height);

// Returns a new widget that shows a GdkPaintable in all of its area. Its children are drawn above the GdkPaintable and
// placed by their alignment. The natural size of the widget is that of the GdkPaintable, and its minimum size is 0. The
// widget computes its height from its width. This function is in C, because a GtkWidget class is declared by macros.
webimage_ref webimage_view_new(void);

// Whether an object is a widget that `webimage_view_new` returned. This function is in C, because the type's number is
// static in view.c.
bool webimage_is_view(webimage_ref object);

// Sets the paintable that a view shows; null shows nothing. The view adds a reference to the paintable.
void webimage_view_set_paintable(webimage_ref view, webimage_ref _Nullable paintable);

// Returns the paintable that a view shows; null if it shows nothing. This function is in C, because the object's fields
// are behind a GObject cast.
webimage_ref _Nullable webimage_view_get_paintable(webimage_ref view);

// Gives every child of a widget the whole area of the widget. A child that needs more is centred and extends beyond the
// widget. For the C code of this folder.
void webimage_place_children(webimage_ref widget, int width, int height);

// Gives a widget a fixed width or height in points, which is its minimum, natural and maximum size; a side of 0 is not
// fixed. The widget then ignores the sizes of its children along a fixed side. A widget that fills its area along a fixed
// side is centred instead. This function is in C, because a GtkLayoutManager class is declared by macros.
void webimage_set_fixed_size(webimage_ref widget, int width, int height);

// Sets the text of a widget for screen readers. This function is in C, because the original is variadic.
void webimage_set_accessible_label(webimage_ref widget, const char *label);

// Sets the description of a widget for screen readers; null removes it. This function is in C, because the original is
// variadic.
void webimage_set_accessible_description(webimage_ref widget, const char *_Nullable description);

// Whether an object has a property with the name `name`. This function is in C, because classes are reached through
// macros.
bool webimage_has_property(webimage_ref object, const char *name);

// Sets a property whose value is an int. This function is in C, because the original is variadic.
void webimage_set_number(webimage_ref object, const char *name, int value);

// Set and read a property whose value is an object. These functions are in C, because the originals are variadic.
void webimage_set_object(webimage_ref object, const char *name, webimage_ref _Nullable value);
webimage_ref _Nullable webimage_get_object(webimage_ref object, const char *name);

// Returns the name of an object's class. This function is in C, because the original is a macro.
const char *webimage_type_name(webimage_ref object);

#pragma clang assume_nonnull end

#endif
