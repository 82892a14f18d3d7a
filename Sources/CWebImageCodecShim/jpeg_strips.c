#include "jpeg_decoder_state.h"

#include <pthread.h>
#include <stdatomic.h>

#include <CWebImageJPEGThumbnail.h>

/* Decodes one picture on several threads, a strip each, with libjpeg-turbo. The pixels are those of a decode in one piece.

   Every strip but the first is a file of its own (strips.c of CWebImageJPEGThumbnail): a made-up row of MCUs, then the
   file's data from one row of MCUs above the strip. This row is decoded twice, because libjpeg-turbo mixes rows of chroma
   with the rows above and below. For the same reason a strip starts two rows of pixels above its first row of MCUs: the
   strip before it then needs nothing from the row of MCUs behind its own. */

enum {
    MAX_STRIPS = 16,
    MIN_STRIP_ROWS = 8,   /* rows of MCUs; two more rows are decoded for each strip */
    ROWS_ABOVE = 2,       /* rows of pixels that a strip takes over from the strip before */
    ROWS_PER_CHECK = 32,
    POLL_NANOSECONDS = 5000000,
};

/* A strip starts when the search has passed its start: each later one is smaller, so that all end at the same time. */
static const double search_share = 0.08;

typedef struct strips strips;

typedef struct {
    strips *strips;
    pthread_t thread;
    webimage_jpeg_strip file; /* empty in the first strip, which reads the whole file */
    int is_ready;
    int status;
    JDIMENSION skipped;      /* rows of pixels of the strip's file before its first row */
    JDIMENSION first, count; /* rows of pixels of the picture */
} strip;

struct strips {
    const webimage_jpeg_decoder *whole;
    const uint8_t *data;
    size_t size;
    uint8_t *pixels;
    size_t stride;
    int count;
    strip strip[MAX_STRIPS];
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int running;
    atomic_int is_stopped; /* another strip has failed, or the caller has cancelled */
};

/* The input of a strip: the made-up bytes, then the file's. */
typedef struct {
    struct jpeg_source_mgr base;
    const webimage_jpeg_strip *file;
    int is_at_rest;
} strip_source;

static const JOCTET made_up_end[2] = {0xFF, JPEG_EOI};

static void nothing(j_decompress_ptr cinfo) { (void)cinfo; }

static boolean fill(j_decompress_ptr cinfo) {
    strip_source *source = (strip_source *)cinfo->src;
    if (!source->is_at_rest) {
        source->is_at_rest = 1;
        source->base.next_input_byte = source->file->rest;
        source->base.bytes_in_buffer = source->file->rest_size;
        if (source->file->rest_size > 0) return TRUE;
    }
    WARNMS(cinfo, JWRN_JPEG_EOF);
    source->base.next_input_byte = made_up_end;
    source->base.bytes_in_buffer = sizeof made_up_end;
    return TRUE;
}

/* The made-up header has no segment that libjpeg skips. */
static void skip(j_decompress_ptr cinfo, long count) {
    (void)count;
    ERREXIT(cinfo, JERR_BAD_LENGTH);
}

/* Everything that changes after setjmp is on the heap. */
typedef struct {
    webimage_jpeg_decoder *decoder;
    strip_source source;
    uint8_t *skipped;
} strip_decode;

