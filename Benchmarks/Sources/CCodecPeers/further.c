#include "CCodecPeers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jxl/decode.h>
#include <tiffio.h>

int peer_libjxl_decode(const unsigned char *data, size_t length) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (!decoder) return 1;
    JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    void *pixels = NULL;
    int status = 1;
    JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE);
    JxlDecoderSetInput(decoder, data, length);
    JxlDecoderCloseInput(decoder);
    for (;;) {
        JxlDecoderStatus event = JxlDecoderProcessInput(decoder);
        if (event == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
            size_t count = 0;
            if (JxlDecoderImageOutBufferSize(decoder, &format, &count) != JXL_DEC_SUCCESS) break;
            pixels = malloc(count);
            if (!pixels || JxlDecoderSetImageOutBuffer(decoder, &format, pixels, count) != JXL_DEC_SUCCESS) break;
        } else {
            status = event == JXL_DEC_FULL_IMAGE ? 0 : 1;
            break;
        }
    }
    free(pixels);
    JxlDecoderDestroy(decoder);
    return status;
}

struct file {
    const unsigned char *data;
    size_t length;
    size_t place;
};

static tmsize_t read_file(thandle_t handle, void *into, tmsize_t count) {
    struct file *file = handle;
    size_t left = file->length - file->place;
    size_t taken = (size_t)count < left ? (size_t)count : left;
    memcpy(into, file->data + file->place, taken);
    file->place += taken;
    return (tmsize_t)taken;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t count) {
    (void)handle, (void)from, (void)count;
    return 0;
}

static toff_t seek_file(thandle_t handle, toff_t offset, int from) {
    struct file *file = handle;
    size_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? file->place : file->length;
    file->place = base + offset > file->length ? file->length : base + offset;
    return file->place;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t file_length(thandle_t handle) { return ((struct file *)handle)->length; }

/* Returns the bytes of the file in memory to libtiff. For a real file, libtiff would call mmap(2). */
static int map_file(thandle_t handle, void **base, toff_t *length) {
    struct file *file = handle;
    *base = (void *)file->data;
    *length = file->length;
    return 1;
}

static void unmap_file(thandle_t handle, void *base, toff_t length) { (void)handle, (void)base, (void)length; }

int peer_libtiff_decode(const unsigned char *data, size_t length) {
    struct file file = {data, length, 0};
    TIFF *tiff = TIFFClientOpen(
        "memory", "r", &file, read_file, write_nothing, seek_file, close_file, file_length, map_file, unmap_file);
    if (!tiff) return 1;
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    uint32_t *pixels = malloc((size_t)width * height * 4);
    int status = pixels && TIFFReadRGBAImageOriented(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 1) ? 0 : 1;
    free(pixels);
    TIFFClose(tiff);
    return status;
}
