#include "CPixelLoops.h"

#include <math.h>
#include <string.h>

static double at_least(double value, double limit) { return value < limit ? limit : value; }

/* How far a place lies outside, which is exact for straight edges; less than 0 inside. */
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

void webimage_rounded_rect_row(webimage_rounded_rect shape, size_t x, size_t count, size_t y, uint8_t *target) {
    double centre = (shape.left + shape.right) / 2;
    for (size_t index = 0; index < count;) {
        double column = (double)(x + index) + 0.5;
        double outside = distance(&shape, column, (double)y + 0.5);
        double part = at_least(0.5 - outside, 0);
        /* A pixel further it is another by no more than that pixel, so that no edge is near for so many; the radius
           changes at the centre. */
        double run = 1 + at_least(fabs(outside) - 0.5, 0);
        if (column < centre && run > centre - column) run = at_least(centre - column, 1);
        size_t length = run < (double)(count - index) ? (size_t)run : count - index;
        memset(target + index, (uint8_t)((part > 1 ? 1 : part) * 255 + 0.5), length);
        index += length;
    }
}
