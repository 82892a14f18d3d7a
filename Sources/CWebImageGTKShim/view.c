#include "CWebImageGTKShim.h"

#include "../CWebImageGTK/shim.h"
#include <math.h>

G_DECLARE_FINAL_TYPE(WebImageView, webimage_view, WEBIMAGE, VIEW, GtkWidget)

struct _WebImageView {
    GtkWidget parent_instance;
    GdkPaintable *paintable;
};

G_DEFINE_TYPE(WebImageView, webimage_view, GTK_TYPE_WIDGET)

static void measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
    WebImageView *view = WEBIMAGE_VIEW(widget);
    *minimum = *natural = 0;
    if (view->paintable && for_size != 0) {
        double width = for_size, height = for_size;
        gdk_paintable_compute_concrete_size(
            view->paintable, orientation == GTK_ORIENTATION_VERTICAL && for_size > 0 ? width : 0,
            orientation == GTK_ORIENTATION_HORIZONTAL && for_size > 0 ? height : 0,
            // The size of a paintable without a natural size; GTK refuses 0.
            16, 16, &width, &height);
        *natural = (int)ceil(orientation == GTK_ORIENTATION_HORIZONTAL ? width : height);
    }
}

static GtkSizeRequestMode request_mode(GtkWidget *widget) { return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH; }

// Children are indicators and never make the view larger. A child that is too large is centred and extends beyond the
// view.
static void allocate(GtkWidget *widget, int width, int height, int baseline) {
    webimage_place_children((webimage_ref)widget, width, height);
}

void webimage_place_children(webimage_ref object, int width, int height) {
    GtkWidget *widget = GTK_WIDGET((gpointer)object);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        int least_width, least_height;
        if (!gtk_widget_should_layout(child)) continue;
        gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least_width, NULL, NULL, NULL);
        least_width = MAX(least_width, width);
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, least_width, &least_height, NULL, NULL, NULL);
        least_height = MAX(least_height, height);
        graphene_point_t origin = {(width - least_width) / 2.0f, (height - least_height) / 2.0f};
        gtk_widget_allocate(child, least_width, least_height, -1, gsk_transform_translate(NULL, &origin));
    }
}

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
    WebImageView *view = WEBIMAGE_VIEW(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    if (view->paintable && width > 0 && height > 0) gdk_paintable_snapshot(view->paintable, snapshot, width, height);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        gtk_widget_snapshot_child(widget, child, snapshot);
    }
}

static void dispose(GObject *object) {
    GtkWidget *child;
    webimage_view_set_paintable((webimage_ref)object, NULL);
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(object)))) gtk_widget_unparent(child);
    G_OBJECT_CLASS(webimage_view_parent_class)->dispose(object);
}

static void webimage_view_class_init(WebImageViewClass *class) {
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = dispose;
    widget_class->measure = measure;
    widget_class->get_request_mode = request_mode;
    widget_class->size_allocate = allocate;
    widget_class->snapshot = snapshot;
    gtk_widget_class_set_css_name(widget_class, "picture");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void webimage_view_init(WebImageView *view) {}

webimage_ref webimage_view_new(void) { return (webimage_ref)g_object_new(webimage_view_get_type(), NULL); }

bool webimage_is_view(webimage_ref object) { return WEBIMAGE_IS_VIEW((gpointer)object); }

void webimage_view_set_paintable(webimage_ref object, webimage_ref paintable) {
    WebImageView *view = WEBIMAGE_VIEW((gpointer)object);
    GdkPaintable *new_paintable = (GdkPaintable *)paintable;
    if (view->paintable == new_paintable) return;
    if (view->paintable) {
        g_signal_handlers_disconnect_by_func(view->paintable, gtk_widget_queue_draw, view);
        g_signal_handlers_disconnect_by_func(view->paintable, gtk_widget_queue_resize, view);
    }
    g_set_object(&view->paintable, new_paintable);
    if (new_paintable) {
        g_signal_connect_swapped(new_paintable, "invalidate-contents", G_CALLBACK(gtk_widget_queue_draw), view);
        g_signal_connect_swapped(new_paintable, "invalidate-size", G_CALLBACK(gtk_widget_queue_resize), view);
    }
    gtk_widget_queue_resize(GTK_WIDGET(view));
}

webimage_ref webimage_view_get_paintable(webimage_ref object) {
    return (webimage_ref)WEBIMAGE_VIEW((gpointer)object)->paintable;
}

void webimage_set_accessible_label(webimage_ref widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE((gpointer)widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void webimage_set_accessible_description(webimage_ref widget, const char *description) {
    GtkAccessible *accessible = GTK_ACCESSIBLE((gpointer)widget);
    if (description) {
        gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
    } else {
        gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
    }
}

bool webimage_has_property(webimage_ref object, const char *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS((gpointer)object), name) != NULL;
}

void webimage_set_object(webimage_ref object, const char *name, webimage_ref value) {
    g_object_set((gpointer)object, name, (gpointer)value, NULL);
}

void webimage_set_number(webimage_ref object, const char *name, int value) {
    g_object_set((gpointer)object, name, value, NULL);
}

webimage_ref webimage_get_object(webimage_ref object, const char *name) {
    gpointer value = NULL;
    g_object_get((gpointer)object, name, &value, NULL);
    // The object retains the value. Release the reference that g_object_get added, so that the caller does not have to
    // release it.
    if (value) g_object_unref(value);
    return (webimage_ref)value;
}

const char *webimage_type_name(webimage_ref object) { return G_OBJECT_TYPE_NAME((gpointer)object); }
