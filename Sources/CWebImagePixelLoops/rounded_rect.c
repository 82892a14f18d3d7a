#include "CWebImagePixelLoops.h"

#include <math.h>
#include <string.h>

static double at_least(double value, double limit) { return value < limit ? limit : value; }

/* Returns the distance of a point from the shape's edge in pixels. The distance is negative inside the shape. It is
   exact for straight edges. */
static double distance(const webimage_rounded_rect *shape, double x, double y) {
    double dx = x - (shape->left + shape->right) / 2, dy = y - (shape->top + shape->bottom) / 2;
    double radius = shape->radii[(dy < 0 ? 0 : 2) + (dx < 0 ? 0 : 1)];
    dx = fabs(dx) - (shape->right - shape->left) / 2 + radius;
    dy = fabs(dy) - (shape->bottom - shape->top) / 2 + radius;
    double inside = dx > dy ? dx : dy;
    double beyond_x = at_least(dx, 0), beyond_y = at_least(dy, 0);
    double distance = (inside < 0 ? inside : 0) + sqrt(beyond_x * beyond_x + beyond_y * beyond_y) - radius;
    return shape->half_stroke >= 0 ? fabs(distance) - shape->half_stroke : distance;
}

/* Returns the distance from the point to the antialiased edge of a corner on the left side, in pixels, measured to the
   right along the row. If the row does not cross this edge, returns the distance to the right end of the corner.
   Returns 0 if the shape is an outline, or if the point is neither in the corner nor to the left of it. The point must
   be in the left half of the shape's row and outside the shape. */
static double room_before_edge(const webimage_rounded_rect *shape, double x, double y) {
    int is_lower = y >= (shape->top + shape->bottom) / 2;
    double radius = shape->radii[is_lower ? 2 : 0];
    double beyond_y = is_lower ? y - (shape->bottom - radius) : shape->top + radius - y;
    double beyond_x = shape->left + radius - x;
    double reach = radius + 0.5;
    if (shape->half_stroke >= 0 || beyond_x <= 0 || beyond_y <= 0) return 0;
    return beyond_y >= reach ? beyond_x : beyond_x - sqrt(reach * reach - beyond_y * beyond_y);
}

/* Writes the coverage of `count` pixels. The first pixel is at `column` in the left half; the next pixels follow
   towards the centre. If `mirrored` is set, writes the values in reverse order, from the end of `target` to its
   start. */
static void cover_half(
    const webimage_rounded_rect *shape, double column, double y, uint8_t *target, size_t count, int mirrored) {
    for (size_t done = 0; done < count;) {
        double outside = distance(shape, column + (double)done, y);
        double part = at_least(0.5 - outside, 0);
        /* The distance changes by at most 1 per pixel. Therefore `run` pixels, beginning with this pixel, have the same
           coverage. */
        double run = 1 + at_least(fabs(outside) - 0.5, 0);
        if (outside > 0.5) run = at_least(room_before_edge(shape, column + (double)done, y), run);
        /* A filled shape is convex, so there is no further edge between a point inside the shape and the centre. */
        if (outside < -0.5 && shape->half_stroke < 0) run = (double)count;
        size_t length = run < (double)(count - done) ? (size_t)run : count - done;
        memset(target + (mirrored ? count - done - length : done), (uint8_t)((part > 1 ? 1 : part) * 255 + 0.5), length);
        done += length;
    }
}

static void cover_row(
    const webimage_rounded_rect *shape, const webimage_rounded_rect *mirror, size_t x, size_t count, double y,
    uint8_t *target) {
    double sum = shape->left + shape->right;
    double room = ceil(at_least(sum / 2 - ((double)x + 0.5), 0));
    size_t left = room < (double)count ? (size_t)room : count;
    cover_half(shape, (double)x + 0.5, y, target, left, 0);
    cover_half(mirror, sum - ((double)(x + count) - 0.5), y, target + left, count - left, 1);
}

void webimage_rounded_rect_cover(
    webimage_rounded_rect shape, size_t x, size_t y, size_t width, size_t height, uint8_t *target, size_t stride) {
    webimage_rounded_rect mirror = shape;
    for (int corner = 0; corner < 4; corner++) mirror.radii[corner] = shape.radii[corner ^ 1];
    for (size_t row = 0; row < height; row++) {
        cover_row(&shape, &mirror, x, width, (double)(y + row) + 0.5, target + row * stride);
    }
}

int webimage_bytes_are(const uint8_t *bytes, size_t stride, size_t width, size_t rows, uint8_t value) {
    for (size_t row = 0; row < rows; row++, bytes += stride) {
        if (width > 0 && (bytes[0] != value || memcmp(bytes, bytes + 1, width - 1) != 0)) return 0;
    }
    return 1;
}

void webimage_repeat_column(
    const uint8_t *column, size_t column_stride, uint8_t *target, size_t stride, size_t width, size_t rows) {
    for (size_t row = 0; row < rows; row++) memset(target + row * stride, column[row * column_stride], width);
}
