#ifndef CGALLERYSHIM_H
#define CGALLERYSHIM_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

// The functions of libadwaita that the gallery uses, and handlers for the GTK signals whose arguments are not objects.
// The functions are written in C, because <adwaita.h> includes GTK's headers. If Swift imported both <adwaita.h> and
// CWebImageGTK, every GTK name would be declared twice.

// A GObject of any class, as in CWebImageGTKShim.
typedef struct webimage_object *gallery_ref;

void gallery_init(void);

// Creates an application window of libadwaita that contains `content`.
gallery_ref gallery_window_new(gallery_ref application, gallery_ref content);

// Creates a header bar. The widget `title` is its title.
gallery_ref gallery_header_new(gallery_ref title);
void gallery_header_pack(gallery_ref header, gallery_ref widget, bool at_end);

// These functions create a stack, add a page, show a page, and return whether a page is shown. `gallery_switcher_new`
// creates a row of buttons, one for each page. A click on a button shows its page.
gallery_ref gallery_stack_new(void);
void gallery_stack_add(gallery_ref stack, gallery_ref child, const char *name, const char *title, const char *icon);
void gallery_stack_show(gallery_ref stack, const char *name);
bool gallery_stack_shows(gallery_ref stack, const char *name);
gallery_ref gallery_switcher_new(gallery_ref stack);

// Creates a widget that contains `content` and a hidden panel. `gallery_flap_reveal` shows or hides the panel at the
// end of the widget (the right side in a left-to-right language).
gallery_ref gallery_flap_new(gallery_ref content, gallery_ref panel);
void gallery_flap_reveal(gallery_ref flap, bool is_shown);
bool gallery_flap_is_revealed(gallery_ref flap);

// Creates a widget that contains `content`. `gallery_toast` shows a short message over the content for two seconds.
gallery_ref gallery_toasts_new(gallery_ref content);
void gallery_toast(gallery_ref toasts, const char *text);

// Creates a page with an icon, a title and a description. The gallery shows it when the gallery has no pictures.
gallery_ref gallery_status_new(const char *icon, const char *title, const char *description);

// Sets the dark style if `is_dark` is true. Otherwise the application uses the style that the desktop prefers.
void gallery_set_dark(bool is_dark);

// The types of the handlers. A text handler receives a path, or a text with one URL per line. A key handler receives a
// key and the pressed modifier keys. A wheel handler receives the distance by which the wheel was turned, and the
// pressed modifier keys. A key or wheel handler returns true if it has handled the event.
typedef void (*gallery_text_handler)(void *user_data, const char *text);
typedef bool (*gallery_key_handler)(void *user_data, unsigned key, unsigned modifiers);
typedef bool (*gallery_wheel_handler)(void *user_data, double amount, unsigned modifiers);

// These functions connect a handler to a widget. The handler stays connected as long as the widget exists. `user_data`
// is never released.
void gallery_on_drop(gallery_ref widget, gallery_text_handler handler, void *user_data);
void gallery_on_key(gallery_ref widget, gallery_key_handler handler, void *user_data);
void gallery_on_wheel(gallery_ref widget, gallery_wheel_handler handler, void *user_data);

// Shows a dialog in which the user chooses a file. The handler receives the path of the file. If the user cancels the
// dialog, the handler is not called.
void gallery_choose_file(gallery_ref window, const char *title, gallery_text_handler handler, void *user_data);

#pragma clang assume_nonnull end

#endif
