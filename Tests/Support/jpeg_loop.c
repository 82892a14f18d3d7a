/* Measures and checks the loop for JPEG thumbnails outside of Swift: Scripts/measure jpeg-loop compiles this file with the loop, the
   writer of samples and libjpeg-turbo, and describes its commands. */

#include "CWebImageJPEGSamples.h"
#include "CWebImageJPEGThumbnail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(WITH_VALGRIND)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(text)
#endif

typedef struct {
    webimage_jpeg_thumbnail_format format;
    int bytes; /* as of webimage_jpeg_sample_read */
} output;

static const output outputs[] = {
    {WEBIMAGE_JPEG_THUMBNAIL_GRAY, 1}, {WEBIMAGE_JPEG_THUMBNAIL_RGB, 3}, {WEBIMAGE_JPEG_THUMBNAIL_RGBA, 4},
    {WEBIMAGE_JPEG_THUMBNAIL_BGRA, -4}, {WEBIMAGE_JPEG_THUMBNAIL_CMYK, 4},
};
enum { OUTPUTS = 5 };

static const char *const names[WEBIMAGE_JPEG_THUMBNAIL_STATUS_COUNT] = {
    "ok", "out of time", "out of memory", "costly", "frame", "sampling", "color", "marker", "table", "short",
    "unfinished", "range",
};

