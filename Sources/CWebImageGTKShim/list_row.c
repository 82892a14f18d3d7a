#include "CGTKLists.h"

#include "../CWebImageGTK/shim.h"

G_DECLARE_FINAL_TYPE(WebImageListRow, webimage_list_row, WEBIMAGE, LIST_ROW, GtkWidget)

struct _WebImageListRow {
    GtkWidget parent_instance;
};

G_DEFINE_TYPE(WebImageListRow, webimage_list_row, GTK_TYPE_WIDGET)

static void dispose(GObject *object) {
    GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
    if (child) gtk_widget_unparent(child);
    G_OBJECT_CLASS(webimage_list_row_parent_class)->dispose(object);
}

static void webimage_list_row_class_init(WebImageListRowClass *class) {
    G_OBJECT_CLASS(class)->dispose = dispose;
    // The theme draws the focus and the selection of widgets with this name.
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "row");
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_LIST_ITEM);
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(class), GTK_TYPE_BIN_LAYOUT);
}

static void webimage_list_row_init(WebImageListRow *row) { gtk_widget_set_focusable(GTK_WIDGET(row), TRUE); }

webimage_ref webimage_list_row_new(webimage_ref child) {
    GtkWidget *row = g_object_new(webimage_list_row_get_type(), NULL);
    gtk_widget_set_parent((GtkWidget *)child, row);
    return (webimage_ref)row;
}

void webimage_list_row_set_place(webimage_ref row, int position, int count) {
    gtk_accessible_update_relation(
        GTK_ACCESSIBLE((gpointer)row), GTK_ACCESSIBLE_RELATION_POS_IN_SET, position + 1,
        GTK_ACCESSIBLE_RELATION_SET_SIZE, count, -1);
}

void webimage_list_row_set_selected(webimage_ref row, bool is_selectable, bool is_selected) {
    GtkWidget *widget = (GtkWidget *)row;
    if (is_selected) {
        gtk_widget_set_state_flags(widget, GTK_STATE_FLAG_SELECTED, FALSE);
    } else {
        gtk_widget_unset_state_flags(widget, GTK_STATE_FLAG_SELECTED);
    }
    // A row that cannot be selected must not have the accessible state "selected", not even with the value false.
    if (is_selectable) {
        gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_SELECTED, is_selected, -1);
    } else {
        gtk_accessible_reset_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_SELECTED);
    }
}
