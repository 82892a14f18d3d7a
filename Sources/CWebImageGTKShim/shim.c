#include "CWebImageGTKShim.h"

#include <errno.h>
#include <glib-object.h>
#include <glib-unix.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// libdispatch exports these functions for CoreFoundation's run loop on Linux, but no public header declares them.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

// The value of GDK_PRIORITY_REDRAW. At a higher priority (a smaller number), a busy main queue would delay redraws. At
// a lower priority, redraws would delay tasks.
static const int drain_priority = 120;

static gboolean drain_main_queue(gint descriptor, GIOCondition condition, gpointer unused) {
    uint64_t count;
    while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
    // This call runs only the blocks that are queued now. Therefore blocks that queue themselves again cannot block the
    // loop.
    _dispatch_main_queue_callback_4CF(NULL);
    return G_SOURCE_CONTINUE;
}

bool webimage_main_loop_attach(void) {
    // Only the process's first thread reads and writes the flag, so the flag needs no lock.
    static bool is_attached = false;
    if (syscall(SYS_gettid) != getpid()) return false;
    if (!is_attached) {
        int descriptor = _dispatch_get_main_queue_handle_4CF();
        is_attached = g_unix_fd_add_full(drain_priority, descriptor, G_IO_IN, drain_main_queue, NULL, NULL) != 0;
    }
    return is_attached;
}

// GLib overwrites the data field of a closure while it finalizes the closure. Therefore all values are stored after the
// closure.
typedef struct {
    GClosure closure;
    webimage_signal_handler handler;
    void *user_data;
    void (*release)(void *user_data);
} signal_closure;

static void call_handler(
    GClosure *closure, GValue *result, guint count, const GValue *arguments, gpointer hint, gpointer data) {
    signal_closure *connection = (signal_closure *)closure;
    GObject *first = count > 1 && G_VALUE_HOLDS_OBJECT(&arguments[1]) ? g_value_get_object(&arguments[1]) : NULL;
    connection->handler(connection->user_data, (webimage_ref)first);
}

static void release_user_data(gpointer data, GClosure *closure) {
    signal_closure *connection = (signal_closure *)closure;
    connection->release(connection->user_data);
}

unsigned long webimage_signal_connect(
    webimage_ref object, const char *signal, webimage_signal_handler handler, void *user_data,
    void (*release)(void *user_data)) {
    GClosure *closure = g_closure_new_simple(sizeof(signal_closure), NULL);
    signal_closure *connection = (signal_closure *)closure;
    connection->handler = handler;
    connection->user_data = user_data;
    connection->release = release;
    g_closure_set_marshal(closure, call_handler);
    g_closure_add_finalize_notifier(closure, NULL, release_user_data);
    return g_signal_connect_closure((gpointer)object, signal, closure, FALSE);
}
