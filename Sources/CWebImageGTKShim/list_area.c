#include "CGTKLists.h"

#include "../CWebImageGTK/shim.h"

G_DECLARE_FINAL_TYPE(WebImageListArea, webimage_list_area, WEBIMAGE, LIST_AREA, GtkWidget)

enum { HORIZONTAL, VERTICAL };

struct _WebImageListArea {
    GtkWidget parent_instance;
    GtkAdjustment *adjustments[2];
    GtkScrollablePolicy policies[2];
    bool is_vertical;
    void *owner;
    webimage_list_area_callbacks callbacks;
};

G_DEFINE_TYPE_WITH_CODE(
    WebImageListArea, webimage_list_area, GTK_TYPE_WIDGET, G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

enum { PROPERTY_NONE, PROPERTY_HADJUSTMENT, PROPERTY_VADJUSTMENT, PROPERTY_HPOLICY, PROPERTY_VPOLICY };

static void tell_scrolled(WebImageListArea *area) {
    if (area->owner) area->callbacks.scrolled(area->owner);
}

static void drop_adjustment(WebImageListArea *area, int which) {
    GtkAdjustment *old = area->adjustments[which];
    if (!old) return;
    g_signal_handlers_disconnect_by_func(old, tell_scrolled, area);
    g_clear_object(&area->adjustments[which]);
}

static void take_adjustment(WebImageListArea *area, int which, GtkAdjustment *adjustment) {
    if (adjustment && adjustment == area->adjustments[which]) return;
    drop_adjustment(area, which);
    if (!adjustment) adjustment = gtk_adjustment_new(0, 0, 0, 0, 0, 0);
    area->adjustments[which] = g_object_ref_sink(adjustment);
    g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(tell_scrolled), area);
    tell_scrolled(area);
}

static void set_property(GObject *object, guint property, const GValue *value, GParamSpec *spec) {
    WebImageListArea *area = WEBIMAGE_LIST_AREA(object);
    switch (property) {
    case PROPERTY_HADJUSTMENT: take_adjustment(area, HORIZONTAL, g_value_get_object(value)); break;
    case PROPERTY_VADJUSTMENT: take_adjustment(area, VERTICAL, g_value_get_object(value)); break;
    case PROPERTY_HPOLICY: area->policies[HORIZONTAL] = g_value_get_enum(value); break;
    case PROPERTY_VPOLICY: area->policies[VERTICAL] = g_value_get_enum(value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, property, spec);
    }
}

static void get_property(GObject *object, guint property, GValue *value, GParamSpec *spec) {
    WebImageListArea *area = WEBIMAGE_LIST_AREA(object);
    switch (property) {
    case PROPERTY_HADJUSTMENT: g_value_set_object(value, area->adjustments[HORIZONTAL]); break;
    case PROPERTY_VADJUSTMENT: g_value_set_object(value, area->adjustments[VERTICAL]); break;
    case PROPERTY_HPOLICY: g_value_set_enum(value, area->policies[HORIZONTAL]); break;
    case PROPERTY_VPOLICY: g_value_set_enum(value, area->policies[VERTICAL]); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, property, spec);
    }
}

// The request mode is constant. Therefore a change of one row causes a new layout of this widget but not of its
// parents.
static GtkSizeRequestMode request_mode(GtkWidget *widget) { return GTK_SIZE_REQUEST_CONSTANT_SIZE; }

static void measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
    *minimum = *natural = 0;
    *minimum_baseline = *natural_baseline = -1;
    // The list scrolls along its axis and requests no size in this direction. Across the axis, the list requests the
    // size of its largest row.
    if ((orientation == GTK_ORIENTATION_VERTICAL) == WEBIMAGE_LIST_AREA(widget)->is_vertical) return;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        int child_minimum, child_natural;
        gtk_widget_measure(child, orientation, -1, &child_minimum, &child_natural, NULL, NULL);
        *minimum = MAX(*minimum, child_minimum);
        *natural = MAX(*natural, child_natural);
    }
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline) {
    WebImageListArea *area = WEBIMAGE_LIST_AREA(widget);
    if (area->owner) area->callbacks.allocate(area->owner, width, height);
}

static gboolean key_pressed(GtkWidget *widget, GVariant *arguments, gpointer unused) {
    WebImageListArea *area = WEBIMAGE_LIST_AREA(widget);
    int key, way;
    g_variant_get(arguments, "(ii)", &key, &way);
    // The list does not handle arrow keys across the scroll axis.
    if (way >= 0 && way != (area->is_vertical ? VERTICAL : HORIZONTAL)) return FALSE;
    return area->owner && area->callbacks.key(area->owner, (webimage_list_key)key);
}

