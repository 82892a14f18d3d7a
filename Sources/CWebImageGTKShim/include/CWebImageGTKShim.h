#ifndef CGTKSHIM_H
#define CGTKSHIM_H

#include <stdbool.h>

#include "CGTKLists.h"

#pragma clang assume_nonnull begin

// A GObject of any class. Incomplete on purpose: Swift imports it as OpaquePointer, without GTK's headers.
typedef struct webimage_object *webimage_ref;

// Makes GLib's default main context drain libdispatch's main queue, and so run the main actor.
// In C because no header declares the two libdispatch functions it needs. False when the caller is not on the
// process's first thread. Idempotent.
bool webimage_main_loop_attach(void);

// Called for a connected signal, with the first argument of the signal if it is an object, else with null.
typedef void (*webimage_signal_handler)(void *user_data, webimage_ref _Nullable argument);

// Connects a handler. `release` is called when the connection ends.
// In C because a signal's arguments arrive as GValues, which are read through macros. One marshaller for every arity
// also means that Swift need not cast a function pointer for each signal. Returns the connection's number.
unsigned long webimage_signal_connect(
    webimage_ref object, const char *signal, webimage_signal_handler handler, void *user_data,
    void (*release)(void *user_data));

// Called to draw a drawing into a GtkSnapshot, at a size in points.
typedef void (*webimage_draw)(void *user_data, webimage_ref snapshot, double width, double height);

// A GdkPaintable whose contents `draw` draws. `release` is called when it is finalized.
// In C because a GObject class with an interface is declared by macros.
webimage_ref webimage_drawing_new(webimage_draw draw, void *user_data, void (*release)(void *user_data));

// Reports to the widgets that show the drawing that its contents changed, and its natural size if that is another one.
// `still` is returned where GTK requires a paintable that never changes; the drawing takes a reference.
// In C because the object's fields are behind a GObject cast.
void webimage_drawing_set(webimage_ref drawing, webimage_ref _Nullable still, int width, int height);

// A widget that shows a GdkPaintable in all of its area. Its children are drawn above and placed by their alignment.
// It requests the paintable's natural size, computes its height from a width, and has a minimum size of 0.
// In C because a GtkWidget class is declared by macros.
webimage_ref webimage_view_new(void);

// Whether an object is such a widget. In C because the type's number is static in view.c.
bool webimage_is_view(webimage_ref object);

// Shows another paintable; null shows nothing. The widget takes a reference.
void webimage_view_set_paintable(webimage_ref view, webimage_ref _Nullable paintable);

// The paintable shown. In C because the object's fields are behind a GObject cast.
webimage_ref _Nullable webimage_view_get_paintable(webimage_ref view);

// Sets the text of a widget for screen readers. In C because the original is variadic.
void webimage_set_accessible_label(webimage_ref widget, const char *label);

// Whether an object has a property of this name. In C because classes are reached through macros.
bool webimage_has_property(webimage_ref object, const char *name);

// Set and read properties that are objects. In C because the originals are variadic.
void webimage_set_object(webimage_ref object, const char *name, webimage_ref _Nullable value);
webimage_ref _Nullable webimage_get_object(webimage_ref object, const char *name);

// The name of an object's class. In C because the original is a macro.
const char *webimage_type_name(webimage_ref object);

#pragma clang assume_nonnull end

#endif
