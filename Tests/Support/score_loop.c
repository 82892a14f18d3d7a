/* Times comparisons by SSIMULACRA 2 outside of Swift: `Scripts/measure score-loop` compiles this file with the loop. */
#include "CWebImagePixelLoops.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* SIDE INSTRUCTIONS ORIGINALS COMPARISONS */
int main(int count, char **arguments) {
    if (count < 5) return 2;
    size_t side = (size_t)atoi(arguments[1]);
    int originals = atoi(arguments[3]), comparisons = atoi(arguments[4]);
    uint8_t *pixels[2];
    for (int picture = 0; picture < 2; picture++) {
        uint32_t state = 7;
        pixels[picture] = malloc(side * side * 3);
        for (size_t i = 0; i < side * side * 3; i++) {
            state = state * 1664525 + 1013904223;
            int value = (int)((i / 3 % side + i / (3 * side)) / 3 % 180) + (int)(state >> 26);
            pixels[picture][i] = (uint8_t)(picture ? value / 8 * 8 : value);
        }
    }
    webimage_scored_picture first = {side, side, pixels[0], side * 3, 3, {0, 1, 2}}, second = first;
    second.rows = pixels[1];
    double score = 0, least[2] = {1e9, 1e9};
    webimage_scored_original *original = NULL;
    for (int i = 0; i < originals; i++) {
        double start = now();
        webimage_scored_original_free(original);
        int scales = webimage_score_scales(side, side);
        original = webimage_scored_original_make(&first, (webimage_score_range){0, scales, scales}, atoi(arguments[2]));
        double time = now() - start;
        if (time < least[0]) least[0] = time;
    }
    for (int i = 0; i < comparisons; i++) {
        double start = now();
        score = webimage_score_of_loss(webimage_picture_loss(original, &second, 6));
        double time = now() - start;
        if (time < least[1]) least[1] = time;
    }
    printf("%.17g %.2f %.2f %d\n", score, least[0], least[1], webimage_widest_instructions());
    return 0;
}