static int read_strip(strip_decode *decode, const strip *strip) {
    struct jpeg_decompress_struct *cinfo = &decode->decoder->cinfo;
    const strips *strips = strip->strips;
    const struct jpeg_decompress_struct *whole = &strips->whole->cinfo;
    JSAMPROW rows[ROWS_PER_CHECK];
    if (setjmp(decode->decoder->errors.escape)) return decode->decoder->errors.status;
    if (strip->file.start) {
        decode->source.base.init_source = nothing;
        decode->source.base.term_source = nothing;
        decode->source.base.fill_input_buffer = fill;
        decode->source.base.skip_input_data = skip;
        decode->source.base.resync_to_restart = jpeg_resync_to_restart;
        decode->source.base.next_input_byte = strip->file.start;
        decode->source.base.bytes_in_buffer = strip->file.start_size;
        decode->source.file = &strip->file;
        cinfo->src = &decode->source.base;
    } else {
        jpeg_mem_src(cinfo, strips->data, (unsigned long)strips->size);
    }
    jpeg_read_header(cinfo, TRUE);
    cinfo->out_color_space = whole->out_color_space;
    cinfo->scale_num = whole->scale_num;
    cinfo->scale_denom = whole->scale_denom;
    jpeg_start_decompress(cinfo);
    if (cinfo->output_width != whole->output_width || cinfo->output_components != whole->output_components)
        return WEBIMAGE_JPEG_FAILED;
    decode->skipped = malloc((size_t)cinfo->output_width * (size_t)cinfo->output_components);
    if (!decode->skipped) return WEBIMAGE_JPEG_FAILED;
    while (cinfo->output_scanline < strip->skipped) {
        rows[0] = decode->skipped;
        jpeg_read_scanlines(cinfo, rows, 1);
    }
    while (cinfo->output_scanline < strip->skipped + strip->count) {
        if (atomic_load_explicit(&strips->is_stopped, memory_order_relaxed)) return WEBIMAGE_JPEG_FAILED;
        JDIMENSION done = cinfo->output_scanline - strip->skipped, left = strip->count - done;
        JDIMENSION count = left < ROWS_PER_CHECK ? left : ROWS_PER_CHECK;
        for (JDIMENSION row = 0; row < count; row++)
            rows[row] = strips->pixels + (size_t)(strip->first + done + row) * strips->stride;
        jpeg_read_scanlines(cinfo, rows, count);
    }
    return decode->decoder->errors.base.num_warnings == 0 ? WEBIMAGE_JPEG_OK : WEBIMAGE_JPEG_FAILED;
}

static int decode_strip(const strip *strip, int (*should_stop)(void)) {
    strip_decode *decode = calloc(1, sizeof *decode);
    if (!decode) return WEBIMAGE_JPEG_FAILED;
    int status = WEBIMAGE_JPEG_FAILED;
    decode->decoder = webimage_jpeg_decoder_make(SIZE_MAX, INT64_MAX);
    if (decode->decoder) {
        decode->decoder->deadline = strip->strips->whole->deadline;
        decode->decoder->should_stop = should_stop;
        status = read_strip(decode, strip);
        webimage_jpeg_decoder_free(decode->decoder);
    }
    free(decode->skipped);
    free(decode);
    return status;
}

static void stop(strips *strips) {
    pthread_mutex_lock(&strips->mutex);
    atomic_store(&strips->is_stopped, 1);
    pthread_cond_broadcast(&strips->changed);
    pthread_mutex_unlock(&strips->mutex);
}

static void *run(void *argument) {
    strip *strip = argument;
    strips *strips = strip->strips;
    pthread_mutex_lock(&strips->mutex);
    while (!strip->is_ready && !atomic_load(&strips->is_stopped)) pthread_cond_wait(&strips->changed, &strips->mutex);
    int is_ready = strip->is_ready;
    pthread_mutex_unlock(&strips->mutex);
    strip->status = is_ready ? decode_strip(strip, NULL) : WEBIMAGE_JPEG_FAILED;
    if (strip->status != WEBIMAGE_JPEG_OK) stop(strips);
    pthread_mutex_lock(&strips->mutex);
    strips->running--;
    pthread_cond_broadcast(&strips->changed);
    pthread_mutex_unlock(&strips->mutex);
    return NULL;
}

static void found(void *context, int index, const webimage_jpeg_strip *file) {
    strips *strips = context;
    pthread_mutex_lock(&strips->mutex);
    strips->strip[index + 1].file = *file;
    strips->strip[index + 1].is_ready = 1;
    pthread_cond_broadcast(&strips->changed);
    pthread_mutex_unlock(&strips->mutex);
}

/* Waits for the other threads. Their strips end if the caller is cancelled meanwhile; then the result is 0. */
static int wait_for_others(strips *strips) {
    int (*should_stop)(void) = strips->whole->should_stop, is_wanted = 1;
    pthread_mutex_lock(&strips->mutex);
    while (strips->running > 0) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        time.tv_nsec += POLL_NANOSECONDS;
        if (time.tv_nsec >= 1000000000) time.tv_nsec -= 1000000000, time.tv_sec++;
        pthread_cond_timedwait(&strips->changed, &strips->mutex, &time);
        if (!should_stop || strips->running == 0) continue;
        pthread_mutex_unlock(&strips->mutex);
        if (is_wanted && should_stop()) {
            is_wanted = 0;
            stop(strips);
        }
        pthread_mutex_lock(&strips->mutex);
    }
    pthread_mutex_unlock(&strips->mutex);
    return is_wanted;
}

