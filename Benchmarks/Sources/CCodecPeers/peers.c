#include "CCodecPeers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>
#include <gif_lib.h>
#include <png.h>
#include <webp/decode.h>
#include <webp/demux.h>

int peer_libpng_decode(const unsigned char *data, size_t length) {
    // Use BGRA, which is the fast path of libpng's simplified interface. For other formats, this interface converts
    // pixels through floating point.
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, data, length)) return 1;
    image.format = PNG_FORMAT_BGRA;
    void *pixels = malloc(PNG_IMAGE_SIZE(image));
    int isRead = pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL);
    if (!isRead) png_image_free(&image);
    free(pixels);
    return isRead ? 0 : 1;
}

int peer_libwebp_decode(const unsigned char *data, size_t length) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return 1;
    // Decode to BGRA with premultiplied alpha. Displays need this format, and our coder returns it.
    config.output.colorspace = MODE_bgrA;
    int status = WebPDecode(data, length, &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ? 0 : 1;
}

int peer_libavif_decode(const unsigned char *data, size_t length) {
    avifDecoder *decoder = avifDecoderCreate();
    avifImage *image = avifImageCreateEmpty();
    decoder->maxThreads = 1;
    int status = 1;
    if (avifDecoderReadMemory(decoder, image, data, length) == AVIF_RESULT_OK) {
        avifRGBImage rgb;
        avifRGBImageSetDefaults(&rgb, image);
        rgb.format = AVIF_RGB_FORMAT_BGRA;
        rgb.depth = 8;
        avifRGBImageAllocatePixels(&rgb);
        status = avifImageYUVToRGB(image, &rgb) == AVIF_RESULT_OK ? 0 : 1;
        avifRGBImageFreePixels(&rgb);
    }
    avifImageDestroy(image);
    avifDecoderDestroy(decoder);
    return status;
}

struct bytes {
    const unsigned char *next;
    size_t left;
};

static int read_bytes(GifFileType *file, GifByteType *into, int count) {
    struct bytes *bytes = file->UserData;
    size_t taken = (size_t)count < bytes->left ? (size_t)count : bytes->left;
    memcpy(into, bytes->next, taken);
    bytes->next += taken;
    bytes->left -= taken;
    return (int)taken;
}

int peer_giflib_play(const unsigned char *data, size_t length) {
    struct bytes bytes = {data, length};
    int error = 0;
    GifFileType *file = DGifOpen(&bytes, read_bytes, &error);
    if (!file || DGifSlurp(file) != GIF_OK) return 1;
    size_t width = (size_t)file->SWidth, height = (size_t)file->SHeight;
    uint32_t *canvas = calloc(width * height, 4);
    uint32_t *shown = malloc(width * height * 4);
    for (int index = 0; index < file->ImageCount; index++) {
        SavedImage *frame = &file->SavedImages[index];
        GraphicsControlBlock control = {.TransparentColor = NO_TRANSPARENT_COLOR};
        DGifSavedExtensionToGCB(file, index, &control);
        ColorMapObject *map = frame->ImageDesc.ColorMap ? frame->ImageDesc.ColorMap : file->SColorMap;
        uint32_t colors[256] = {0};
        for (int entry = 0; map && entry < map->ColorCount; entry++) {
            GifColorType color = map->Colors[entry];
            colors[entry] = 0xFF000000u | (uint32_t)color.Red << 16 | (uint32_t)color.Green << 8 | color.Blue;
        }
        GifImageDesc *place = &frame->ImageDesc;
        for (int y = 0; y < place->Height && (size_t)(place->Top + y) < height; y++) {
            uint32_t *row = canvas + (size_t)(place->Top + y) * width + (size_t)place->Left;
            const GifByteType *indices = frame->RasterBits + (size_t)y * (size_t)place->Width;
            for (int x = 0; x < place->Width && (size_t)(place->Left + x) < width; x++)
                if (indices[x] != control.TransparentColor) row[x] = colors[indices[x]];
        }
        memcpy(shown, canvas, width * height * 4);
        if (control.DisposalMode != DISPOSE_BACKGROUND) continue;
        for (int y = 0; y < place->Height && (size_t)(place->Top + y) < height; y++)
            memset(canvas + (size_t)(place->Top + y) * width + (size_t)place->Left, 0, (size_t)place->Width * 4);
    }
    free(shown);
    free(canvas);
    DGifCloseFile(file, &error);
    return 0;
}

int peer_libwebp_play(const unsigned char *data, size_t length) {
    WebPData file = {data, length};
    WebPAnimDecoderOptions options;
    WebPAnimDecoderOptionsInit(&options);
    options.color_mode = MODE_bgrA;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&file, &options);
    if (!decoder) return 1;
    WebPAnimInfo info;
    WebPAnimDecoderGetInfo(decoder, &info);
    size_t count = (size_t)info.canvas_width * info.canvas_height * 4;
    uint8_t *shown = malloc(count);
    int failed = !shown;
    while (!failed && WebPAnimDecoderHasMoreFrames(decoder)) {
        uint8_t *canvas;
        int time;
        failed = !WebPAnimDecoderGetNext(decoder, &canvas, &time);
        if (!failed) memcpy(shown, canvas, count);
    }
    free(shown);
    WebPAnimDecoderDelete(decoder);
    return failed;
}
