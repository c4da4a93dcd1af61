#include "CBase64.h"

#if defined(__x86_64__)

#include <immintrin.h>

// W. Muła, D. Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions" (ACM Transactions on the Web, 2018), section 5.
__attribute__((target("avx2")))
static size_t decode_avx2(const uint8_t *text, size_t count, uint8_t *bytes) {
    // Each half of a byte is a bit set of the groups of characters that it can belong to; where both sets have a bit in common, the
    // byte is no character of the alphabet.
    const __m256i low_table = _mm256_setr_epi8(
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A,
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A);
    const __m256i high_table = _mm256_setr_epi8(
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    // From a character to its value, by the high half of the character; the slash has the place before that of its neighbours.
    const __m256i offset_table = _mm256_setr_epi8(
        0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i slash = _mm256_set1_epi8('/');
    const __m256i half = _mm256_set1_epi8(0x0F);
    // Three bytes of each four, the highest first.
    const __m256i order = _mm256_setr_epi8(
        2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,
        2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    const __m256i together = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, -1, -1);

    size_t done = 0;
    // 32 characters are 24 bytes; the last 8 of those that are written are still in the room for the last 32 characters.
    while (count - done >= 64) {
        __m256i characters = _mm256_loadu_si256((const __m256i *)(text + done));
        __m256i high = _mm256_and_si256(_mm256_srli_epi32(characters, 4), half);
        __m256i low = _mm256_and_si256(characters, half);
        if (!_mm256_testz_si256(_mm256_shuffle_epi8(low_table, low), _mm256_shuffle_epi8(high_table, high))) break;
        __m256i place = _mm256_add_epi8(_mm256_cmpeq_epi8(characters, slash), high);
        __m256i values = _mm256_add_epi8(characters, _mm256_shuffle_epi8(offset_table, place));
        // Two of 6 bits are one of 12, and two of those one of 24.
        __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
        __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
        __m256i packed = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, order), together);
        _mm256_storeu_si256((__m256i *)(bytes + done / 4 * 3), packed);
        done += 32;
    }
    return done;
}

size_t cbase64_decode_blocks(const uint8_t *text, size_t count, uint8_t *bytes) {
    return __builtin_cpu_supports("avx2") ? decode_avx2(text, count, bytes) : 0;
}

#else

size_t cbase64_decode_blocks(const uint8_t *text, size_t count, uint8_t *bytes) {
    (void)text, (void)count, (void)bytes;
    return 0;
}

#endif
