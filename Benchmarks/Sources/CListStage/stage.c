#include "CListStage.h"

#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const int width = 300, height = 600;

typedef struct {
    const list_stage *stage;
    GtkWidget *list;
    GtkAdjustment *adjustment;
    GMainLoop *loop;
    double cpu_start, time_start, seconds;
    unsigned screens;
    int direction, frames;
    bool has_begun, is_over;
} run;

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Returns a field of /proc/self/status in megabytes.
static double memory(const char *field) {
    char line[256];
    double value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, field, strlen(field)) == 0) sscanf(line + strlen(field), ": %lf", &value);
    }
    fclose(file);
    return value / 1024;
}

// A gap is the time in milliseconds between two polls of the main loop. During a gap, the program does not
// react to input.
static gint64 poll_ended;
static double cpu_then, longest_gap, longest_gap_cpu;
static unsigned gaps_over_16;

// Returns the processor time of this thread in milliseconds. The growth of this time during a gap is the part of
// the gap in which the thread computed. In the rest of the gap, the thread waited for a processor or the display.
static double own_cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static gint measuring_poll(GPollFD *descriptors, guint count, gint timeout) {
    gint64 now = g_get_monotonic_time();
    if (poll_ended) {
        double gap = (now - poll_ended) / 1000.0;
        if (gap > longest_gap) {
            longest_gap = gap;
            longest_gap_cpu = own_cpu() - cpu_then;
        }
        if (gap > 16) gaps_over_16++;
    }
    gint result = g_poll(descriptors, count, timeout);
    cpu_then = own_cpu();
    poll_ended = g_get_monotonic_time();
    return result;
}

static bool sight_is_ready(run *run) {
    const list_stage *stage = run->stage;
    double row = (gtk_adjustment_get_upper(run->adjustment)) / stage->rows;
    double value = gtk_adjustment_get_value(run->adjustment);
    unsigned first = (unsigned)(value / row);
    unsigned last = (unsigned)((value + gtk_adjustment_get_page_size(run->adjustment) - 1) / row);
    return stage->is_ready(stage->user, first, last < stage->rows ? last : stage->rows - 1);
}

static gboolean show_screen(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    run *run = data;
    if (++run->frames < 5) return G_SOURCE_CONTINUE;
    if (!sight_is_ready(run)) return G_SOURCE_CONTINUE;
    run->screens++;
    double page = gtk_adjustment_get_page_size(run->adjustment);
    double value = gtk_adjustment_get_value(run->adjustment);
    if (value + page >= gtk_adjustment_get_upper(run->adjustment) - 1) {
        g_main_loop_quit(run->loop);
        return G_SOURCE_REMOVE;
    }
    gtk_adjustment_set_value(run->adjustment, value + page);
    return G_SOURCE_CONTINUE;
}

static gboolean fling(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    run *run = data;
    if (++run->frames < 30) return G_SOURCE_CONTINUE;
    gint64 now = g_get_monotonic_time();
    if (!run->has_begun) {
        run->has_begun = true;
        run->time_start = now / 1e6;
        longest_gap = longest_gap_cpu = gaps_over_16 = 0;
    }
    double elapsed = now / 1e6 - run->time_start;
    if (elapsed > run->seconds) {
        g_main_loop_quit(run->loop);
        return G_SOURCE_REMOVE;
    }
    // A fling takes one second. Its speed decreases from 1000 px per frame to 0, as after a touch. After six flings
    // down, one fling goes up.
    double speed = 1000 * (1 - (elapsed - (int)elapsed));
    int direction = (int)elapsed % 7 == 6 ? -1 : 1;
    double value = gtk_adjustment_get_value(run->adjustment) + direction * speed;
    double end = gtk_adjustment_get_upper(run->adjustment) - gtk_adjustment_get_page_size(run->adjustment);
    gtk_adjustment_set_value(run->adjustment, value > end ? 0 : value);
    return G_SOURCE_CONTINUE;
}

