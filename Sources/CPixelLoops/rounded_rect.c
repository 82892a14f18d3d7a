#include "CPixelLoops.h"

#include <math.h>

static double at_least(double value, double limit) { return value < limit ? limit : value; }

/* From the distance of the pixel's centre to the edge, which is exact for straight edges. */
static uint8_t coverage(const webimage_rounded_rect *shape, double x, double y) {
    double dx = x - (shape->left + shape->right) / 2, dy = y - (shape->top + shape->bottom) / 2;
    double radius = shape->radii[(dy < 0 ? 0 : 2) + (dx < 0 ? 0 : 1)];
    dx = fabs(dx) - (shape->right - shape->left) / 2 + radius;
    dy = fabs(dy) - (shape->bottom - shape->top) / 2 + radius;
    double inside = dx > dy ? dx : dy;
    double beyond_x = at_least(dx, 0), beyond_y = at_least(dy, 0);
    double distance = (inside < 0 ? inside : 0) + sqrt(beyond_x * beyond_x + beyond_y * beyond_y) - radius;
    if (shape->half_stroke >= 0) distance = fabs(distance) - shape->half_stroke;
    double part = at_least(0.5 - distance, 0);
    return (uint8_t)((part > 1 ? 1 : part) * 255 + 0.5);
}

void webimage_rounded_rect_row(webimage_rounded_rect shape, size_t x, size_t count, size_t y, uint8_t *target) {
    for (size_t index = 0; index < count; index++) {
        target[index] = coverage(&shape, (double)(x + index) + 0.5, (double)y + 0.5);
    }
}
