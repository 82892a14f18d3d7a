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

// Lets an adjustment say its value again to those who follow it. In C because the original is variadic.
void webimage_repeat_scroll(webimage_ref adjustment);

// A GtkWidget around one row of a list area: it takes the focus, is drawn selected, and is a list item to screen
// readers. In C because a GtkWidget class is declared by macros. Floating.
webimage_ref webimage_list_row_new(webimage_ref child);

// Tells screen readers which of how many rows it is, and whether it is selected. In C because the originals are variadic.
void webimage_list_row_set_place(webimage_ref row, int position, int count);
void webimage_list_row_set_selected(webimage_ref row, bool is_selectable, bool is_selected);

// What a key asks of a list. The numbers are Swift's too.
typedef enum {
    webimage_list_previous,
    webimage_list_next,
    webimage_list_page_back,
    webimage_list_page_on,
    webimage_list_first,
    webimage_list_last,
    webimage_list_activate,
} webimage_list_key;

// What a list area tells the one who fills it.
typedef struct {
    // Places the children: called while GTK lays out, with the area's size.
    void (*allocate)(void *owner, int width, int height);
    // An adjustment has another value, or is another one.
    void (*scrolled)(void *owner);
    // A key of the list was pressed on one of its rows, or on the list itself. False passes it on.
    bool (*key)(void *owner, webimage_list_key key);
    // The first pointer button was released inside the list, the count-th time in a row, at a place in the area.
    void (*clicked)(void *owner, int count, double x, double y);
    // The focus comes to the list from outside. False lets it go on to the next widget.
    bool (*focus)(void *owner);
    // The widget is about to lose its children; nothing is called after it.
    void (*release)(void *owner);
} webimage_list_area_callbacks;

// An empty GtkScrollable whose children its owner makes and places. In C because a GtkWidget class with an interface
// and overridden properties is declared by macros. `owner` is handed to the callbacks. Floating.
webimage_ref webimage_list_area_new(void *owner, webimage_list_area_callbacks callbacks, bool is_vertical);

#pragma clang assume_nonnull end

#endif
