#include "CMotionPeers.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>
#include <png.h>
#include <webp/demux.h>

struct source {
    const unsigned char *data;
    size_t left;
};

static int read_gif(GifFileType *gif, GifByteType *bytes, int count) {
    struct source *source = gif->UserData;
    if ((size_t)count > source->left) count = (int)source->left;
    memcpy(bytes, source->data, count);
    source->data += count;
    source->left -= count;
    return count;
}

int peer_gif_frames(const unsigned char *data, size_t length, int *count, unsigned char *out) {
    struct source source = {data, length};
    int error = 0;
    GifFileType *gif = DGifOpen(&source, read_gif, &error);
    if (!gif) return 1;
    size_t pixels = (size_t)gif->SWidth * gif->SHeight;
    unsigned *canvas = calloc(pixels, 4), *before = malloc(pixels * 4);
    GifPixelType *row = malloc(gif->SWidth);
    GraphicsControlBlock control = {0, 0, 0, NO_TRANSPARENT_COLOR};
    GifRecordType record;
    *count = 0;
    int status = 1;
    while (DGifGetRecordType(gif, &record) == GIF_OK) {
        if (record == TERMINATE_RECORD_TYPE) {
            status = 0;
            break;
        }
        if (record == EXTENSION_RECORD_TYPE) {
            int code;
            GifByteType *block;
            if (DGifGetExtension(gif, &code, &block) != GIF_OK) break;
            if (code == GRAPHICS_EXT_FUNC_CODE && block) DGifExtensionToGCB(block[0], block + 1, &control);
            while (block)
                if (DGifGetExtensionNext(gif, &block) != GIF_OK) goto done;
            continue;
        }
        if (record != IMAGE_DESC_RECORD_TYPE || DGifGetImageDesc(gif) != GIF_OK) break;
        GifImageDesc *frame = &gif->Image;
        if (frame->Interlace || frame->Left + frame->Width > gif->SWidth || frame->Top + frame->Height > gif->SHeight) break;
        if (control.DisposalMode == DISPOSE_PREVIOUS) memcpy(before, canvas, pixels * 4);
        ColorMapObject *map = frame->ColorMap ? frame->ColorMap : gif->SColorMap;
        unsigned palette[256] = {0};
        for (int i = 0; i < map->ColorCount; i++)
            palette[i] = 0xFF000000u | map->Colors[i].Blue << 16 | map->Colors[i].Green << 8 | map->Colors[i].Red;
        for (int y = 0; y < frame->Height; y++) {
            if (DGifGetLine(gif, row, frame->Width) != GIF_OK) goto done;
            unsigned *line = canvas + (size_t)(frame->Top + y) * gif->SWidth + frame->Left;
            for (int x = 0; x < frame->Width; x++)
                if (row[x] != control.TransparentColor) line[x] = palette[row[x]];
        }
        *count += 1;
        if (out) memcpy(out, canvas, pixels * 4);
        if (control.DisposalMode == DISPOSE_PREVIOUS) memcpy(canvas, before, pixels * 4);
        if (control.DisposalMode == DISPOSE_BACKGROUND)
            for (int y = 0; y < frame->Height; y++)
                memset(canvas + (size_t)(frame->Top + y) * gif->SWidth + frame->Left, 0, (size_t)frame->Width * 4);
        control = (GraphicsControlBlock){0, 0, 0, NO_TRANSPARENT_COLOR};
    }
done:
    free(canvas);
    free(before);
    free(row);
    DGifCloseFile(gif, &error);
    return status;
}

int peer_webp_frames(const unsigned char *data, size_t length, int *count, unsigned char *out) {
    WebPAnimDecoderOptions options;
    WebPAnimDecoderOptionsInit(&options);
    options.color_mode = MODE_RGBA;
    WebPData bytes = {data, length};
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&bytes, &options);
    WebPAnimInfo info;
    if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info)) return 1;
    *count = 0;
    uint8_t *frame;
    int time;
    while (WebPAnimDecoderHasMoreFrames(decoder)) {
        if (!WebPAnimDecoderGetNext(decoder, &frame, &time)) break;
        *count += 1;
        if (out) memcpy(out, frame, (size_t)info.canvas_width * info.canvas_height * 4);
    }
    WebPAnimDecoderDelete(decoder);
    return *count == (int)info.frame_count ? 0 : 1;
}

int peer_png_stills(const unsigned char *const *files, const size_t *lengths, int count) {
    for (int i = 0; i < count; i++) {
        png_image image = {.version = PNG_IMAGE_VERSION};
        if (!png_image_begin_read_from_memory(&image, files[i], lengths[i])) return 1;
        image.format = PNG_FORMAT_RGBA;
        void *pixels = malloc(PNG_IMAGE_SIZE(image));
        int done = png_image_finish_read(&image, NULL, pixels, 0, NULL);
        free(pixels);
        if (!done) return 1;
    }
    return 0;
}
