/* Decodes files with the bare libraries of the plug-ins, for Scripts/measure plugins: bare_decode KIND OUT FILE... writes the rows of
   each file as a BMP has them, one after the other, to OUT. KIND is jp2, raw, pdf, lottie or video. PDFium is loaded from
   $WEBIMAGE_PDFIUM. */
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libraw/libraw.h>
#include <libswscale/swscale.h>
#include <openjpeg.h>
#include <rlottie_capi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *output;

/* Writes pixels of four bytes, as a program shows them, with the three bytes of a BMP. Frees them. */
static void finish(uint32_t *pixels, size_t count) {
    uint8_t *rows = malloc(3 * count);
    for (size_t index = 0; index < count; index++) memcpy(rows + 3 * index, pixels + index, 3);
    FILE *file = fopen(output, "wb");
    if (!file || fwrite(rows, 3, count, file) != count) exit(2);
    fclose(file);
    free(rows);
    free(pixels);
}

static char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(2);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    if (!data || fread(data, 1, *size, file) != *size) exit(2);
    data[*size] = 0;
    fclose(file);
    return data;
}

static int jp2(const char *path) {
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    opj_stream_t *stream = opj_stream_create_default_file_stream(path, 1);
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_JP2);
    opj_image_t *image = NULL;
    if (!stream || !opj_setup_decoder(codec, &parameters) || !opj_read_header(stream, codec, &image) ||
        !opj_decode(codec, stream, image) || !opj_end_decompress(codec, stream))
        return 1;
    size_t count = (size_t)image->comps[0].w * image->comps[0].h;
    uint32_t *pixels = malloc(4 * count);
    const OPJ_INT32 *red = image->comps[0].data, *green = image->comps[1].data, *blue = image->comps[2].data;
    for (size_t index = 0; index < count; index++)
        pixels[index] = 0xFF000000u | (uint32_t)red[index] << 16 | (uint32_t)green[index] << 8 | (uint32_t)blue[index];
    finish(pixels, count);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return 0;
}

static int raw(const char *path) {
    size_t size;
    char *data = contents(path, &size);
    libraw_data_t *camera = libraw_init(0);
    camera->params.use_camera_wb = 1;
    int status = libraw_open_buffer(camera, data, size);
    if (!status) status = libraw_unpack(camera);
    if (!status) status = libraw_dcraw_process(camera);
    libraw_processed_image_t *image = status ? NULL : libraw_dcraw_make_mem_image(camera, &status);
    if (!image) return 1;
    size_t count = (size_t)image->width * image->height;
    uint32_t *pixels = malloc(4 * count);
    for (size_t index = 0; index < count; index++) {
        const uint8_t *color = image->data + 3 * index;
        pixels[index] = 0xFF000000u | (uint32_t)color[0] << 16 | (uint32_t)color[1] << 8 | color[2];
    }
    finish(pixels, count);
    libraw_dcraw_clear_mem(image);
    libraw_close(camera);
    free(data);
    return 0;
}

static int lottie(const char *path) {
    size_t size;
    char *data = contents(path, &size);
    Lottie_Animation *animation = lottie_animation_from_data(data, path, "");
    if (!animation) return 1;
    size_t width, height;
    lottie_animation_get_size(animation, &width, &height);
    uint32_t *pixels = calloc(width * height, 4);
    lottie_animation_render(animation, 0, pixels, width, height, width * 4);
    finish(pixels, width * height);
    lottie_animation_destroy(animation);
    free(data);
    return 0;
}

static int pdf(const char *path) {
    static void *library;
    if (!library) {
        struct { int version; const char **paths; void *isolate; unsigned slot; } config = {2, (const char *[]){NULL}, NULL, 0};
        library = dlopen(getenv("WEBIMAGE_PDFIUM") ? getenv("WEBIMAGE_PDFIUM") : "libpdfium.so", RTLD_NOW);
        if (!library) return 1;
        ((void (*)(void *))dlsym(library, "FPDF_InitLibraryWithConfig"))(&config);
    }
#define CALL(result, name, ...) ((result(*)(__VA_ARGS__))dlsym(library, #name))
    size_t size;
    char *data = contents(path, &size);
    void *document = CALL(void *, FPDF_LoadMemDocument64, const void *, size_t, const char *)(data, size, NULL);
    void *page = document ? CALL(void *, FPDF_LoadPage, void *, int)(document, 0) : NULL;
    if (!page) return 1;
    int width = (int)CALL(float, FPDF_GetPageWidthF, void *)(page), height = (int)CALL(float, FPDF_GetPageHeightF, void *)(page);
    uint32_t *pixels = malloc(4 * (size_t)width * (size_t)height);
    memset(pixels, 255, 4 * (size_t)width * (size_t)height);
    void *bitmap = CALL(void *, FPDFBitmap_CreateEx, int, int, int, void *, int)(width, height, 3, pixels, 4 * width);
    CALL(void, FPDF_RenderPageBitmap, void *, void *, int, int, int, int, int, int)(bitmap, page, 0, 0, width, height, 0, 1);
    CALL(void, FPDFBitmap_Destroy, void *)(bitmap);
    CALL(void, FPDF_ClosePage, void *)(page);
    CALL(void, FPDF_CloseDocument, void *)(document);
    finish(pixels, (size_t)width * (size_t)height);
    free(data);
    return 0;
}

/* The first frame, which is not black in the measured files. */
static int video(const char *path) {
    AVFormatContext *file = NULL;
    if (avformat_open_input(&file, path, NULL, NULL) < 0 || avformat_find_stream_info(file, NULL) < 0) return 1;
    const AVCodec *decoder = NULL;
    int stream = av_find_best_stream(file, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (stream < 0) return 1;
    AVCodecContext *context = avcodec_alloc_context3(decoder);
    avcodec_parameters_to_context(context, file->streams[stream]->codecpar);
    context->thread_count = 1;
    if (avcodec_open2(context, decoder, NULL) < 0) return 1;
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    int isDecoded = 0, isOver = 0;
    while (!isDecoded && !isOver) {
        isOver = av_read_frame(file, packet) < 0;
        if (!isOver && packet->stream_index != stream) { av_packet_unref(packet); continue; }
        avcodec_send_packet(context, isOver ? NULL : packet);
        if (!isOver) av_packet_unref(packet);
        isDecoded = avcodec_receive_frame(context, frame) >= 0;
    }
    if (!isDecoded) return 1;
    uint32_t *pixels = malloc(4 * (size_t)frame->width * (size_t)frame->height + 64);
    struct SwsContext *scale = sws_getContext(
        frame->width, frame->height, frame->format, frame->width, frame->height, AV_PIX_FMT_BGRA,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    sws_scale(
        scale, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, (uint8_t *[]){(uint8_t *)pixels},
        (int[]){4 * frame->width});
    finish(pixels, (size_t)frame->width * (size_t)frame->height);
    sws_freeContext(scale);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&context);
    avformat_close_input(&file);
    return 0;
}

int main(int count, char **words) {
    static const struct { const char *name; int (*decode)(const char *); } kinds[] = {
        {"jp2", jp2}, {"raw", raw}, {"lottie", lottie}, {"pdf", pdf}, {"video", video}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        if (count < 4 || strcmp(kinds[kind].name, words[1])) continue;
        output = words[2];
        for (int index = 3; index < count; index++)
            if (kinds[kind].decode(words[index])) {
                fprintf(stderr, "cannot decode %s\n", words[index]);
                return 1;
            }
        return 0;
    }
    fprintf(stderr, "usage: bare_decode KIND OUT FILE...\n");
    return 64;
}
