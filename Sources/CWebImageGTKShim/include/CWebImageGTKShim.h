#ifndef CGTKSHIM_H
#define CGTKSHIM_H

#include <stdbool.h>

#include "CGTKLists.h"

#pragma clang assume_nonnull begin

// A GObject of any class. Incomplete on purpose: Swift sees an OpaquePointer, and importing this header costs nothing.
typedef struct webimage_object *webimage_ref;

// Lets GLib's default main context drain libdispatch's main queue, and so run the main actor.
// In C because the two libdispatch functions it needs stand in no header. False when the caller is not on the
// process's first thread. Idempotent.
bool webimage_main_loop_attach(void);

// What a connected signal calls: the first argument of the signal when it is an object, else null.
typedef void (*webimage_signal_handler)(void *user_data, webimage_ref _Nullable argument);

// Connects a handler that is released with its connection.
// In C because a signal's arguments arrive as GValues, which are read through macros, and because one marshaller
// for every arity spares Swift from casting function pointers per signal. Returns the connection's number.
unsigned long webimage_signal_connect(
    webimage_ref object, const char *signal, webimage_signal_handler handler, void *user_data,
    void (*release)(void *user_data));

// What a drawing calls to be drawn into a GtkSnapshot, at a size in points.
typedef void (*webimage_draw)(void *user_data, webimage_ref snapshot, double width, double height);

// A GdkPaintable whose contents somebody else draws; `release` is called with its end.
// In C because a GObject class with an interface is declared by macros.
webimage_ref webimage_drawing_new(webimage_draw draw, void *user_data, void (*release)(void *user_data));

// Tells those who show the drawing that it looks different now, and whether its natural size did change.
// `still` is what stands for it where a picture that never changes is wanted; the drawing takes a reference.
// In C because the object's fields are behind a GObject cast.
void webimage_drawing_set(webimage_ref drawing, webimage_ref _Nullable still, int width, int height);

// A widget that shows a GdkPaintable in all of its area, its children above it, each placed by its own alignment.
// It asks for the paintable's natural size, gives the height for a width, and may be made as small as nothing.
// In C because a GtkWidget class is declared by macros.
webimage_ref webimage_view_new(void);

// Whether an object is such a widget. In C because the type's number is a static of the class.
bool webimage_is_view(webimage_ref object);

// Shows another paintable; null shows nothing. The widget takes a reference.
void webimage_view_set_paintable(webimage_ref view, webimage_ref _Nullable paintable);

// The paintable shown. In C because the object's fields are behind a GObject cast.
webimage_ref _Nullable webimage_view_get_paintable(webimage_ref view);

// What screen readers say of a widget. In C because the original is variadic.
void webimage_set_accessible_label(webimage_ref widget, const char *label);

// Whether an object has a property of this name. In C because classes are reached through macros.
bool webimage_has_property(webimage_ref object, const char *name);

// Sets and reads properties that are objects. In C because the originals are variadic.
void webimage_set_object(webimage_ref object, const char *name, webimage_ref _Nullable value);
webimage_ref _Nullable webimage_get_object(webimage_ref object, const char *name);

// The name of an object's class. In C because the original is a macro.
const char *webimage_type_name(webimage_ref object);

#pragma clang assume_nonnull end

#endif
