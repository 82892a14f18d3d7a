#ifndef CGTKLISTS_H
#define CGTKLISTS_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

typedef struct webimage_object *webimage_ref;

// A GtkWidget around one child that measures itself by given proportions, whatever the child would like.
// In C because a GtkWidget class is declared by macros. `is_width_given`: as high as its width asks, else as wide as
// its height asks. Floating, as every new widget.
webimage_ref webimage_fitting_box_new(webimage_ref child, bool is_width_given, int width, int height);

// Changes the proportions; lays out again only if they are others. In C because of the GObject cast.
void webimage_fitting_box_set_proportions(webimage_ref box, int width, int height);

// What a list area tells the one who fills it.
typedef struct {
    // Places the children: called while GTK lays out, with the area's size.
    void (*allocate)(void *owner, int width, int height);
    // An adjustment has another value, or is another one.
    void (*scrolled)(void *owner);
    // The widget is about to lose its children; nothing is called after it.
    void (*release)(void *owner);
} webimage_list_area_callbacks;

// An empty GtkScrollable whose children its owner makes and places. In C because a GtkWidget class with an interface
// and overridden properties is declared by macros. `owner` is handed to the callbacks. Floating.
webimage_ref webimage_list_area_new(void *owner, webimage_list_area_callbacks callbacks, bool is_vertical);

#pragma clang assume_nonnull end

#endif
