#include "scan.h"

/* Decides whether the loop saves time: a crafted file must not cost much more than libjpeg-turbo alone. */

/* The work so far is compared with the bits so far. The limits are twice the values of ordinary photos in the highest
   quality. Beyond them libjpeg-turbo, whose branches are then often predictable, is about as fast. */
enum {
    ROUNDS_PER_SLOW_SYMBOL = 4,
    BITS_PER_CHROMA_STEP = 16,
    BITS_PER_ROUND = 20, /* fewer if the streams decode much twice, and in sparse blocks, whose symbols are short */
    DENSE_BLOCK_BITS = 400,
    BITS_PER_RARE_ROUND = 24,
    ROUNDS_PER_RARE_SYMBOL = 10,
    GIVES_UP_PART = 8, /* libjpeg-turbo decodes a costly file if less than 1/8 of it has been decoded */
    PLANES_GIVE_UP_PART = 3, /* the same for planes, where a strict decode takes up to 1.7 of libjpeg-turbo's time */
    WASTE_PART = 16,   /* no streams are used after they have used 1/16 of the data in vain */
};

static int is_costly(const scan *scan) {
    uint64_t chroma_rounds = 0;
    for (int index = 0; index < MAX_COMPONENTS; index++)
        if (scan->parts[index].chroma) chroma_rounds += scan->parts[index].chroma->rounds;
    uint64_t bits = scan->decoder->work.bits, blocks = (uint64_t)scan->mcu * (uint64_t)scan->decoder->blocks_in_mcu;
    uint64_t rounds = scan->code.rounds, slow_symbols = scan->code.slow_symbols;
    int synchronises_late = rounds * BITS_PER_ROUND > bits && bits > blocks * DENSE_BLOCK_BITS;
    int has_rare_symbols = rounds * BITS_PER_RARE_ROUND > bits && slow_symbols * ROUNDS_PER_RARE_SYMBOL > rounds;
    return synchronises_late || has_rare_symbols || slow_symbols * ROUNDS_PER_SLOW_SYMBOL > rounds
        || chroma_rounds * STREAMS * BITS_PER_CHROMA_STEP > bits;
}

static size_t done_bytes(const decoder *decoder) {
    return decoder->done_bytes + (size_t)(decoder->window.next - decoder->next);
}

int webimage_jt_is_early(const decoder *decoder) {
    size_t part = decoder->request->planes ? PLANES_GIVE_UP_PART : GIVES_UP_PART;
    return !decoder->request->ignores_cost && done_bytes(decoder) <= decoder->data_bytes / part;
}

webimage_jpeg_thumbnail_status webimage_jt_check_cost(scan *scan, size_t bits) {
    decoder *decoder = scan->decoder;
    decoder->work.windows++;
    decoder->work.bits += bits;
    /* Damage makes the streams' work for the rest of a window useless. So no window is longer than half of the data before
       it. */
    size_t longest = done_bytes(decoder) / 2;
    if (longest < decoder->window.capacity) longest = decoder->window.capacity;
    decoder->window.capacity = longest < scan->capacity ? longest : scan->capacity;
    if (webimage_jt_is_late(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    if (decoder->request->ignores_cost || scan->is_strict || !is_costly(scan)) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    if (webimage_jt_is_early(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    scan->is_strict = 1;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

void webimage_jt_waste(scan *scan, size_t bits) {
    scan->wasted_bits += bits;
    size_t allowed = MIN_WINDOW_BYTES * 8 + scan->decoder->data_bytes * 8 / WASTE_PART;
    if (scan->wasted_bits > allowed && !scan->decoder->request->ignores_cost) scan->is_strict = 1;
}
