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

// A GdkPaintable of fixed size whose picture can be swapped, as an animation does: a swap redraws and lays nothing out.
// In C because a GObject class with an interface is declared by macros. Takes a reference of its own to the texture.
webimage_ref webimage_frame_paintable_new(webimage_ref texture, int width, int height);

// Shows another texture in the same size. In C because the object's fields are behind a GObject cast.
void webimage_frame_paintable_set(webimage_ref paintable, webimage_ref texture);

#pragma clang assume_nonnull end

#endif
