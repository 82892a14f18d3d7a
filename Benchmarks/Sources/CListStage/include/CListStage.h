#ifndef CLISTSTAGE_H
#define CLISTSTAGE_H

#include <stdbool.h>

// The window, the scroll steps and the measurements that all GTK competitors of the list benchmark share.
typedef struct {
    const char *name;
    // The number of rows and their height.
    unsigned rows;
    int row_height;
    // Whether every row from `first` to `last` shows its picture.
    bool (*is_ready)(void *user, unsigned first, unsigned last);
    // Creates a GtkListItemFactory; null for empty rows. Called after GTK is initialised.
    void *(*make_factory)(void *user);
    void *user;
} list_stage;

// Scrolls through the list screen by screen, each time the current screen is complete, and prints CPU, memory and gaps
// as one line.
int list_stage_show(const list_stage *stage);

// Flings the list up and down for `seconds`, then waits two seconds. Prints the same line as list_stage_show.
int list_stage_fling(const list_stage *stage, double seconds);

// Sets the smallest height of a row's widget, in pixels.
void list_stage_set_height(void *widget, int height);

#endif