#if !defined(WITHOUT_LIBJPEG)
static uint64_t next_random(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t value = *state;
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static int pick(uint64_t *state, int first, int last) {
    return first + (int)(next_random(state) % (uint64_t)(last - first + 1));
}

/* A sample with random properties. libjpeg cannot write some of them. */
static webimage_jpeg_sample random_sample(uint64_t *state, int largest) {
    static const uint8_t luma[8][2] = {{2, 2}, {2, 2}, {2, 2}, {2, 1}, {1, 2}, {4, 1}, {4, 2}, {1, 1}};
    static const int intervals[6] = {0, 0, 0, 1, 7, 100};
    webimage_jpeg_sample sample = {.horizontal = {1, 1, 1, 1}, .vertical = {1, 1, 1, 1}};
    int side = pick(state, 0, 9);
    int most = side < 3 ? 40 : side < 6 ? 200 : side < 9 ? 600 : largest;
    if (most > largest) most = largest;
    sample.width = pick(state, 1, most);
    sample.height = pick(state, 1, most);
    sample.color = pick(state, 0, 7) < 4 ? 0 : pick(state, 1, 4);
    sample.kind = pick(state, 0, 5) < 3 ? 0 : pick(state, 1, 3);
    sample.content = pick(state, 0, 6) < 3 ? 0 : pick(state, 1, 4);
    sample.quality = pick(state, 1, 100);
    sample.is_baseline = pick(state, 0, 1);
    sample.optimizes_codes = pick(state, 0, 1);
    sample.has_long_codes = sample.kind == 0 ? pick(state, 0, 1) : 0;
    sample.restart_interval = intervals[pick(state, 0, 5)];
    sample.seed = next_random(state);
    sample.has_own_chroma = sample.color == 0 ? pick(state, 0, 1) : 0;
    sample.chroma_content = pick(state, 0, 4);
    sample.code_seed = sample.kind < 2 && pick(state, 0, 3) == 0 ? next_random(state) : 0;
    const uint8_t *factors = luma[pick(state, 0, 7)];
    /* Black has the resolution of the first component, or its own. */
    for (int index = 0; index < 4; index += 3) {
        sample.horizontal[index] = factors[0];
        sample.vertical[index] = factors[1];
    }
    for (int index = 0; index < 4 && side == 3; index++) {
        sample.horizontal[index] = (uint8_t)pick(state, 1, 4);
        sample.vertical[index] = (uint8_t)pick(state, 1, 4);
    }
    return sample;
}

/* An output in colours that the loop makes of this file. */
static output pick_output(uint64_t *state, const webimage_jpeg_sample *sample) {
    return outputs[sample->color >= WEBIMAGE_JPEG_SAMPLE_CMYK ? 4 : pick(state, 0, 3)];
}

static webimage_jpeg_thumbnail_status decode(
    const uint8_t *file, size_t length, int width, int height, output output, size_t window_bytes, int ignores_cost,
    uint8_t *pixels, webimage_jpeg_thumbnail_work *work) {
    webimage_jpeg_thumbnail_request request = {
        .width = width, .height = height, .format = output.format, .pixels = pixels,
        .stride = (size_t)width * (size_t)abs(output.bytes), .deadline = INT64_MAX, .ignores_cost = ignores_cost,
        .window_bytes = window_bytes, .work = work,
    };
    return webimage_jpeg_thumbnail_decode(file, length, &request);
}

typedef struct {
    long counts[WEBIMAGE_JPEG_THUMBNAIL_STATUS_COUNT];
    long equal, different, unreadable;
    long planes, wrong_planes;
} totals;

/* Decodes one plane by the code for all processors and by that for this one, and a scaled part of the picture. */
static void compare_planes(
    const uint8_t *file, size_t length, int wide, int high, uint64_t choice, size_t window_bytes, totals *totals,
    const char *text) {
    static const int sides[4] = {2, 3, 4, 8};
    int side = sides[choice % 4], component = 1 + (int)(choice / 3 % 4), width, height;
    float *expected;
    int is_complete = webimage_jpeg_sample_plane(file, length, component, side, &width, &height, &expected);
    if (!is_complete || (size_t)width * (size_t)height > 1 << 22) width = height = 1;
    size_t size = (size_t)width * (size_t)height;
    uint8_t *samples[2];
    webimage_jpeg_thumbnail_status statuses[2];
    webimage_jpeg_thumbnail_planes planes = {
        .file_width = wide, .file_height = high, .width = wide, .height = high, .side = side, .chroma_side = side,
        .component = component, .is_complete = 1,
    };
    webimage_jpeg_thumbnail_request request = {
        .width = width, .height = height, .format = WEBIMAGE_JPEG_THUMBNAIL_GRAY, .stride = (size_t)width,
        .deadline = INT64_MAX, .ignores_cost = 1, .window_bytes = window_bytes, .planes = &planes,
    };
    for (int turn = 0; turn < 2; turn++) {
        planes.is_portable = turn;
        request.pixels = samples[turn] = malloc(size);
        statuses[turn] = webimage_jpeg_thumbnail_decode(file, length, &request);
    }
    int is_wrong = statuses[0] != statuses[1];
    if (statuses[0] == WEBIMAGE_JPEG_THUMBNAIL_OK && !is_wrong) {
        totals->planes++;
        is_wrong = !is_complete || memcmp(samples[0], samples[1], size) != 0;
        for (size_t index = 0; index < size && !is_wrong; index++) {
            float limited = expected[index] < 0 ? 0 : expected[index] > 255 ? 255 : expected[index];
            is_wrong = fabsf(limited - samples[0][index]) > (side == 2 ? 0.501f : side == 8 ? 0.75f : 0.7f);
        }
    }
    free(samples[0]);
    free(samples[1]);
    free(expected);

    /* A part of the picture at another size. */
    output output = outputs[choice / 9 % OUTPUTS];
    planes.component = 0;
    planes.is_complete = (int)(choice / 8 % 2);
    planes.side = sides[choice / 36 % 4];
    planes.chroma_side = sides[choice / 144 % 4];
    planes.x = (double)(choice / 128 % 1000) / 2000 * wide;
    planes.y = (double)(choice / 1024 % 1000) / 2000 * high;
    planes.width = (wide - planes.x) * (double)(1 + choice / 512 % 1000) / 1000;
    planes.height = (high - planes.y) * (double)(1 + choice / 2048 % 1000) / 1000;
    request.width = 1 + (int)(choice / 4096 % 70);
    request.height = 1 + (int)(choice / 65536 % 70);
    request.format = output.format;
    if (output.format == WEBIMAGE_JPEG_THUMBNAIL_CMYK) {
        request.width = (wide * planes.side + 7) / 8;
        request.height = (high * planes.side + 7) / 8;
    }
    request.stride = (size_t)request.width * (size_t)abs(output.bytes);
    size = request.stride * (size_t)request.height;
    for (int turn = 0; turn < 2; turn++) {
        planes.is_portable = turn;
        request.pixels = samples[turn] = malloc(size);
        statuses[turn] = webimage_jpeg_thumbnail_decode(file, length, &request);
    }
    is_wrong |= statuses[0] != statuses[1];
    if (statuses[0] == WEBIMAGE_JPEG_THUMBNAIL_OK && !is_wrong) is_wrong = memcmp(samples[0], samples[1], size) != 0;
    free(samples[0]);
    free(samples[1]);
    totals->wrong_planes += is_wrong;
    if (is_wrong) printf("WRONG PLANE: %s, choice %llu, windows of %zu bytes\n", text, (unsigned long long)choice, window_bytes);
}

/* The size and the number of components in the header of a file. */
static int read_header(const uint8_t *file, size_t length, int *width, int *height, int *components) {
    for (size_t place = 2; place + 9 < length && file[place] == 0xff;) {
        int marker = file[place + 1];
        if (marker >= 0xc0 && marker <= 0xc2) {
            *height = file[place + 5] << 8 | file[place + 6];
            *width = file[place + 7] << 8 | file[place + 8];
            *components = file[place + 9];
            return *width > 0 && *height > 0 && (size_t)*width * (size_t)*height < 1 << 26;
        }
        place += 2 + (size_t)(file[place + 2] << 8 | file[place + 3]);
    }
    return 0;
}

/* Decodes a copy of the file without a byte behind it, so that the sanitizer detects reads beyond it. */
static void compare(const uint8_t *file, size_t length, output output, size_t window_bytes, totals *totals, const char *text) {
    int width, height, warnings;
    uint8_t *expected, *copy = malloc(length);
    memcpy(copy, file, length);
    int is_complete = webimage_jpeg_sample_read(copy, length, output.bytes, &width, &height, &warnings, &expected);
    if (width == 0 || (size_t)width * (size_t)height > 1 << 22) width = height = 1;
    size_t size = (size_t)width * (size_t)height * (size_t)abs(output.bytes);
    uint8_t *pixels = malloc(size);
    webimage_jpeg_thumbnail_status status = decode(copy, length, width, height, output, window_bytes, 1, pixels, NULL);
    totals->counts[status]++;
    if (status == WEBIMAGE_JPEG_THUMBNAIL_OK) {
        if (is_complete && memcmp(pixels, expected, size) == 0) {
            totals->equal++;
        } else {
            totals->different++;
            printf("DIFFERENT: %s, output %d, windows of %zu bytes\n", text, output.bytes, window_bytes);
        }
    } else if (!is_complete) {
        totals->unreadable++;
    }
    free(expected);
    free(pixels);
    int wide, high, components;
    uint64_t choice = length * 2654435761u ^ (uint64_t)output.format ^ (uint64_t)copy[length / 2] << 7;
    if (read_header(copy, length, &wide, &high, &components) && (size_t)wide * (size_t)high < 1 << 22)
        compare_planes(copy, length, wide, high, next_random(&choice) >> 1, window_bytes, totals, text);
    free(copy);
}

static int report(const totals *totals) {
    printf("%ld equal, %ld different; libjpeg-turbo refuses %ld\n", totals->equal, totals->different, totals->unreadable);
    for (int status = 0; status < WEBIMAGE_JPEG_THUMBNAIL_STATUS_COUNT; status++)
        if (totals->counts[status]) printf("  %-12s %ld\n", names[status], totals->counts[status]);
    printf("%ld planes, %ld wrong\n", totals->planes, totals->wrong_planes);
    return totals->different > 0 || totals->wrong_planes > 0;
}

static int compare_samples(long count, uint64_t seed, int largest) {
    totals totals = {0};
    for (long number = 0; number < count; number++) {
        uint64_t state = seed + (uint64_t)number * 1000003;
        webimage_jpeg_sample sample = random_sample(&state, largest);
        uint8_t *file;
        size_t length = webimage_jpeg_sample_write(&sample, &file);
        char text[64];
        snprintf(text, sizeof text, "sample %ld of seed %llu", number, (unsigned long long)seed);
        if (length) {
            size_t window = pick(&state, 0, 1) ? 0 : (size_t)pick(&state, 4096, 12000);
            compare(file, length, pick_output(&state, &sample), window, &totals, text);
            if (pick(&state, 0, 3) == 0) compare(file, length, pick_output(&state, &sample), 0, &totals, text);
        }
        free(file);
    }
    return report(&totals);
}

/* Takes a symbol from the longest codes of a table and gives it to the codes that are a bit shorter, so that the code of all ones,
   which must be free, is used. */
static void use_last_code(uint8_t *file, size_t length, uint64_t choice) {
    size_t tables[64], count = 0;
    for (size_t place = 2; place + 21 < length && count < 64; place++)
        if (file[place] == 0xff && file[place + 1] == 0xc4) tables[count++] = place + 5;
    if (count == 0) return;
    uint8_t *counts = file + tables[choice % count];
    int longest = 15;
    while (longest > 0 && counts[longest] == 0) longest--;
    if (longest == 0) return;
    counts[longest]--;
    counts[longest - 1]++;
}

/* Changes one to four places of small files: bytes, bits, cut or repeated pieces. `only_progressive`: of progressive files alone,
   and in some also a code. */
static int mutate(long count, uint64_t seed, int only_progressive) {
    enum { SAMPLES = 400 };
    static uint8_t *files[SAMPLES];
    static size_t lengths[SAMPLES];
    static webimage_jpeg_sample samples[SAMPLES];
    totals totals = {0};
    uint64_t state = seed;
    for (int index = 0; index < SAMPLES; index++) {
        while (lengths[index] == 0) {
            samples[index] = random_sample(&state, 130);
            if (only_progressive && samples[index].kind < WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE) continue;
            lengths[index] = webimage_jpeg_sample_write(&samples[index], &files[index]);
        }
    }
    for (long number = 0; number < count; number++) {
        state = seed + (uint64_t)number * 1000003;
        int index = pick(&state, 0, SAMPLES - 1);
        size_t length = lengths[index];
        uint8_t *damaged = malloc(length * 2);
        memcpy(damaged, files[index], length);
        /* Half of the files only get wrong bits in the data, so that the markers stay as they are. */
        int keeps_markers = pick(&state, 0, 1);
        for (int changes = pick(&state, 1, 4); changes > 0; changes--) {
            if (keeps_markers) {
                size_t place = length / 3 + next_random(&state) % (length - length / 3);
                int is_plain = damaged[place] < 0xf0 && damaged[place - 1] < 0xf0;
                if (is_plain) damaged[place] ^= (uint8_t)(1 << pick(&state, 0, 3));
                continue;
            }
            size_t end = pick(&state, 0, 1) && length > 700 ? 700 : length;
            size_t place = 2 + next_random(&state) % (end - 2), size = 1 + next_random(&state) % 40;
            if (size > length - place) size = length - place;
            switch (pick(&state, 0, 7)) {
                case 0:
                    memmove(damaged + place, damaged + place + size, length - place - size);
                    length -= size;
                    break;
                case 1:
                    if (length + size > lengths[index] * 2) break;
                    memmove(damaged + place + size, damaged + place, length - place);
                    length += size;
                    break;
                case 2: case 3: damaged[place] ^= (uint8_t)(1 << pick(&state, 0, 7)); break;
                case 4: damaged[place] = 0xff; break;
                default: damaged[place] = (uint8_t)next_random(&state);
            }
            if (length < 8) break;
        }
        if (only_progressive && pick(&state, 0, 31) == 0) use_last_code(damaged, length, next_random(&state));
        char text[64];
        snprintf(text, sizeof text, "mutation %ld of seed %llu", number, (unsigned long long)seed);
        int width, height, warnings;
        uint8_t *pixels;
        /* Do not decode a picture whose damaged header declares millions of pixels. */
        webimage_jpeg_sample_read(damaged, length < 700 ? length : 700, 3, &width, &height, &warnings, &pixels);
        free(pixels);
        if (width * height <= 100000)
            compare(damaged, length, pick_output(&state, &samples[index]), pick(&state, 0, 1) ? 4096 : 0, &totals, text);
        free(damaged);
    }
    return report(&totals);
}

static double thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* What the costs are those of: 1 for the pixels at 1/8, otherwise the samples per row of a block. A result from planes is
   compared with libjpeg-turbo's smallest scale that has twice its pixels. */
static int measured_side = 1, measured_chroma;
static double measured_ratio;

/* Prints the status and the least processor time of both decoders in milliseconds, or lets callgrind count them. */
static void cost(const char *label, const uint8_t *file, size_t length, int ignores_cost, int rounds) {
    static const int eighths[9] = {0, 1, 2, 4, 8, 8, 8, 8, 8};
    static const double ratios[9] = {0, 8, 8, 5, 3.9, 3, 3, 3, 3};
    const double ratio = measured_ratio > 0 ? measured_ratio : ratios[measured_side];
    int width = 0, height = 0, warnings, components = 0, is_eighth = measured_side == 1;
    uint8_t *pixels = NULL;
    webimage_jpeg_thumbnail_work work = {0};
    webimage_jpeg_thumbnail_status status = WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    webimage_jpeg_thumbnail_planes planes = {
        .side = measured_side, .chroma_side = measured_chroma ? measured_chroma : measured_side >= 4 ? 8 : measured_side + 1,
        .is_portable = getenv("WITHOUT_AVX2") != NULL,
    };
    webimage_jpeg_thumbnail_request request = {
        .format = WEBIMAGE_JPEG_THUMBNAIL_RGBA, .deadline = INT64_MAX, .ignores_cost = ignores_cost, .work = &work,
        .planes = is_eighth ? NULL : &planes,
    };
    double ours = 1e9, theirs = 1e9;
    char text[128];
    for (int round = 0; round < rounds; round++) {
        double start = thread_time();
        CALLGRIND_START_INSTRUMENTATION;
        CALLGRIND_ZERO_STATS;
        webimage_jpeg_sample_read_scaled(file, length, eighths[measured_side], 4, &width, &height, &warnings, &pixels);
        snprintf(text, sizeof text, "%s theirs", label);
        CALLGRIND_DUMP_STATS_AT(text);
        CALLGRIND_STOP_INSTRUMENTATION;
        double end = thread_time();
        free(pixels);
        if (end - start < theirs) theirs = end - start;
        if (width == 0 || !read_header(file, length, &planes.file_width, &planes.file_height, &components)) return;
        if (is_eighth && components == 4) request.format = WEBIMAGE_JPEG_THUMBNAIL_CMYK;
        planes.width = planes.file_width;
        planes.height = planes.file_height;
        request.width = is_eighth ? width : (int)ceil(planes.width / ratio);
        request.height = is_eighth ? height : (int)ceil(planes.height / ratio);
        request.stride = (size_t)request.width * 4;
        request.pixels = malloc(request.stride * (size_t)request.height);
        start = thread_time();
        CALLGRIND_START_INSTRUMENTATION;
        CALLGRIND_ZERO_STATS;
        status = webimage_jpeg_thumbnail_decode(file, length, &request);
        snprintf(text, sizeof text, "%s ours", label);
        CALLGRIND_DUMP_STATS_AT(text);
        CALLGRIND_STOP_INSTRUMENTATION;
        end = thread_time();
        free(request.pixels);
        if (end - start < ours) ours = end - start;
    }
    printf("%s\t%s\t%zu\t%.3f\t%.3f\t%llu %llu %llu %llu %llu\n", label, names[status], length, ours, theirs,
           (unsigned long long)work.rounds, (unsigned long long)work.slow_symbols,
           (unsigned long long)(is_eighth ? work.chroma_rounds : work.plane_steps), (unsigned long long)work.bits,
           (unsigned long long)work.windows);
    fflush(stdout);
}

#endif

static uint8_t *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length);
    if (fread(bytes, 1, *length, file) != *length) *length = 0;
    fclose(file);
    return bytes;
}

