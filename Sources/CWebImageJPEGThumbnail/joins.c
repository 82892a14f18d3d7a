#include "thumbnail.h"

/* A stream that starts anywhere in Huffman codes reads wrong symbols at first, but soon meets the true symbols by itself.
   Three streams start at a guess in this way. The stream before such a stream runs a little beyond its start. If both
   have recorded the same end of a block with the same place in the MCU, they are the same from there on: the state
   between two blocks consists of nothing else. So nothing is approximate. */

enum {
    OVERLAP_BITS = 384 * 8, /* 99 of 100 streams need fewer bytes than 684, the median is 50 */
    MIN_SPLIT_BYTES = 4096,
    SLACK = 256,            /* entries that a stream can write behind its limit */
};

size_t webimage_jt_ends_capacity(size_t window_bytes) { return (window_bytes + WINDOW_PADDING) * 8 / 2 + SLACK; }

size_t webimage_jt_guesses_capacity(size_t window_bytes) {
    return (window_bytes / STREAMS * 8 + OVERLAP_BITS + 64) / 2 + SLACK;
}

/* The first entry that is beyond `position`. */
static size_t first_beyond(const uint32_t *ends, size_t count, uint32_t position) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((ends[middle] & POSITION_MASK) > position) high = middle; else low = middle + 1;
    }
    return low;
}

typedef struct {
    uint32_t *ends;    /* the ends that are known to be true */
    stream stream;     /* the stream that continues them */
    uint32_t limit;    /* the end of the window's bits */
} true_blocks;

/* Continues the true stream alone. Returns 0 if it is at the end of the window. */
static int extend(stream_code *code, true_blocks *blocks, uint32_t bits) {
    uint32_t position = blocks->stream.sum & POSITION_MASK;
    if (position >= blocks->limit) return 0;
    blocks->stream.limit = blocks->limit - position < bits ? blocks->limit : position + bits;
    webimage_jt_run_streams(code, &blocks->stream, 1);
    return 1;
}

/* Looks for the first common block end and continues there with the blocks of `guess`. Returns 0 if there is none. */
static int join(stream_code *code, true_blocks *blocks, uint32_t start, const stream *guess, const uint32_t *guess_ends) {
    size_t guess_count = (size_t)(guess->ends - guess_ends), other = 0;
    size_t index = first_beyond(blocks->ends, (size_t)(blocks->stream.ends - blocks->ends), start);
    for (;;) {
        size_t count = (size_t)(blocks->stream.ends - blocks->ends);
        while (index < count && other < guess_count) {
            uint32_t position = blocks->ends[index] & POSITION_MASK, guessed = guess_ends[other] & POSITION_MASK;
            if (position < guessed) {
                index++;
            } else if (guessed < position) {
                other++;
            } else if (index % code->period == other % code->period) {
                size_t added = guess_count - (other + 1);
                uint32_t *target = blocks->ends + index + 1;
                memcpy(target, guess_ends + other + 1, added * sizeof *target);
                blocks->stream = *guess;
                blocks->stream.ends = target + added;
                return 1;
            } else {
                index++;
                other++;
            }
        }
        if (other == guess_count || !extend(code, blocks, OVERLAP_BITS)) return 0;
    }
}

size_t webimage_jt_find_blocks(
    decoder *decoder, stream_code *code, uint32_t position, uint32_t *ends, uint32_t *const guesses[STREAMS]) {
    size_t filled = decoder->window.filled;
    uint32_t limit = (uint32_t)filled * 8, starts[STREAMS + 1];
    int count = filled >= MIN_SPLIT_BYTES ? STREAMS : 1;
    stream streams[STREAMS];
    for (int index = 0; index < count; index++) starts[index] = (uint32_t)(filled * (size_t)index / STREAMS) * 8;
    starts[0] = position;
    starts[count] = limit;
    for (int index = 0; index < count; index++) {
        start_stream(code, &streams[index], starts[index], index == 0 ? ends : guesses[index]);
        uint32_t end = starts[index + 1];
        streams[index].limit = limit - end < OVERLAP_BITS ? limit : end + OVERLAP_BITS;
    }
    webimage_jt_run_streams(code, streams, count);

    true_blocks blocks = {.ends = ends, .stream = streams[0], .limit = limit};
    for (int index = 1; index < count; index++) {
        int is_joined = join(code, &blocks, starts[index], &streams[index], guesses[index]);
        decoder->work.joins += (uint64_t)is_joined;
        decoder->work.lost_streams += (uint64_t)!is_joined;
    }
    extend(code, &blocks, limit);
    /* The last blocks can be beyond the window's bits. */
    return first_beyond(ends, (size_t)(blocks.stream.ends - ends), limit);
}
