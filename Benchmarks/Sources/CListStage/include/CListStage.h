#ifndef CLISTSTAGE_H
#define CLISTSTAGE_H

#include <stdbool.h>

// A list to measure. Each GTK competitor of the list benchmark provides these values and callbacks. The window,
// the scroll steps and the measurements are the same for all competitors.
typedef struct {
    const char *name;
    // The number of rows, and the height of a row in pixels.
    unsigned rows;
    int row_height;
    // Returns whether every row from `first` to `last`, inclusive, shows its picture.
    bool (*is_ready)(void *user, unsigned first, unsigned last);
    // Creates a GtkListItemFactory. GTK is initialised before this call. If the pointer is null, the rows are empty.
    void *(*make_factory)(void *user);
    void *user;
} list_stage;

// Scrolls through the list screen by screen. Scrolls to the next screen when every row of the current screen shows
// its picture. Prints the processor time and the memory as one line of JSON. Gaps are not measured, so this line
// contains 0 for them.
int list_stage_show(const list_stage *stage);

// Flings the list up and down for `seconds` and measures the gaps of the main loop. Then waits four seconds
// until running work has finished, and measures the processor time of two further seconds without scrolling.
// Prints one line of JSON like list_stage_show, with the measured gaps. In addition, the line contains
// "cpu_at_rest", which is the processor time in seconds per second without scrolling.
int list_stage_fling(const list_stage *stage, double seconds);

// Sets the minimum height in pixels of a GtkWidget that shows a row.
void list_stage_set_height(void *widget, int height);

#endif