#if !defined(WITHOUT_LIBJPEG)
/* Damages a file. 1: a segment behind the data that the loop refuses; 2: wrong bits in the last bytes; 3: wrong bits after
   an eighth; 4: every 500 bytes; 5: a tenth of the data is missing before the end marker; 6: no end marker. */
static size_t damage(uint8_t **file, size_t length, int kind, uint64_t seed) {
    static const uint8_t tail[8] = {0xff, 0xe1, 0, 4, 0, 0, 0xff, 0xd9};
    uint8_t *bytes = *file = realloc(*file, length + 8);
    if (kind == 1) {
        memcpy(bytes + length - 2, tail, sizeof tail);
        return length + 6;
    }
    if (kind == 6) return length - 2;
    if (kind == 5 && length > 4000) {
        length -= length / 10;
        memcpy(bytes + length - 2, tail + 6, 2);
    }
    size_t place = kind == 2 ? length - 60 : kind == 3 ? length / 8 + 600 : 1200, step = kind == 4 ? 500 : length;
    for (; kind >= 2 && kind <= 4 && place + 40 < length; place += step)
        for (size_t index = place; index < place + 32; index++)
            if (bytes[index] < 0xf0 && bytes[index - 1] < 0xf0) bytes[index] = (uint8_t)(next_random(&seed) & 0x7f);
    return length;
}

