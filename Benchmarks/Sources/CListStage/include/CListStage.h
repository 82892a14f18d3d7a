#ifndef CLISTSTAGE_H
#define CLISTSTAGE_H

#include <stdbool.h>

// A list to measure. The window, the scroll steps and the measurements are the same for all GTK competitors
// of the list benchmark; each competitor provides only these values and callbacks.
typedef struct {
    const char *name;
    // The number of rows, and their height in pixels.
    unsigned rows;
    int row_height;
    // Returns whether every row from `first` to `last`, inclusive, shows its picture.
    bool (*is_ready)(void *user, unsigned first, unsigned last);
    // Creates a GtkListItemFactory; null for empty rows. Called after GTK is initialised.
    void *(*make_factory)(void *user);
    void *user;
} list_stage;

// Scrolls through the list screen by screen. Continues when every row of the current screen shows its
// picture. Prints the processor time and the memory as one line of JSON. The gaps in this line are 0, because
// they are not measured.
int list_stage_show(const list_stage *stage);

// Flings the list up and down for `seconds` and measures the gaps of the main loop. Then waits four seconds
// until running work has finished, and measures the processor time of two further seconds at rest. Prints a
// line like list_stage_show, with the gaps and with "cpu_at_rest", the processor seconds per second.
int list_stage_fling(const list_stage *stage, double seconds);

// Sets the minimum height of a row's GtkWidget, in pixels.
void list_stage_set_height(void *widget, int height);

#endif
