// Vectors of 16 bytes, which every x86_64 has: also a debug build converts a picture within its period.
#include "CV4L2.h"

#include <emmintrin.h>

// From limited to full range, ITU-R BT.601: Y' = (Y - 16) * 255 / 219 and C' = (C - 128) * 255 / 224 + 128. What exceeds the
// value itself is computed with six binary places: the factors are 0.164384 * 2^15 and 0.138393 * 2^15.
enum { LUMA_EXCESS = 5387, CHROMA_EXCESS = 4535 };

static inline __m128i spread(__m128i value, int excess) {
    __m128i part = _mm_mulhi_epi16(_mm_slli_epi16(value, 7), _mm_set1_epi16((short)excess));
    return _mm_add_epi16(value, _mm_srai_epi16(_mm_add_epi16(part, _mm_set1_epi16(32)), 6));
}

static inline int spread_one(int value, int excess) {
    int part = (value * 128 * excess) >> 16;
    return value + ((part + 32) >> 6);
}

static inline uint8_t clamped(int value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

static inline uint8_t luma_one(uint8_t value, int expands) {
    return expands ? clamped(spread_one(value - 16, LUMA_EXCESS)) : value;
}

static inline uint8_t chroma_one(uint8_t value, int expands) {
    return expands ? clamped(spread_one(value - 128, CHROMA_EXCESS) + 128) : value;
}

/// Sixteen values of luma that stand in the low bytes of two vectors of 16-bit numbers.
static inline __m128i luma(__m128i low, __m128i high, int expands) {
    if (expands) {
        __m128i black = _mm_set1_epi16(16);
        low = spread(_mm_sub_epi16(low, black), LUMA_EXCESS);
        high = spread(_mm_sub_epi16(high, black), LUMA_EXCESS);
    }
    return _mm_packus_epi16(low, high);
}

/// Eight 16-bit values of chroma.
static inline __m128i chroma(__m128i values, int expands) {
    if (!expands) return values;
    __m128i middle = _mm_set1_epi16(128);
    return _mm_add_epi16(spread(_mm_sub_epi16(values, middle), CHROMA_EXCESS), middle);
}

static void row_of_luma(const uint8_t *source, uint8_t *target, size_t width, size_t step, int expands) {
    size_t x = 0;
    __m128i bytes = _mm_set1_epi16(0xff);
    if (step == 2) {
        for (; x + 16 <= width; x += 16) {
            __m128i low = _mm_loadu_si128((const __m128i *)(source + 2 * x));
            __m128i high = _mm_loadu_si128((const __m128i *)(source + 2 * x + 16));
            __m128i all = luma(_mm_and_si128(low, bytes), _mm_and_si128(high, bytes), expands);
            _mm_storeu_si128((__m128i *)(target + x), all);
        }
    } else {
        __m128i zero = _mm_setzero_si128();
        for (; x + 16 <= width; x += 16) {
            __m128i all = _mm_loadu_si128((const __m128i *)(source + x));
            all = luma(_mm_unpacklo_epi8(all, zero), _mm_unpackhi_epi8(all, zero), expands);
            _mm_storeu_si128((__m128i *)(target + x), all);
        }
    }
    for (; x < width; x++) target[x] = luma_one(source[step * x], expands);
}

/// Cb and Cr by turns, as 16-bit numbers, to one row of each; `pairs` of them.
static inline void store_chroma(__m128i low, __m128i high, uint8_t *cb, uint8_t *cr, int expands) {
    __m128i bytes = _mm_set1_epi16(0xff);
    __m128i blue = _mm_packus_epi16(chroma(_mm_and_si128(low, bytes), expands), chroma(_mm_and_si128(high, bytes), expands));
    __m128i red = _mm_packus_epi16(chroma(_mm_srli_epi16(low, 8), expands), chroma(_mm_srli_epi16(high, 8), expands));
    _mm_storeu_si128((__m128i *)cb, blue);
    _mm_storeu_si128((__m128i *)cr, red);
}

void cv4l2_yuyv_to_i420(
    const uint8_t *source, size_t stride, uint8_t *target, size_t width, size_t height, int expands) {
    size_t half = width / 2, rows = (height + 1) / 2;
    uint8_t *cb = target + width * height, *cr = cb + half * rows;
    for (size_t y = 0; y < height; y++) row_of_luma(source + y * stride, target + y * width, width, 2, expands);
    for (size_t y = 0; y < rows; y++, cb += half, cr += half) {
        const uint8_t *upper = source + 2 * y * stride;
        const uint8_t *lower = 2 * y + 1 < height ? upper + stride : upper;
        size_t x = 0;
        for (; x + 16 <= half; x += 16) {
            __m128i parts[4];
            for (int part = 0; part < 4; part++) {
                __m128i mean = _mm_avg_epu8(
                    _mm_loadu_si128((const __m128i *)(upper + 4 * x + 16 * part)),
                    _mm_loadu_si128((const __m128i *)(lower + 4 * x + 16 * part)));
                parts[part] = _mm_srli_epi16(mean, 8);
            }
            store_chroma(_mm_packus_epi16(parts[0], parts[1]), _mm_packus_epi16(parts[2], parts[3]), cb + x, cr + x, expands);
        }
        for (; x < half; x++) {
            cb[x] = chroma_one((uint8_t)((upper[4 * x + 1] + lower[4 * x + 1] + 1) / 2), expands);
            cr[x] = chroma_one((uint8_t)((upper[4 * x + 3] + lower[4 * x + 3] + 1) / 2), expands);
        }
    }
}

void cv4l2_nv12_to_i420(
    const uint8_t *source, size_t stride, uint8_t *target, size_t width, size_t height, int expands) {
    size_t half = width / 2, rows = (height + 1) / 2;
    uint8_t *cb = target + width * height, *cr = cb + half * rows;
    for (size_t y = 0; y < height; y++) row_of_luma(source + y * stride, target + y * width, width, 1, expands);
    for (size_t y = 0; y < rows; y++, cb += half, cr += half) {
        const uint8_t *both = source + (height + y) * stride;
        size_t x = 0;
        for (; x + 16 <= half; x += 16)
            store_chroma(
                _mm_loadu_si128((const __m128i *)(both + 2 * x)), _mm_loadu_si128((const __m128i *)(both + 2 * x + 16)),
                cb + x, cr + x, expands);
        for (; x < half; x++) {
            cb[x] = chroma_one(both[2 * x], expands);
            cr[x] = chroma_one(both[2 * x + 1], expands);
        }
    }
}