/* Divides the picture's rows of MCUs. Returns the number of strips; `rows` are where their data starts. */
static int divide(strips *strips, int wanted, int *rows) {
    const struct jpeg_decompress_struct *cinfo = &strips->whole->cinfo;
    int high = cinfo->max_v_samp_factor * DCTSIZE, mcu_rows = ((int)cinfo->image_height + high - 1) / high;
    int count = wanted < MAX_STRIPS ? wanted : MAX_STRIPS;
    if (count > mcu_rows / MIN_STRIP_ROWS) count = mcu_rows / MIN_STRIP_ROWS;
    double share = 1, sum = 0, before = 0;
    for (int index = 0; index < count; index++, share *= 1 - search_share) sum += share;
    share = 1;
    JDIMENSION high_pixels = (JDIMENSION)(cinfo->max_v_samp_factor * cinfo->min_DCT_scaled_size);
    for (int index = 0; index < count; index++, share *= 1 - search_share) {
        strip *strip = &strips->strip[index];
        int row = (int)(mcu_rows * before / sum);
        before += share;
        strip->strips = strips;
        if (index > 0) {
            rows[index - 1] = row - 1;
            strip->skipped = 2 * high_pixels - ROWS_ABOVE;
            strip->first = (JDIMENSION)row * high_pixels - ROWS_ABOVE;
            strip[-1].count = strip->first - strip[-1].first;
        }
    }
    if (count > 0) strips->strip[count - 1].count = cinfo->output_height - strips->strip[count - 1].first;
    return count;
}

/* Starts all threads but the caller's. Returns 0 if the system has no thread for each of them. */
static int start_threads(strips *strips) {
    strips->strip[0].is_ready = 1;
    for (int index = 0; index + 1 < strips->count; index++) {
        pthread_mutex_lock(&strips->mutex);
        strips->running++;
        pthread_mutex_unlock(&strips->mutex);
        if (pthread_create(&strips->strip[index].thread, NULL, run, &strips->strip[index]) != 0) {
            pthread_mutex_lock(&strips->mutex);
            strips->running--;
            pthread_mutex_unlock(&strips->mutex);
            strips->count = index + 1;
            return 0;
        }
    }
    return 1;
}

/* Decodes all strips. `rows` are where their data starts. */
static int decode(strips *strips, const int *rows) {
    const webimage_jpeg_decoder *whole = strips->whole;
    webimage_jpeg_strips_request request = {
        .width = (int)whole->cinfo.image_width, .height = (int)whole->cinfo.image_height, .count = strips->count - 1,
        .rows = rows, .found = found, .context = strips, .deadline = whole->deadline, .should_stop = whole->should_stop,
        .ignores_cost = strips->whole->ignores_cost};
    int status = WEBIMAGE_JPEG_FAILED;
    if (start_threads(strips)) {
        webimage_jpeg_thumbnail_status search = webimage_jpeg_strips_find(strips->data, strips->size, &request);
        if (search == WEBIMAGE_JPEG_THUMBNAIL_OK)
            status = decode_strip(&strips->strip[strips->count - 1], whole->should_stop);
        else if (search == WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME)
            status = WEBIMAGE_JPEG_OUT_OF_TIME;
    }
    if (status != WEBIMAGE_JPEG_OK) stop(strips);
    if (!wait_for_others(strips)) status = WEBIMAGE_JPEG_OUT_OF_TIME;
    for (int index = 0; index + 1 < strips->count; index++) {
        pthread_join(strips->strip[index].thread, NULL);
        if (strips->strip[index].status != WEBIMAGE_JPEG_OK && status == WEBIMAGE_JPEG_OK)
            status = strips->strip[index].status;
    }
    return status;
}

int webimage_jpeg_read_strips(
    const webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int threads, uint8_t *pixels, size_t stride) {
    strips *strips = calloc(1, sizeof *strips);
    if (!strips) return WEBIMAGE_JPEG_FAILED;
    strips->whole = decoder;
    strips->data = data;
    strips->size = size;
    strips->pixels = pixels;
    strips->stride = stride;
    int rows[MAX_STRIPS], status = WEBIMAGE_JPEG_FAILED;
    strips->count = divide(strips, threads, rows);
    /* At 1/8 a row of MCUs can have fewer rows of pixels than a strip takes over. */
    if (strips->count > 1 && decoder->cinfo.min_DCT_scaled_size > 1) {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_mutex_init(&strips->mutex, NULL);
        pthread_cond_init(&strips->changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
        status = decode(strips, rows);
        for (int index = 0; index < MAX_STRIPS; index++) free(strips->strip[index].file.start);
        pthread_cond_destroy(&strips->changed);
        pthread_mutex_destroy(&strips->mutex);
    }
    free(strips);
    return status;
}