static GtkListItemFactory *plain_factory(void);

static void open_window(run *run) {
    const list_stage *stage = run->stage;
    GListStore *store = g_list_store_new(G_TYPE_OBJECT);
    for (unsigned row = 0; row < stage->rows; row++) {
        GObject *object = g_object_new(G_TYPE_OBJECT, NULL);
        g_list_store_append(store, object);
        g_object_unref(object);
    }
    void *factory = stage->make_factory ? stage->make_factory(stage->user) : plain_factory();
    run->list = gtk_list_view_new(GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(store))), factory);
    GtkWidget *scrolled = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), run->list);
    run->adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
    GtkWidget *window = gtk_window_new();
    gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    gtk_window_set_child(GTK_WINDOW(window), scrolled);
    gtk_window_present(GTK_WINDOW(window));
    run->loop = g_main_loop_new(NULL, FALSE);
    run->cpu_start = cpu();
    run->time_start = g_get_monotonic_time() / 1e6;
}

static void plain_setup(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer height) {
    GtkWidget *picture = gtk_picture_new();
    gtk_widget_set_size_request(picture, -1, GPOINTER_TO_INT(height));
    gtk_list_item_set_child(item, picture);
}

static int plain_height;

static GtkListItemFactory *plain_factory(void) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(plain_setup), GINT_TO_POINTER(plain_height));
    return factory;
}

static void report(run *run, double cpu_end, double extra, const char *extra_name) {
    printf(
        "{\"name\": \"%s\", \"cpu_seconds\": %.3f, \"seconds\": %.2f, \"peak_mb\": %.1f, \"end_mb\": %.1f, "
        "\"screens\": %u, \"longest_gap_ms\": %.2f, \"longest_gap_cpu_ms\": %.2f, "
        "\"gaps_over_16ms\": %u, \"%s\": %.4f}\n",
        run->stage->name, cpu_end - run->cpu_start, g_get_monotonic_time() / 1e6 - run->time_start, memory("VmHWM"),
        memory("VmRSS"), run->screens, longest_gap, longest_gap_cpu, gaps_over_16, extra_name, extra);
    fflush(stdout);
}

void list_stage_set_height(void *widget, int height) { gtk_widget_set_size_request(widget, -1, height); }

static gboolean quit(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

int list_stage_show(const list_stage *stage) {
    gtk_init();
    plain_height = stage->row_height;
    run run = {.stage = stage, .direction = 1};
    open_window(&run);
    gtk_widget_add_tick_callback(run.list, show_screen, &run, NULL);
    g_main_loop_run(run.loop);
    report(&run, cpu(), 0, "unused");
    return 0;
}

int list_stage_fling(const list_stage *stage, double seconds) {
    gtk_init();
    plain_height = stage->row_height;
    g_main_context_set_poll_func(NULL, measuring_poll);
    run run = {.stage = stage, .direction = 1, .seconds = seconds};
    open_window(&run);
    gtk_widget_add_tick_callback(run.list, fling, &run, NULL);
    g_main_loop_run(run.loop);
    double cpu_end = cpu(), gap = longest_gap, gap_cpu = longest_gap_cpu;
    unsigned over = gaps_over_16;
    // Wait four seconds, so that work in progress can finish. For example, GTK fades the scrollbar out one second
    // after the last scroll. Then the program should be idle. `rest` is the processor time that the idle program
    // uses per second.
    g_timeout_add(4000, quit, run.loop);
    g_main_loop_run(run.loop);
    double rest = cpu();
    g_timeout_add(2000, quit, run.loop);
    g_main_loop_run(run.loop);
    rest = (cpu() - rest) / 2;
    longest_gap = gap;
    longest_gap_cpu = gap_cpu;
    gaps_over_16 = over;
    report(&run, cpu_end, rest, "cpu_at_rest");
    return 0;
}