/* Reads samples from the standard input: one per line, a label and the fields. */
static void cost_of_lines(int rounds) {
    char label[64];
    long long f[20];
    while (scanf("%63s", label) == 1) {
        for (int index = 0; index < 18; index++)
            if (scanf("%lld", &f[index]) != 1) return;
        webimage_jpeg_sample sample = {
            .width = (int)f[0], .height = (int)f[1], .color = (int)f[2], .kind = (int)f[3], .content = (int)f[4],
            .quality = (int)f[5], .is_baseline = (int)f[6], .optimizes_codes = (int)f[7], .has_long_codes = (int)f[8],
            .restart_interval = (int)f[9], .horizontal = {(uint8_t)f[10], 1, 1, (uint8_t)f[10]},
            .vertical = {(uint8_t)f[11], 1, 1, (uint8_t)f[11]},
            .seed = (uint64_t)f[12], .has_own_chroma = (int)f[13], .chroma_content = (int)f[14],
            .code_seed = (uint64_t)f[15],
        };
        uint8_t *file;
        size_t length = webimage_jpeg_sample_write(&sample, &file);
        if (length == 0) continue;
        length = damage(&file, length, (int)f[16], sample.seed);
        cost(label, file, length, (int)f[17], rounds);
        free(file);
    }
}

