#ifndef CGALLERYSHIM_H
#define CGALLERYSHIM_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

// libadwaita for the gallery, and the GTK signals whose arguments are not objects.
// In C because <adwaita.h> includes GTK's headers. If Swift imported it beside CWebImageGTK, every GTK name would be
// declared twice.

// A GObject of any class, as in CWebImageGTKShim.
typedef struct webimage_object *gallery_ref;

void gallery_init(void);

// Creates an application window of libadwaita with its content.
gallery_ref gallery_window_new(gallery_ref application, gallery_ref content);

// A header bar with a widget as its title.
gallery_ref gallery_header_new(gallery_ref title);
void gallery_header_pack(gallery_ref header, gallery_ref widget, bool at_end);

// A stack of pages, the page it shows, and buttons that choose one.
gallery_ref gallery_stack_new(void);
void gallery_stack_add(gallery_ref stack, gallery_ref child, const char *name, const char *title, const char *icon);
void gallery_stack_show(gallery_ref stack, const char *name);
bool gallery_stack_shows(gallery_ref stack, const char *name);
gallery_ref gallery_switcher_new(gallery_ref stack);

// A content with a panel that can be shown at its end.
gallery_ref gallery_flap_new(gallery_ref content, gallery_ref panel);
void gallery_flap_reveal(gallery_ref flap, bool is_shown);
bool gallery_flap_is_revealed(gallery_ref flap);

// An overlay for short messages above a content.
gallery_ref gallery_toasts_new(gallery_ref content);
void gallery_toast(gallery_ref toasts, const char *text);

// A page shown when there is no content.
gallery_ref gallery_status_new(const char *icon, const char *title, const char *description);

// Sets the dark style. False follows the desktop.
void gallery_set_dark(bool is_dark);

// Called with a text (a path, or one URL a line), a key and its modifiers, or a turn of the wheel and its modifiers.
typedef void (*gallery_text_handler)(void *user_data, const char *text);
typedef bool (*gallery_key_handler)(void *user_data, unsigned key, unsigned modifiers);
typedef bool (*gallery_wheel_handler)(void *user_data, double amount, unsigned modifiers);

// The handlers stay connected as long as their widget exists. `user_data` is never released.
void gallery_on_drop(gallery_ref widget, gallery_text_handler handler, void *user_data);
void gallery_on_key(gallery_ref widget, gallery_key_handler handler, void *user_data);
void gallery_on_wheel(gallery_ref widget, gallery_wheel_handler handler, void *user_data);

// Lets the user choose a file.
void gallery_choose_file(gallery_ref window, const char *title, gallery_text_handler handler, void *user_data);

#pragma clang assume_nonnull end

#endif
