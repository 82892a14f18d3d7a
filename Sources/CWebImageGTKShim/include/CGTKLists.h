#ifndef CGTKLISTS_H
#define CGTKLISTS_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

typedef struct webimage_object *webimage_ref;

// A GtkWidget around one child. It measures itself by the given proportions and ignores the size of the child.
// In C because a GtkWidget class is declared by macros. With `is_width_given` its height follows from its width, else
// its width from its height. Floating, as every new widget.
webimage_ref webimage_fitting_box_new(webimage_ref child, bool is_width_given, int width, int height);

// Changes the proportions; lays out again only if they differ. In C because of the GObject cast.
void webimage_fitting_box_set_proportions(webimage_ref box, int width, int height);

// Emits an adjustment's "value-changed" signal without a change. In C because the original is variadic.
void webimage_repeat_scroll(webimage_ref adjustment);

// A GtkWidget around one row of a list area. It receives the focus, is drawn selected, and is a list item for screen
// readers. In C because a GtkWidget class is declared by macros. Floating.
webimage_ref webimage_list_row_new(webimage_ref child);

// Report a row's position, the number of rows, and its selection to screen readers. In C because the originals are
// variadic.
void webimage_list_row_set_place(webimage_ref row, int position, int count);
void webimage_list_row_set_selected(webimage_ref row, bool is_selectable, bool is_selected);

// The action of a key in a list. Swift uses the same numbers.
typedef enum {
    webimage_list_previous,
    webimage_list_next,
    webimage_list_page_back,
    webimage_list_page_on,
    webimage_list_first,
    webimage_list_last,
    webimage_list_activate,
} webimage_list_key;

// The callbacks of a list area to its owner, which fills it.
typedef struct {
    // Places the children. Called during GTK's layout, with the area's size.
    void (*allocate)(void *owner, int width, int height);
    // The value of an adjustment changed, or the adjustment was replaced.
    void (*scrolled)(void *owner);
    // A key of the list was pressed on one of its rows, or on the list itself. Returns false to pass it on.
    bool (*key)(void *owner, webimage_list_key key);
    // The first pointer button was released at a point in the area. `count` is 2 for a double click.
    void (*clicked)(void *owner, int count, double x, double y);
    // The focus comes to the list from outside. Returns false to pass it on to the next widget.
    bool (*focus)(void *owner);
    // The last callback: the widget is about to remove its children.
    void (*release)(void *owner);
} webimage_list_area_callbacks;

// An empty GtkScrollable. Its owner makes and places the children. In C because a GtkWidget class with an interface
// and overridden properties is declared by macros. The callbacks receive `owner`. Floating.
webimage_ref webimage_list_area_new(void *owner, webimage_list_area_callbacks callbacks, bool is_vertical);

#pragma clang assume_nonnull end

#endif