/* Writes samples for the comparison of processors. */
static void write_samples(long count, uint64_t seed, const char *folder, int largest) {
    for (long number = 0; number < count; number++) {
        uint64_t state = seed + (uint64_t)number * 1000003;
        webimage_jpeg_sample sample = random_sample(&state, largest);
        uint8_t *file;
        size_t length = webimage_jpeg_sample_write(&sample, &file);
        if (length == 0) continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%05ld-%d-%d.jpg", folder, number, sample.width, sample.height);
        FILE *stream = fopen(path, "wb");
        if (stream) fwrite(file, 1, length, stream);
        if (stream) fclose(stream);
        free(file);
    }
}
#endif

static void print_sum(
    const char *name, int number, const uint8_t *file, size_t length, webimage_jpeg_thumbnail_request request, int bytes) {
    webimage_jpeg_thumbnail_work work;
    size_t size = (size_t)request.width * (size_t)request.height * (size_t)bytes;
    request.pixels = calloc(1, size);
    request.stride = (size_t)request.width * (size_t)bytes;
    request.work = &work;
    webimage_jpeg_thumbnail_status status = webimage_jpeg_thumbnail_decode(file, length, &request);
    uint64_t sum = 14695981039346656037u;
    for (size_t place = 0; place < size && status == WEBIMAGE_JPEG_THUMBNAIL_OK; place++)
        sum = (sum ^ request.pixels[place]) * 1099511628211u;
    printf("%s %d %s %016llx %llu %llu\n", name, number, names[status], (unsigned long long)sum,
           (unsigned long long)work.rounds, (unsigned long long)work.chroma_rounds);
    free(request.pixels);
}

