#include "CWebImageGTKShim.h"

#include "../CWebImageGTK/shim.h"

// A layout of a widget with a fixed width, height or both. The size request of the widget is its fixed size, so this
// layout must only take care that the widget is not larger.

G_DECLARE_FINAL_TYPE(WebImageFixedLayout, webimage_fixed_layout, WEBIMAGE, FIXED_LAYOUT, GtkLayoutManager)

struct _WebImageFixedLayout {
    GtkLayoutManager parent_instance;
    int width;
    int height;
    // The layout manager that this one has replaced; null if the widget had none.
    GtkLayoutManager *previous;
};

G_DEFINE_TYPE(WebImageFixedLayout, webimage_fixed_layout, GTK_TYPE_LAYOUT_MANAGER)

static void measure(
    GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
    int *minimum_baseline, int *natural_baseline) {
    WebImageFixedLayout *layout = WEBIMAGE_FIXED_LAYOUT(manager);
    bool is_horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;
    int other = is_horizontal ? layout->height : layout->width;
    *minimum = *natural = 0;
    *minimum_baseline = *natural_baseline = -1;
    if ((is_horizontal ? layout->width : layout->height) > 0) return;
    // A container measures with its own side, which is larger than the fixed one.
    if (other > 0 && (for_size < 0 || for_size > other)) for_size = other;
    // The size of a picture follows from the class of the widget, and that of a container from its children.
    GTK_WIDGET_GET_CLASS(widget)->measure(
        widget, orientation, for_size, minimum, natural, minimum_baseline, natural_baseline);
    if (webimage_is_view((webimage_ref)widget)) return;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        int least = 0, usual = 0;
        if (!gtk_widget_should_layout(child)) continue;
        gtk_widget_measure(child, orientation, for_size, &least, &usual, NULL, NULL);
        *minimum = MAX(*minimum, least);
        *natural = MAX(*natural, usual);
    }
}

static GtkSizeRequestMode request_mode(GtkLayoutManager *manager, GtkWidget *widget) {
    WebImageFixedLayout *layout = WEBIMAGE_FIXED_LAYOUT(manager);
    if (layout->width > 0 && layout->height > 0) return GTK_SIZE_REQUEST_CONSTANT_SIZE;
    return layout->height > 0 ? GTK_SIZE_REQUEST_WIDTH_FOR_HEIGHT : GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void allocate(GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline) {
    webimage_place_children((webimage_ref)widget, width, height);
}

static void dispose(GObject *object) {
    g_clear_object(&WEBIMAGE_FIXED_LAYOUT(object)->previous);
    G_OBJECT_CLASS(webimage_fixed_layout_parent_class)->dispose(object);
}

static void webimage_fixed_layout_class_init(WebImageFixedLayoutClass *class) {
    G_OBJECT_CLASS(class)->dispose = dispose;
    GTK_LAYOUT_MANAGER_CLASS(class)->measure = measure;
    GTK_LAYOUT_MANAGER_CLASS(class)->get_request_mode = request_mode;
    GTK_LAYOUT_MANAGER_CLASS(class)->allocate = allocate;
}

static void webimage_fixed_layout_init(WebImageFixedLayout *layout) {}

void webimage_set_fixed_size(webimage_ref object, int width, int height) {
    GtkWidget *widget = GTK_WIDGET((gpointer)object);
    GtkLayoutManager *present = gtk_widget_get_layout_manager(widget);
    WebImageFixedLayout *layout = WEBIMAGE_IS_FIXED_LAYOUT(present) ? WEBIMAGE_FIXED_LAYOUT(present) : NULL;
    if (width > 0 || height > 0) {
        if (!layout) {
            layout = g_object_new(webimage_fixed_layout_get_type(), NULL);
            g_set_object(&layout->previous, present);
            gtk_widget_set_layout_manager(widget, GTK_LAYOUT_MANAGER(layout));
        }
        layout->width = width;
        layout->height = height;
        if (width > 0 && gtk_widget_get_halign(widget) == GTK_ALIGN_FILL) gtk_widget_set_halign(widget, GTK_ALIGN_CENTER);
        if (height > 0 && gtk_widget_get_valign(widget) == GTK_ALIGN_FILL) gtk_widget_set_valign(widget, GTK_ALIGN_CENTER);
    } else if (layout) {
        // The widget takes the reference.
        gtk_widget_set_layout_manager(widget, g_steal_pointer(&layout->previous));
    }
    gtk_widget_set_size_request(widget, width > 0 ? width : -1, height > 0 ? height : -1);
    gtk_widget_queue_resize(widget);
}
