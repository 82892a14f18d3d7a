#ifndef CLISTSTAGE_H
#define CLISTSTAGE_H

#include <stdbool.h>

// The stage on which GTK competitors show their list: the same window, the same steps, the same measuring.
typedef struct {
    const char *name;
    // Rows and the height each asks for.
    unsigned rows;
    int row_height;
    // Whether every row from `first` to `last` shows its picture.
    bool (*is_ready)(void *user, unsigned first, unsigned last);
    // Makes a GtkListItemFactory, or null for rows that stay empty. GTK is initialised.
    void *(*make_factory)(void *user);
    void *user;
} list_stage;

// Goes through the list screen by screen as soon as each is complete, and prints CPU, memory and gaps as one line.
int list_stage_show(const list_stage *stage);

// Flings the list up and down for some seconds, then rests for two; prints the same.
int list_stage_fling(const list_stage *stage, double seconds);

// Makes a widget as high as a row asks.
void list_stage_set_height(void *widget, int height);

#endif