/* Prints the status and a checksum of the pixels of each file, whose name ends with its size, at 1/8 in each output format, and
   from planes of each kind. */
static void print_sums(int count, char **paths) {
    for (int index = 0; index < count; index++) {
        size_t length;
        int width = 0, height = 0;
        uint8_t *bytes = read_file(paths[index], &length);
        const char *name = strrchr(paths[index], '/');
        if (!bytes || !name || sscanf(name, "/%*d-%d-%d.jpg", &width, &height) != 2) continue;
        webimage_jpeg_thumbnail_request request = {
            .deadline = INT64_MAX, .ignores_cost = 1, .window_bytes = index % 2 ? 4096 : 0,
            .width = (width + 7) / 8, .height = (height + 7) / 8,
        };
        for (int format = 0; format < OUTPUTS; format++) {
            request.format = outputs[format].format;
            print_sum(name, format, bytes, length, request, abs(outputs[format].bytes));
        }
        for (int side = 2; side <= 4; side++) {
            webimage_jpeg_thumbnail_planes planes = {
                .file_width = width, .file_height = height, .x = width * 0.1, .width = width * 0.9, .height = height,
                .side = side, .chroma_side = side == 4 ? 4 : side + 1,
            };
            request.planes = &planes;
            request.format = WEBIMAGE_JPEG_THUMBNAIL_RGBA;
            /* For the smaller result, blocks are read only in part. */
            for (int ratio = 5; ratio <= 11; ratio += 6) {
                request.width = width / ratio + 1;
                request.height = height / ratio + 1;
                print_sum(name, OUTPUTS - 2 + side + (ratio > 5 ? 3 : 0), bytes, length, request, 4);
            }
        }
        free(bytes);
    }
}

