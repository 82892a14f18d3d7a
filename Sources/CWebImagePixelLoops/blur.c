#include "CWebImagePixelLoops.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The number of sums that are in use at the same time. The sums fit into the first cache level. */
#define BLOCK 256

static uint8_t weighted(int32_t sum) {
    int32_t value = sum >> WEBIMAGE_WEIGHT_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

#if defined(__SSE2__)
/* The weighted sums of 16 bytes. SSE2 has no product of 32-bit numbers, but one that adds two products of 16-bit
   numbers. Therefore two lines are read at a time. */
static void weigh_16(const uint8_t *const *lines, const int16_t *weights, size_t count, size_t start, uint8_t *target) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i half = _mm_set1_epi32(1 << (WEBIMAGE_WEIGHT_BITS - 1));
    __m128i sums[4] = {half, half, half, half};
    for (size_t line = 0; line < count; line += 2) {
        int isLast = line + 1 == count;
        __m128i one = _mm_loadu_si128((const __m128i *)(lines[line] + start));
        __m128i other = isLast ? zero : _mm_loadu_si128((const __m128i *)(lines[line + 1] + start));
        uint32_t pair = (uint16_t)weights[line] | (uint32_t)(uint16_t)(isLast ? 0 : weights[line + 1]) << 16;
        __m128i both = _mm_set1_epi32((int32_t)pair);
        __m128i low = _mm_unpacklo_epi8(one, other), high = _mm_unpackhi_epi8(one, other);
        sums[0] = _mm_add_epi32(sums[0], _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), both));
        sums[1] = _mm_add_epi32(sums[1], _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), both));
        sums[2] = _mm_add_epi32(sums[2], _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), both));
        sums[3] = _mm_add_epi32(sums[3], _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), both));
    }
    for (int i = 0; i < 4; i++) sums[i] = _mm_srai_epi32(sums[i], WEBIMAGE_WEIGHT_BITS);
    __m128i words = _mm_packs_epi32(sums[0], sums[1]), more = _mm_packs_epi32(sums[2], sums[3]);
    _mm_storeu_si128((__m128i *)(target + start), _mm_packus_epi16(words, more));
}
#endif

void webimage_weighted_sum(
    const uint8_t *const *lines, const int16_t *weights, size_t count, uint8_t *target, size_t bytes) {
    size_t start = 0;
#if defined(__SSE2__)
    for (; start + 16 <= bytes; start += 16) weigh_16(lines, weights, count, start, target);
#endif
    for (; start < bytes; start += BLOCK) {
        size_t length = bytes - start < BLOCK ? bytes - start : BLOCK;
        int32_t sums[BLOCK];
        for (size_t i = 0; i < length; i++) sums[i] = 1 << (WEBIMAGE_WEIGHT_BITS - 1);
        for (size_t line = 0; line < count; line++) {
            const uint8_t *source = lines[line] + start;
            int32_t weight = weights[line];
            for (size_t i = 0; i < length; i++) sums[i] += weight * source[i];
        }
        for (size_t i = 0; i < length; i++) target[start + i] = weighted(sums[i]);
    }
}

void webimage_add_row(int32_t *sums, const uint8_t *row, size_t count, int32_t factor) {
    for (size_t i = 0; i < count; i++) sums[i] += factor * row[i];
}

void webimage_move_sums(int32_t *sums, const uint8_t *next, const uint8_t *last, size_t count) {
    for (size_t i = 0; i < count; i++) sums[i] += next[i] - last[i];
}

/* The four channels of a pixel. */
typedef int32_t channels __attribute__((vector_size(16)));
typedef float shares __attribute__((vector_size(16)));
typedef uint8_t pixel __attribute__((vector_size(4)));

static channels at(const int32_t *sums, size_t x) {
    channels value;
    memcpy(&value, sums + 4 * x, sizeof value);
    return value;
}

void webimage_box_means(const int32_t *sums, uint8_t *target, size_t width, size_t reach) {
    float side = (float)(2 * reach + 1), share = 1.0f / (side * side);
    channels sum = at(sums, 0) * (int32_t)(reach + 1);
    for (size_t x = 1; x <= reach; x++) sum += at(sums, x < width ? x : width - 1);
    for (size_t x = 0; x < width; x++) {
        shares mean = __builtin_convertvector(sum, shares) * share + 0.5f;
        pixel bytes = __builtin_convertvector(__builtin_convertvector(mean, channels), pixel);
        memcpy(target + 4 * x, &bytes, sizeof bytes);
        sum += at(sums, x + reach + 1 < width ? x + reach + 1 : width - 1) - at(sums, x > reach ? x - reach : 0);
    }
}

void webimage_unsharp_row(const uint8_t *blurred, uint8_t *pixels, size_t width, float amount) {
    for (size_t x = 0; x < width; x++) {
        float limit = 255;
        /* Alpha is the last byte of a pixel. A premultiplied colour is not larger than alpha. */
        for (int channel = 3; channel >= 0; channel--) {
            float value = pixels[4 * x + channel];
            value += amount * (value - blurred[4 * x + channel]);
            value = value < 0 ? 0 : value > limit ? limit : value;
            pixels[4 * x + channel] = (uint8_t)(value + 0.5f);
            if (channel == 3) limit = pixels[4 * x + 3];
        }
    }
}
