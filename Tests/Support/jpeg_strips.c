/* Decodes files in strips and in one piece, and compares the pixels and the times. Scripts/measure jpeg-loop builds and runs it.

   jpeg_strips compare N SEED      N random files, 2 to 6 threads, three scales
   jpeg_strips mutate N SEED       N damaged files
   jpeg_strips times THREADS FILE… the least of 21 times: of the clock, and of all processors */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

#include "CJPEGShim.h"
#include "CWebImageJPEGSamples.h"

static uint64_t state;

static unsigned below(unsigned limit) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((mixed ^ mixed >> 31) % limit);
}

static const int scales[3] = {8, 4, 2};

/* A decoder whose header has been read. The result is NULL if libjpeg refuses the file. */
static webimage_jpeg_decoder *open_file(const uint8_t *file, size_t length, int eighths, int *width, int *height, int *bytes) {
    webimage_jpeg_decoder *decoder = webimage_jpeg_decoder_create(file, length, SIZE_MAX, INT64_MAX);
    webimage_jpeg_header header;
    if (webimage_jpeg_read_header(decoder, &header) == WEBIMAGE_JPEG_OK && (long)header.width * header.height < 100000000) {
        int color = header.components == 1 ? JCS_GRAYSCALE : header.components == 4 ? JCS_CMYK : JCS_RGB;
        *bytes = header.components == 1 ? 1 : header.components == 4 ? 4 : 3;
        if (webimage_jpeg_output_size(decoder, color, eighths, width, height) == WEBIMAGE_JPEG_OK) return decoder;
    }
    webimage_jpeg_decoder_free(decoder);
    return NULL;
}

/* Returns 1 if the pixels are equal, 0 if the file has no strips, -1 if the pixels differ or libjpeg refuses the file. */
static int compare(const uint8_t *file, size_t length, int eighths, int threads) {
    int width, height, bytes;
    webimage_jpeg_decoder *whole = open_file(file, length, eighths, &width, &height, &bytes);
    if (!whole) return 0;
    webimage_jpeg_decoder *strips = open_file(file, length, eighths, &width, &height, &bytes);
    webimage_jpeg_ignore_cost(strips);
    size_t stride = (size_t)width * (size_t)bytes, size = stride * (size_t)height;
    uint8_t *expected = calloc(1, size), *pixels = calloc(1, size);
    int result = 0;
    if (webimage_jpeg_read_strips(strips, file, length, threads, pixels, stride) == WEBIMAGE_JPEG_OK) {
        int status = webimage_jpeg_read_rows(whole, expected, stride);
        result = status == WEBIMAGE_JPEG_OK && memcmp(expected, pixels, size) == 0 ? 1 : -1;
    }
    free(expected);
    free(pixels);
    webimage_jpeg_decoder_free(whole);
    webimage_jpeg_decoder_free(strips);
    return result;
}

static webimage_jpeg_sample random_sample(unsigned most) {
    webimage_jpeg_sample sample = {
        .width = 16 + (int)below(most), .height = 130 + (int)below(most), .color = (int)below(3), .content = (int)below(5),
        .quality = 1 + (int)below(100), .is_baseline = (int)below(2), .optimizes_codes = (int)below(2),
        .has_long_codes = below(4) == 0, .seed = below(1u << 30), .has_own_chroma = (int)below(2), .chroma_content = (int)below(5),
        .code_seed = below(4) == 0 ? 1 + below(1u << 30) : 0, .horizontal = {1, 1, 1, 1}, .vertical = {1, 1, 1, 1}};
    static const uint8_t luma[6][2] = {{2, 2}, {2, 1}, {1, 2}, {4, 1}, {1, 1}, {4, 2}};
    unsigned index = below(7);
    if (index < 6) {
        sample.horizontal[0] = luma[index][0];
        sample.vertical[0] = luma[index][1];
    } else {
        for (int component = 0; component < 3; component++) {
            sample.horizontal[component] = (uint8_t)(1 + below(4));
            sample.vertical[component] = (uint8_t)(1 + below(4));
        }
    }
    return sample;
}

