#ifndef CGTKLISTS_H
#define CGTKLISTS_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

typedef struct webimage_object *webimage_ref;

// Returns a new GtkWidget around one child, as a floating reference. The widget has the proportions `width` to `height`
// and ignores the size of the child. If `is_width_given` is true, the widget computes its height from its width,
// otherwise its width from its height. This function is in C, because a GtkWidget class is declared by macros.
webimage_ref webimage_fitting_box_new(webimage_ref child, bool is_width_given, int width, int height);

// Changes the proportions of a fitting box. Requests a new layout if they differ from the previous proportions. This
// function is in C, because of the GObject cast.
void webimage_fitting_box_set_proportions(webimage_ref box, int width, int height);

// Sets whether a fitting box shows nothing; it then has no size along the side that it computes. This function is in C,
// because of the GObject cast.
void webimage_fitting_box_set_empty(webimage_ref box, bool is_empty);

// Emits an adjustment's "value-changed" signal although the value has not changed. This function is in C, because the
// original is variadic.
void webimage_repeat_scroll(webimage_ref adjustment);

// Returns a new GtkWidget around one row of a list area, as a floating reference. The widget can have the focus and can
// be drawn as selected. For screen readers, it is a list item. This function is in C, because a GtkWidget class is
// declared by macros.
webimage_ref webimage_list_row_new(webimage_ref child);

// The first function reports a row's position and the number of rows to screen readers. The second function draws a row
// as selected or not selected, and reports this state to screen readers. These functions are in C, because the
// originals are variadic.
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

// The functions that a list area calls. They belong to the owner of the area, which makes and places the rows.
typedef struct {
    // Places the children. Called during GTK's layout, with the area's size.
    void (*allocate)(void *owner, int width, int height);
    // The value of an adjustment changed, or the adjustment was replaced.
    void (*scrolled)(void *owner);
    // A key was pressed while the list or one of its rows had the focus. Returns false to pass the key on to other
    // widgets.
    bool (*key)(void *owner, webimage_list_key key);
    // The first pointer button was released at a point in the area. `count` is 2 for a double click.
    void (*clicked)(void *owner, int count, double x, double y);
    // The focus comes to the list from outside. Returns false to pass the focus on to the next widget.
    bool (*focus)(void *owner);
    // The last callback. Called before the widget removes its children.
    void (*release)(void *owner);
} webimage_list_area_callbacks;

// Returns a new, empty GtkScrollable as a floating reference. Its owner makes and places the children. The callbacks
// receive `owner`. This function is in C, because a GtkWidget class with an interface and overridden properties is
// declared by macros.
webimage_ref webimage_list_area_new(void *owner, webimage_list_area_callbacks callbacks, bool is_vertical);
/// Returns 1 or 0, whether a list area scrolls down; -1 for any other widget.
int webimage_list_area_is_vertical(webimage_ref widget);

#pragma clang assume_nonnull end

#endif
