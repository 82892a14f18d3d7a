#include "CWebImageGTKShim.h"

#include "../CWebImageGTK/shim.h"

G_DECLARE_FINAL_TYPE(WebImageDrawing, webimage_drawing, WEBIMAGE, DRAWING, GObject)

struct _WebImageDrawing {
    GObject parent_instance;
    GdkPaintable *still;
    int width;
    int height;
    webimage_draw draw;
    void *user_data;
    void (*release)(void *user_data);
};

static void draw(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    WebImageDrawing *drawing = WEBIMAGE_DRAWING(paintable);
    drawing->draw(drawing->user_data, (webimage_ref)snapshot, width, height);
}

static GdkPaintable *current_image(GdkPaintable *paintable) {
    WebImageDrawing *drawing = WEBIMAGE_DRAWING(paintable);
    if (drawing->still) return g_object_ref(drawing->still);
    return gdk_paintable_new_empty(drawing->width, drawing->height);
}

static int intrinsic_width(GdkPaintable *paintable) { return WEBIMAGE_DRAWING(paintable)->width; }

static int intrinsic_height(GdkPaintable *paintable) { return WEBIMAGE_DRAWING(paintable)->height; }

static void paintable_init(GdkPaintableInterface *interface) {
    interface->snapshot = draw;
    interface->get_current_image = current_image;
    interface->get_intrinsic_width = intrinsic_width;
    interface->get_intrinsic_height = intrinsic_height;
}

G_DEFINE_TYPE_WITH_CODE(
    WebImageDrawing, webimage_drawing, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, paintable_init))

static void finalize(GObject *object) {
    WebImageDrawing *drawing = WEBIMAGE_DRAWING(object);
    g_clear_object(&drawing->still);
    drawing->release(drawing->user_data);
    G_OBJECT_CLASS(webimage_drawing_parent_class)->finalize(object);
}

static void webimage_drawing_class_init(WebImageDrawingClass *class) { G_OBJECT_CLASS(class)->finalize = finalize; }

static void webimage_drawing_init(WebImageDrawing *drawing) {}

webimage_ref webimage_drawing_new(webimage_draw draw, void *user_data, void (*release)(void *user_data)) {
    WebImageDrawing *drawing = g_object_new(webimage_drawing_get_type(), NULL);
    drawing->draw = draw;
    drawing->user_data = user_data;
    drawing->release = release;
    return (webimage_ref)drawing;
}

void webimage_drawing_set(webimage_ref object, webimage_ref still, int width, int height) {
    WebImageDrawing *drawing = WEBIMAGE_DRAWING((gpointer)object);
    gboolean is_resized = drawing->width != width || drawing->height != height;
    g_set_object(&drawing->still, (GdkPaintable *)still);
    drawing->width = width;
    drawing->height = height;
    if (is_resized) gdk_paintable_invalidate_size(GDK_PAINTABLE(drawing));
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(drawing));
}
