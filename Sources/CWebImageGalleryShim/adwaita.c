#include "CWebImageGalleryShim.h"

#include "../CWebImageAdwaita/shim.h"

static GtkWidget *widget(gallery_ref object) { return GTK_WIDGET((gpointer)object); }

void gallery_init(void) { adw_init(); }

gallery_ref gallery_window_new(gallery_ref application, gallery_ref content) {
    GtkWidget *window = adw_application_window_new(GTK_APPLICATION((gpointer)application));
    adw_application_window_set_content(ADW_APPLICATION_WINDOW(window), widget(content));
    return (gallery_ref)window;
}

gallery_ref gallery_header_new(gallery_ref title) {
    GtkWidget *header = adw_header_bar_new();
    adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), widget(title));
    return (gallery_ref)header;
}

void gallery_header_pack(gallery_ref header, gallery_ref child, bool at_end) {
    AdwHeaderBar *bar = ADW_HEADER_BAR((gpointer)header);
    if (at_end) adw_header_bar_pack_end(bar, widget(child));
    else adw_header_bar_pack_start(bar, widget(child));
}

gallery_ref gallery_stack_new(void) { return (gallery_ref)adw_view_stack_new(); }

void gallery_stack_add(gallery_ref stack, gallery_ref child, const char *name, const char *title, const char *icon) {
    adw_view_stack_add_titled_with_icon(ADW_VIEW_STACK((gpointer)stack), widget(child), name, title, icon);
}

void gallery_stack_show(gallery_ref stack, const char *name) {
    adw_view_stack_set_visible_child_name(ADW_VIEW_STACK((gpointer)stack), name);
}

bool gallery_stack_shows(gallery_ref stack, const char *name) {
    return g_strcmp0(adw_view_stack_get_visible_child_name(ADW_VIEW_STACK((gpointer)stack)), name) == 0;
}

gallery_ref gallery_switcher_new(gallery_ref stack) {
    GtkWidget *switcher = adw_view_switcher_new();
    adw_view_switcher_set_stack(ADW_VIEW_SWITCHER(switcher), ADW_VIEW_STACK((gpointer)stack));
    adw_view_switcher_set_policy(ADW_VIEW_SWITCHER(switcher), ADW_VIEW_SWITCHER_POLICY_WIDE);
    return (gallery_ref)switcher;
}

// libadwaita 1.4 deprecated AdwFlap in favor of AdwOverlaySplitView.
#if ADW_CHECK_VERSION(1, 4, 0)
gallery_ref gallery_flap_new(gallery_ref content, gallery_ref panel) {
    AdwOverlaySplitView *view = ADW_OVERLAY_SPLIT_VIEW(adw_overlay_split_view_new());
    adw_overlay_split_view_set_sidebar_position(view, GTK_PACK_END);
    adw_overlay_split_view_set_content(view, widget(content));
    adw_overlay_split_view_set_sidebar(view, widget(panel));
    // AdwFlap gives the panel its natural width. AdwOverlaySplitView gives the panel a fraction of the window's width
    // by default. Therefore set the natural width explicitly.
    int natural_width = 0;
    gtk_widget_measure(widget(panel), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural_width, NULL, NULL);
    adw_overlay_split_view_set_sidebar_width_unit(view, ADW_LENGTH_UNIT_PX);
    adw_overlay_split_view_set_min_sidebar_width(view, natural_width);
    adw_overlay_split_view_set_max_sidebar_width(view, natural_width);
    adw_overlay_split_view_set_show_sidebar(view, FALSE);
    return (gallery_ref)view;
}

void gallery_flap_reveal(gallery_ref flap, bool is_shown) {
    adw_overlay_split_view_set_show_sidebar(ADW_OVERLAY_SPLIT_VIEW((gpointer)flap), is_shown);
}

bool gallery_flap_is_revealed(gallery_ref flap) {
    return adw_overlay_split_view_get_show_sidebar(ADW_OVERLAY_SPLIT_VIEW((gpointer)flap));
}
#else
gallery_ref gallery_flap_new(gallery_ref content, gallery_ref panel) {
    AdwFlap *flap = ADW_FLAP(adw_flap_new());
    adw_flap_set_flap_position(flap, GTK_PACK_END);
    adw_flap_set_separator(flap, gtk_separator_new(GTK_ORIENTATION_VERTICAL));
    adw_flap_set_content(flap, widget(content));
    adw_flap_set_flap(flap, widget(panel));
    adw_flap_set_fold_policy(flap, ADW_FLAP_FOLD_POLICY_NEVER);
    adw_flap_set_reveal_flap(flap, FALSE);
    return (gallery_ref)flap;
}

void gallery_flap_reveal(gallery_ref flap, bool is_shown) {
    adw_flap_set_reveal_flap(ADW_FLAP((gpointer)flap), is_shown);
}

bool gallery_flap_is_revealed(gallery_ref flap) { return adw_flap_get_reveal_flap(ADW_FLAP((gpointer)flap)); }
#endif

gallery_ref gallery_toasts_new(gallery_ref content) {
    GtkWidget *toasts = adw_toast_overlay_new();
    adw_toast_overlay_set_child(ADW_TOAST_OVERLAY(toasts), widget(content));
    return (gallery_ref)toasts;
}

void gallery_toast(gallery_ref toasts, const char *text) {
    AdwToast *toast = adw_toast_new(text);
    adw_toast_set_timeout(toast, 2);
    adw_toast_overlay_add_toast(ADW_TOAST_OVERLAY((gpointer)toasts), toast);
}

gallery_ref gallery_status_new(const char *icon, const char *title, const char *description) {
    GtkWidget *page = adw_status_page_new();
    adw_status_page_set_icon_name(ADW_STATUS_PAGE(page), icon);
    adw_status_page_set_title(ADW_STATUS_PAGE(page), title);
    adw_status_page_set_description(ADW_STATUS_PAGE(page), description);
    return (gallery_ref)page;
}

void gallery_set_dark(bool is_dark) {
    adw_style_manager_set_color_scheme(
        adw_style_manager_get_default(), is_dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_DEFAULT);
}