#if defined(WITH_FUZZER)
/* libFuzzer's entry. The last byte selects the output and the size of the loop's windows. */
int LLVMFuzzerTestOneInput(const uint8_t *file, size_t length) {
    int width, height, warnings;
    uint8_t *pixels;
    if (length < 4) return 0;
    webimage_jpeg_sample_read(file, length < 700 ? length : 700, 3, &width, &height, &warnings, &pixels);
    free(pixels);
    if (width * height > 4096) return 0;
    totals totals = {0};
    uint8_t choice = file[length - 1];
    compare(file, length, outputs[(choice >> 3) % OUTPUTS], choice & 4 ? 4096 : 0, &totals, "input");
    if (totals.different || totals.wrong_planes) abort();
    return 0;
}
#else
int main(int count, char **arguments) {
    const char *command = count > 1 ? arguments[1] : "";
    if (strcmp(command, "sums") == 0) {
        print_sums(count - 2, arguments + 2);
        return 0;
    }
#if !defined(WITHOUT_LIBJPEG)
    long number = count > 2 ? atol(arguments[2]) : 0;
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    if (strcmp(command, "compare") == 0) return compare_samples(number, seed, count > 4 ? atoi(arguments[4]) : 600);
    if (strcmp(command, "mutate") == 0) return mutate(number, seed, count > 4 && strcmp(arguments[4], "progressive") == 0);
    if (strcmp(command, "write") == 0) {
        write_samples(number, seed, count > 4 ? arguments[4] : ".", count > 5 ? atoi(arguments[5]) : 400);
        return 0;
    }
    if (strcmp(command, "samples") == 0) {
        measured_side = count > 3 ? atoi(arguments[3]) : 1;
        cost_of_lines((int)number);
        return 0;
    }
    if (strcmp(command, "files") == 0) {
        if (getenv("SIDE")) measured_side = atoi(getenv("SIDE"));
        if (getenv("RATIO")) measured_ratio = atof(getenv("RATIO"));
        if (getenv("CHROMA")) measured_chroma = atoi(getenv("CHROMA"));
        for (int index = 3; index < count; index++) {
            size_t length;
            uint8_t *bytes = read_file(arguments[index], &length);
            const char *name = strrchr(arguments[index], '/');
            if (bytes) cost(name ? name + 1 : arguments[index], bytes, length, 0, (int)number);
            free(bytes);
        }
        return 0;
    }
    if (strcmp(command, "same") == 0) {
        totals totals = {0};
        for (int index = 2; index < count; index++) {
            size_t length;
            uint8_t *bytes = read_file(arguments[index], &length);
            for (int output = 0; output < OUTPUTS && bytes; output++) compare(bytes, length, outputs[output], 0, &totals, arguments[index]);
            free(bytes);
        }
        return report(&totals);
    }
#endif
    fprintf(stderr, "unknown command\n");
    return 64;
}
#endif