static int many(unsigned count, int is_damaged) {
    long results[3] = {0};
    for (unsigned done = 0; done < count;) {
        webimage_jpeg_sample sample = random_sample(is_damaged ? 300 : 1400);
        uint8_t *file;
        size_t length = webimage_jpeg_sample_write(&sample, &file);
        if (length == 0) continue;
        for (unsigned copy = 0; copy < (is_damaged ? 40 : 1) && done < count; copy++, done++) {
            uint8_t *bytes = malloc(length);
            size_t size = length;
            memcpy(bytes, file, length);
            for (unsigned change = 0, changes = is_damaged ? below(4) : 0; change < changes; change++)
                bytes[below(2) ? below((unsigned)length) : below(length < 700 ? (unsigned)length : 700)] =
                    (uint8_t)(below(3) ? below(256) : 255);
            if (is_damaged && below(6) == 0) size = 1 + below((unsigned)length);
            for (int scale = 0; scale < 3; scale++) {
                int threads = 2 + (int)below(5), result = compare(bytes, size, scales[scale], threads);
                results[result + 1]++;
                if (result < 0)
                    printf("DIFFERENT: %dx%d color %d seed %llu, scale %d/8, %d threads\n", sample.width, sample.height,
                        sample.color, (unsigned long long)sample.seed, scales[scale], threads);
            }
            free(bytes);
        }
        free(file);
    }
    printf("%ld decodes in strips are equal, %ld are different, %ld files or scales have no strips\n", results[2], results[0],
        results[1]);
    return results[0] != 0;
}

static double milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void times(int threads, const char *path) {
    FILE *input = fopen(path, "rb");
    if (!input) return;
    fseek(input, 0, SEEK_END);
    size_t length = (size_t)ftell(input);
    rewind(input);
    uint8_t *file = malloc(length);
    length = fread(file, 1, length, input);
    fclose(input);
    for (int scale = 0; scale < 3; scale++) {
        double least[2][2] = {{1e9, 1e9}, {1e9, 1e9}};
        int width, height, bytes, status = 0;
        for (int round = 0; round < 42; round++) {
            webimage_jpeg_decoder *decoder = open_file(file, length, scales[scale], &width, &height, &bytes);
            if (!decoder) break;
            size_t stride = (size_t)width * (size_t)bytes;
            uint8_t *pixels = calloc(stride, (size_t)height);
            double clock = milliseconds(CLOCK_MONOTONIC), processors = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
            if (round & 1) status = webimage_jpeg_read_strips(decoder, file, length, threads, pixels, stride);
            else webimage_jpeg_read_rows(decoder, pixels, stride);
            clock = milliseconds(CLOCK_MONOTONIC) - clock;
            processors = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - processors;
            if (clock < least[round & 1][0]) least[round & 1][0] = clock;
            if (processors < least[round & 1][1]) least[round & 1][1] = processors;
            free(pixels);
            webimage_jpeg_decoder_free(decoder);
        }
        const char *name = strrchr(path, '/');
        printf("%-28s %d/8 %s: one piece %.1f ms; %d threads: %.2f of its time, %.2f of its processor time\n",
            name ? name + 1 : path, scales[scale], status == WEBIMAGE_JPEG_OK ? "in strips" : "NO STRIPS", least[0][0], threads,
            least[1][0] / least[0][0], least[1][1] / least[0][1]);
    }
    free(file);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    state = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    if (strcmp(arguments[1], "compare") == 0) return many((unsigned)atoi(arguments[2]), 0);
    if (strcmp(arguments[1], "mutate") == 0) return many((unsigned)atoi(arguments[2]), 1);
    for (int index = 3; index < count; index++) times(atoi(arguments[2]), arguments[index]);
    return 0;
}
