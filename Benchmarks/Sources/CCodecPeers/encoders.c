#include "CCodecPeers.h"

#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>
#include <png.h>
#include <webp/encode.h>

size_t peer_libwebp_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, int method, unsigned char **file
) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    *file = NULL;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return 0;
    config.quality = (float)quality;
    config.method = method;
    WebPMemoryWriterInit(&writer);
    picture.width = width;
    picture.height = height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    int is_done = WebPPictureImportBGRX(&picture, pixels, (int)stride) && WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    if (!is_done) {
        WebPMemoryWriterClear(&writer);
        return 0;
    }
    // The caller frees the file with free(). This is correct, because libwebp allocates with malloc().
    *file = writer.mem;
    return writer.size;
}

struct file {
    unsigned char *bytes;
    size_t count, capacity;
};

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    struct file *file = png_get_io_ptr(png);
    if (file->count + count > file->capacity) {
        file->capacity = (file->count + count) * 2;
        file->bytes = realloc(file->bytes, file->capacity);
    }
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
}

static void flush_nothing(png_structp png) { (void)png; }

size_t peer_libpng_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int level, unsigned char **out
) {
    struct file file = {NULL, 0, 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    *out = NULL;
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return 0;
    }
    png_set_write_fn(png, &file, write_bytes, flush_nothing);
    png_set_compression_level(png, level);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_bgr(png);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (int row = 0; row < height; row++) png_write_row(png, pixels + (size_t)row * stride);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    *out = file.bytes;
    return file.count;
}

size_t peer_libavif_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quantizer, int speed, int halves_chroma,
    unsigned char **file
) {
    avifImage *image = avifImageCreate((uint32_t)width, (uint32_t)height, 8,
                                       halves_chroma ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444);
    avifEncoder *encoder = avifEncoderCreate();
    avifRWData output = AVIF_DATA_EMPTY;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = 8;
    rgb.format = AVIF_RGB_FORMAT_BGRA;
    rgb.ignoreAlpha = AVIF_TRUE;
    rgb.pixels = (unsigned char *)pixels;
    rgb.rowBytes = (uint32_t)stride;
    encoder->maxQuantizer = quantizer;
    encoder->minQuantizer = quantizer > 4 ? quantizer - 4 : 0;
    encoder->speed = speed;
    encoder->maxThreads = 1;
    int is_done = avifImageRGBToYUV(image, &rgb) == AVIF_RESULT_OK &&
                  avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK;
    size_t size = is_done ? output.size : 0;
    *file = NULL;
    if (is_done) {
        *file = malloc(size);
        memcpy(*file, output.data, size);
    }
    avifRWDataFree(&output);
    avifEncoderDestroy(encoder);
    avifImageDestroy(image);
    return size;
}
