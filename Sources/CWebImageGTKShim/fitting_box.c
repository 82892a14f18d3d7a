#include "CGTKLists.h"

#include "../CWebImageGTK/shim.h"
#include <math.h>

G_DECLARE_FINAL_TYPE(WebImageFittingBox, webimage_fitting_box, WEBIMAGE, FITTING_BOX, GtkWidget)

struct _WebImageFittingBox {
    GtkWidget parent_instance;
    GtkWidget *child;
    bool is_width_given;
    int width;
    int height;
    bool is_empty;
};

G_DEFINE_TYPE(WebImageFittingBox, webimage_fitting_box, GTK_TYPE_WIDGET)

// The longest side that X11 and cairo can draw. The limit applies if a hostile header states extreme proportions.
static const double longest = 32767;

static GtkSizeRequestMode request_mode(GtkWidget *widget) {
    return WEBIMAGE_FITTING_BOX(widget)->is_width_given ? GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH
                                                        : GTK_SIZE_REQUEST_WIDTH_FOR_HEIGHT;
}

// Tells whether the box shares a row with a widget that measures in the other way, such as a label that wraps.
static bool is_beside_the_other_mode(GtkWidget *widget, GtkWidget *list) {
    GtkSizeRequestMode other = WEBIMAGE_FITTING_BOX(widget)->is_width_given ? GTK_SIZE_REQUEST_WIDTH_FOR_HEIGHT
                                                                            : GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
    for (; widget && widget != list && !GTK_IS_NATIVE(widget); widget = gtk_widget_get_parent(widget)) {
        for (GtkWidget *next = gtk_widget_get_next_sibling(widget); next; next = gtk_widget_get_next_sibling(next))
            if (gtk_widget_get_request_mode(next) == other) return true;
        for (GtkWidget *next = gtk_widget_get_prev_sibling(widget); next; next = gtk_widget_get_prev_sibling(next))
            if (gtk_widget_get_request_mode(next) == other) return true;
    }
    return false;
}

// Tells whether the container limits the side that the box computes. A list that scrolls down limits the width of a box whose
// width follows its height: it looks for the least height at which the widths of a row's picture and text fit. GTK assumes
// that a minimum never grows with the other side, so the minimum of the box must be 0 there: with a minimum that grows, GTK
// finds no height, or one that is larger than the natural height.
static bool is_limited(GtkWidget *widget) {
    GtkWidget *list = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLABLE);
    GtkWidget *window = list ? gtk_widget_get_parent(list) : NULL;
    bool is_width_given = WEBIMAGE_FITTING_BOX(widget)->is_width_given;
    int vertical_area = list ? webimage_list_area_is_vertical((webimage_ref)list) : -1;
    if (vertical_area >= 0) return is_width_given != vertical_area;
    if (list && GTK_IS_ORIENTABLE(list))
        return is_width_given != (gtk_orientable_get_orientation(GTK_ORIENTABLE(list)) == GTK_ORIENTATION_VERTICAL);
    if (window && GTK_IS_SCROLLED_WINDOW(window)) {
        GtkPolicyType horizontal, vertical;
        gtk_scrolled_window_get_policy(GTK_SCROLLED_WINDOW(window), &horizontal, &vertical);
        if ((is_width_given ? vertical : horizontal) == GTK_POLICY_NEVER) return true;
        if ((is_width_given ? horizontal : vertical) == GTK_POLICY_NEVER) return false;
    }
    return is_beside_the_other_mode(widget, list);
}

static void measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
    WebImageFittingBox *box = WEBIMAGE_FITTING_BOX(widget);
    bool is_height = orientation == GTK_ORIENTATION_VERTICAL;
    *minimum_baseline = *natural_baseline = -1;
    if (is_height != box->is_width_given) {
        // The layout determines this side, so the minimum is 0.
        *minimum = 0;
        *natural = is_height ? box->height : box->width;
        return;
    }
    *minimum = *natural = 0;
    if (box->is_empty) return;
    int given = for_size >= 0 ? for_size : is_height ? box->width : box->height;
    double side = is_height ? (double)given * box->height / box->width : (double)given * box->width / box->height;
    *natural = (int)fmax(1, round(fmin(side, longest)));
    // Without a given side, the minimum is that of any given side. A larger minimum leaves negative space for other
    // children of the same container, which GTK reports as a critical error.
    // A given side that is too long to be drawn stands for an endless one: beside a label that wraps, GTK asks for the least
    // width at such a height, and reports a critical error if it is more than that without a given side.
    *minimum = for_size >= 0 && for_size <= longest && !is_limited(widget) ? *natural : 0;
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline) {
    GtkAllocation whole = {0, 0, width, height};
    gtk_widget_size_allocate(WEBIMAGE_FITTING_BOX(widget)->child, &whole, -1);
}

static void dispose(GObject *object) {
    g_clear_pointer(&WEBIMAGE_FITTING_BOX(object)->child, gtk_widget_unparent);
    G_OBJECT_CLASS(webimage_fitting_box_parent_class)->dispose(object);
}

static void webimage_fitting_box_class_init(WebImageFittingBoxClass *class) {
    G_OBJECT_CLASS(class)->dispose = dispose;
    GTK_WIDGET_CLASS(class)->get_request_mode = request_mode;
    GTK_WIDGET_CLASS(class)->measure = measure;
    GTK_WIDGET_CLASS(class)->size_allocate = size_allocate;
}

static void webimage_fitting_box_init(WebImageFittingBox *box) {}

webimage_ref webimage_fitting_box_new(webimage_ref child, bool is_width_given, int width, int height) {
    WebImageFittingBox *box = g_object_new(webimage_fitting_box_get_type(), NULL);
    box->is_width_given = is_width_given;
    box->width = width > 0 ? width : 1;
    box->height = height > 0 ? height : 1;
    box->child = GTK_WIDGET((gpointer)child);
    // The box alone determines the size. It ignores the child's natural size, which is the picture's size in pixels.
    gtk_widget_set_parent(box->child, GTK_WIDGET(box));
    return (webimage_ref)box;
}

void webimage_fitting_box_set_empty(webimage_ref object, bool is_empty) {
    WebImageFittingBox *box = WEBIMAGE_FITTING_BOX((gpointer)object);
    if (box->is_empty == is_empty) return;
    box->is_empty = is_empty;
    gtk_widget_queue_resize(GTK_WIDGET(box));
}

void webimage_fitting_box_set_proportions(webimage_ref object, int width, int height) {
    WebImageFittingBox *box = WEBIMAGE_FITTING_BOX((gpointer)object);
    if (width < 1 || height < 1 || (box->width == width && box->height == height)) return;
    box->width = width;
    box->height = height;
    gtk_widget_queue_resize(GTK_WIDGET(box));
}
