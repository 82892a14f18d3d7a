#include "thumbnail.h"

/* The loop that this library exists for. It finds the end of each block without decoding coefficients: a table entry
   describes all whole symbols in the next 11 bits. Two properties make it fast. No branch depends on the data, except
   for rare symbols. Several streams run in one thread, so that the processor loads the table entry of one stream while it
   waits for the entry of another. */

#define SELDOM_CALLED __attribute__((noinline, cold))

/* Decodes one symbol. Returns the new sum with BLOCK_END if the symbol ends the block, and additionally with
   SLOW_OR_INVALID if the code is invalid. After an invalid code the stream continues a byte later: a stream that started
   at a guess is allowed to meet invalid codes before it joins. */
static SELDOM_CALLED uint32_t slow_symbol(stream_code *code, uint32_t sum, const uint32_t *table) {
    uint32_t position = sum & POSITION_MASK, coefficient = sum >> 24;
    size_t pair = (size_t)(table - code->groups) / (2 * GROUP_SIZE);
    const symbol_table *symbols = coefficient == 0 ? code->dc[pair] : code->ac[pair];
    unsigned entry = next_symbol(symbols, bits_at(code->bytes, position));
    unsigned length = entry >> 8, symbol = entry & 255;
    code->slow_symbols++;
    if (entry == 0) return (position + 8) | BLOCK_END | SLOW_OR_INVALID;
    if (coefficient == 0) return (position + length + symbol) | 1u << 24;
    unsigned run = symbol >> 4, size = symbol & 15;
    if (size == 0 && run != 15) return (position + length) | BLOCK_END;
    position += length + size;
    coefficient += run + 1;
    if (coefficient < 64) return position | coefficient << 24;
    /* The last coefficient ends the block without a symbol for the end. A run of zeros must not reach so far. */
    return position | BLOCK_END | (coefficient > 64 || size == 0 ? SLOW_OR_INVALID : 0);
}

/* `at` is the number of the current block behind the first one of an MCU. */
#define ENTER(i)                              \
    uint32_t sum##i = streams[i]->sum;        \
    const uint32_t *table##i = streams[i]->table; \
    const size_t first##i = streams[i]->phase; \
    size_t at##i = first##i;                  \
    uint64_t bits##i;

#define REFILL(i) bits##i = bits_at(bytes, sum##i & POSITION_MASK);

/* The end of the block is stored in every step; the last store of a block is the right one. The ends are first stored at constant
   distances from the tables, so that a stream needs fewer registers. `is_end` is 0 or 1: an index and a mask, because compilers make
   more instructions of two selections. */
#define STEP(i)                                                                         \
    {                                                                                   \
        uint32_t entry = table##i[bits##i >> (64 - GROUP_BITS)];                        \
        sum##i += entry;                                                                \
        bits##i <<= entry & 63;                                                         \
        if (__builtin_expect((sum##i & SLOW_OR_INVALID) != 0, 0)) {                     \
            sum##i = slow_symbol(code, sum##i - entry, table##i);                       \
            bits##i = bits_at(bytes, sum##i & POSITION_MASK);                           \
        }                                                                               \
        code->found[i][at##i] = sum##i;                                                 \
        uint32_t is_end = sum##i >> 31;                                                 \
        table##i = code->next[2 * at##i + is_end];                                      \
        sum##i &= POSITION_MASK | (is_end - 1);                                         \
        at##i += is_end;                                                                \
    }

#define LEAVE(i)                                                                                \
    streams[i]->sum = sum##i;                                                                   \
    streams[i]->table = table##i;                                                               \
    memcpy(streams[i]->ends, code->found[i] + first##i, (at##i - first##i) * sizeof(uint32_t)); \
    streams[i]->ends += at##i - first##i;                                                       \
    streams[i]->phase = (uint32_t)(at##i % code->period);

#define ONE(M) M(0)
#define TWO(M) M(0) M(1)
#define THREE(M) M(0) M(1) M(2)
#define FOUR(M) M(0) M(1) M(2) M(3)

#define RUN(name, ALL)                                                                                      \
    static inline __attribute__((always_inline)) void name(                                                 \
        stream_code *code, stream *const *streams, size_t rounds) {                                         \
        const uint8_t *const bytes = code->bytes;                                                           \
        ALL(ENTER)                                                                                          \
        for (; rounds > 0; rounds--) { ALL(REFILL) ALL(STEP) ALL(STEP) ALL(STEP) }                          \
        ALL(LEAVE)                                                                                          \
    }

RUN(run_one, ONE)
RUN(run_two, TWO)
RUN(run_three, THREE)
RUN(run_four, FOUR)

static void run(stream_code *code, stream *const *streams, int count, size_t rounds) {
    code->rounds += rounds * (size_t)count;
    switch (count) {
        case 1: run_one(code, streams, rounds); break;
        case 2: run_two(code, streams, rounds); break;
        case 3: run_three(code, streams, rounds); break;
        default: run_four(code, streams, rounds); break;
    }
}

/* The number of rounds after which the stream has reached its limit at the earliest. */
static size_t rounds_left(const stream *stream) {
    uint32_t position = stream->sum & POSITION_MASK;
    return position >= stream->limit ? 0 : (stream->limit - position) / MAX_ROUND_BITS + 1;
}

void webimage_jt_run_some(stream_code *code, stream *const *streams, int count) {
    for (;;) {
        size_t rounds = ROUNDS_IN_BATCH;
        for (int index = 0; index < count; index++) {
            size_t left = rounds_left(streams[index]);
            if (left < rounds) rounds = left;
        }
        if (rounds == 0) return;
        run(code, streams, count, rounds);
    }
}

void webimage_jt_run_streams(stream_code *code, stream *streams, int count) {
    stream *running[STREAMS];
    for (int index = 0; index < count; index++) running[index] = &streams[index];
    for (;;) {
        int left = 0;
        for (int index = 0; index < count; index++)
            if (rounds_left(running[index]) > 0) running[left++] = running[index];
        count = left;
        if (count == 0) return;
        webimage_jt_run_some(code, running, count);
    }
}
