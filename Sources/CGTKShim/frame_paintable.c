#include "CGTKShim.h"

#include <gtk/gtk.h>

G_DECLARE_FINAL_TYPE(WebImageFramePaintable, webimage_frame_paintable, WEBIMAGE, FRAME_PAINTABLE, GObject)

struct _WebImageFramePaintable {
    GObject parent_instance;
    GdkPaintable *frame;
    int width;
    int height;
};

static void draw(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    gdk_paintable_snapshot(WEBIMAGE_FRAME_PAINTABLE(paintable)->frame, snapshot, width, height);
}

static GdkPaintable *current_image(GdkPaintable *paintable) {
    return g_object_ref(WEBIMAGE_FRAME_PAINTABLE(paintable)->frame);
}

static GdkPaintableFlags flags(GdkPaintable *paintable) { return GDK_PAINTABLE_STATIC_SIZE; }

static int intrinsic_width(GdkPaintable *paintable) { return WEBIMAGE_FRAME_PAINTABLE(paintable)->width; }

static int intrinsic_height(GdkPaintable *paintable) { return WEBIMAGE_FRAME_PAINTABLE(paintable)->height; }

static void paintable_init(GdkPaintableInterface *interface) {
    interface->snapshot = draw;
    interface->get_current_image = current_image;
    interface->get_flags = flags;
    interface->get_intrinsic_width = intrinsic_width;
    interface->get_intrinsic_height = intrinsic_height;
}

G_DEFINE_TYPE_WITH_CODE(
    WebImageFramePaintable, webimage_frame_paintable, G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, paintable_init))

static void finalize(GObject *object) {
    g_object_unref(WEBIMAGE_FRAME_PAINTABLE(object)->frame);
    G_OBJECT_CLASS(webimage_frame_paintable_parent_class)->finalize(object);
}

static void webimage_frame_paintable_class_init(WebImageFramePaintableClass *class) {
    G_OBJECT_CLASS(class)->finalize = finalize;
}

static void webimage_frame_paintable_init(WebImageFramePaintable *paintable) {}

webimage_ref webimage_frame_paintable_new(webimage_ref texture, int width, int height) {
    WebImageFramePaintable *paintable = g_object_new(webimage_frame_paintable_get_type(), NULL);
    paintable->frame = g_object_ref((GdkPaintable *)texture);
    paintable->width = width;
    paintable->height = height;
    return (webimage_ref)paintable;
}

void webimage_frame_paintable_set(webimage_ref object, webimage_ref texture) {
    WebImageFramePaintable *paintable = WEBIMAGE_FRAME_PAINTABLE((gpointer)object);
    if ((gpointer)paintable->frame == (gpointer)texture) return;
    g_set_object(&paintable->frame, (GdkPaintable *)texture);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(paintable));
}
