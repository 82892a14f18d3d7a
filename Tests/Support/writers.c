/* Writes made pictures as PNG or JPEG, with this package's writers or the libraries' own: `Scripts/measure writers` compiles
   this file with the writers and counts their instructions. */
#include "CJPEGShim.h"
#include "jpeg_decoder_state.h"
#include "png_filters.h"
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 512, HEIGHT = 512 };

/* 0: a photo, light that changes slowly and a little noise. 1: a screen, two columns of text on paper. */
static void draw(int picture, uint8_t *pixels) {
    uint32_t state = 7;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        const int x = i / 3 % WIDTH, y = i / (3 * WIDTH), channel = i % 3;
        state = state * 1664525 + 1013904223;
        int value = 246;
        if (picture == 0) value = (x * (3 + channel) + y * y / 64 + x * y / 200) / 8 % 200 + 20 + (int)(state >> 29);
        else if (y % 18 < 12 && x % 256 > 12) {
            const uint32_t letter = (uint32_t)((x / 9 * 31 + y / 18 * 17) % 26 * 2654435761u);
            if (letter >> ((x % 9 / 2) + y % 18 / 3 * 4) & 1) value = 40 + 8 * channel;
        }
        pixels[i] = (uint8_t)value;
    }
}

static size_t write_png(const uint8_t *pixels, int effort) {
    if (effort == 0) {
        png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
        png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
        void *file = malloc(size);
        if (!png_image_write_to_memory(&image, file, &size, 0, pixels, 0, NULL)) size = 0;
        free(file);
        return size;
    }
    const cpng_picture picture = {.width = WIDTH, .height = HEIGHT, .layout = CPNG_RGB8, .rows = pixels, .stride = WIDTH * 3};
    uint8_t *bytes;
    size_t count = 0;
    if (cpng_deflate_picture(&picture, effort, &bytes, &count)) free(bytes);
    return count;
}

static size_t write_jpeg(const uint8_t *pixels, int quality, int is_ours) {
    if (is_ours) {
        const webimage_jpeg_settings settings = {
            .width = WIDTH, .height = HEIGHT, .color = JCS_RGB, .components = 3, .quality = quality, .halves_chroma = 1};
        uint8_t *bytes;
        size_t count;
        char message[200];
        if (webimage_jpeg_encode(pixels, WIDTH * 3, &settings, &bytes, &count, message)) return 0;
        free(bytes);
        return count;
    }
    struct jpeg_compress_struct compressor;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long count = 0;
    compressor.err = jpeg_std_error(&errors);
    jpeg_create_compress(&compressor);
    jpeg_mem_dest(&compressor, &bytes, &count);
    compressor.image_width = WIDTH;
    compressor.image_height = HEIGHT;
    compressor.input_components = 3;
    compressor.in_color_space = JCS_RGB;
    jpeg_set_defaults(&compressor);
    jpeg_set_quality(&compressor, quality, TRUE);
    jpeg_start_compress(&compressor, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        JSAMPROW row = (JSAMPROW)(pixels + (size_t)y * WIDTH * 3);
        jpeg_write_scanlines(&compressor, &row, 1);
    }
    jpeg_finish_compress(&compressor);
    jpeg_destroy_compress(&compressor);
    free(bytes);
    return count;
}

/* png EFFORT PICTURE TIMES (effort 0: libpng), or jpeg QUALITY PICTURE TIMES (a negative quality: libjpeg's own codes).
   Prints the bytes of the pixels' data or of the file. */
int main(int count, char **arguments) {
    if (count < 5) return 2;
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    const int setting = atoi(arguments[2]), is_png = strcmp(arguments[1], "png") == 0;
    size_t written = 0;
    draw(atoi(arguments[3]), pixels);
    for (int time = atoi(arguments[4]); time > 0; time--)
        written = is_png ? write_png(pixels, setting) : write_jpeg(pixels, abs(setting), setting > 0);
    printf("%zu\n", written);
    return written > 0 ? 0 : 1;
}