static void clicked(GtkGestureClick *gesture, int count, double x, double y, WebImageListArea *area) {
    if (area->owner) area->callbacks.clicked(area->owner, count, x, y);
}

// Tab moves the focus through the widgets inside a row, and then out of the list. Arrow keys move between rows.
static gboolean focus(GtkWidget *widget, GtkDirectionType direction) {
    WebImageListArea *area = WEBIMAGE_LIST_AREA(widget);
    GtkWidget *child = gtk_widget_get_focus_child(widget);
    if (child) return gtk_widget_child_focus(child, direction);
    if (gtk_widget_is_focus(widget)) return FALSE;
    return area->owner && area->callbacks.focus(area->owner);
}

static void bind_key(GtkWidgetClass *class, guint key, guint keypad, webimage_list_key meaning, int way) {
    gtk_widget_class_add_binding(class, key, 0, key_pressed, "(ii)", meaning, way);
    gtk_widget_class_add_binding(class, keypad, 0, key_pressed, "(ii)", meaning, way);
}

static void dispose(GObject *object) {
    WebImageListArea *area = WEBIMAGE_LIST_AREA(object);
    void *owner = area->owner;
    area->owner = NULL;
    if (owner) area->callbacks.release(owner);
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(area)))) gtk_widget_unparent(child);
    drop_adjustment(area, HORIZONTAL);
    drop_adjustment(area, VERTICAL);
    G_OBJECT_CLASS(webimage_list_area_parent_class)->dispose(object);
}

static void webimage_list_area_class_init(WebImageListAreaClass *class) {
    GObjectClass *object = G_OBJECT_CLASS(class);
    object->dispose = dispose;
    object->set_property = set_property;
    object->get_property = get_property;
    GTK_WIDGET_CLASS(class)->get_request_mode = request_mode;
    GTK_WIDGET_CLASS(class)->measure = measure;
    GTK_WIDGET_CLASS(class)->size_allocate = size_allocate;
    GTK_WIDGET_CLASS(class)->focus = focus;
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Up, GDK_KEY_KP_Up, webimage_list_previous, VERTICAL);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Down, GDK_KEY_KP_Down, webimage_list_next, VERTICAL);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Left, GDK_KEY_KP_Left, webimage_list_previous, HORIZONTAL);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Right, GDK_KEY_KP_Right, webimage_list_next, HORIZONTAL);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, webimage_list_page_back, -1);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, webimage_list_page_on, -1);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Home, GDK_KEY_KP_Home, webimage_list_first, -1);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_End, GDK_KEY_KP_End, webimage_list_last, -1);
    bind_key(GTK_WIDGET_CLASS(class), GDK_KEY_Return, GDK_KEY_KP_Enter, webimage_list_activate, -1);
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_LIST);
    g_object_class_override_property(object, PROPERTY_HADJUSTMENT, "hadjustment");
    g_object_class_override_property(object, PROPERTY_VADJUSTMENT, "vadjustment");
    g_object_class_override_property(object, PROPERTY_HPOLICY, "hscroll-policy");
    g_object_class_override_property(object, PROPERTY_VPOLICY, "vscroll-policy");
}

static void webimage_list_area_init(WebImageListArea *area) {
    gtk_widget_set_overflow(GTK_WIDGET(area), GTK_OVERFLOW_HIDDEN);
    gtk_widget_set_focusable(GTK_WIDGET(area), TRUE);
    take_adjustment(area, HORIZONTAL, NULL);
    take_adjustment(area, VERTICAL, NULL);
    GtkGesture *click = gtk_gesture_click_new();
    g_signal_connect(click, "released", G_CALLBACK(clicked), area);
    gtk_widget_add_controller(GTK_WIDGET(area), GTK_EVENT_CONTROLLER(click));
}

int webimage_list_area_is_vertical(webimage_ref widget) {
    return G_TYPE_CHECK_INSTANCE_TYPE((gpointer)widget, webimage_list_area_get_type())
               ? WEBIMAGE_LIST_AREA((gpointer)widget)->is_vertical
               : -1;
}

webimage_ref webimage_list_area_new(void *owner, webimage_list_area_callbacks callbacks, bool is_vertical) {
    WebImageListArea *area = g_object_new(webimage_list_area_get_type(), NULL);
    area->is_vertical = is_vertical;
    area->callbacks = callbacks;
    area->owner = owner;
    return (webimage_ref)area;
}

void webimage_repeat_scroll(webimage_ref adjustment) { g_signal_emit_by_name((gpointer)adjustment, "value-changed"); }
