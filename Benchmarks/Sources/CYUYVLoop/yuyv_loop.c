// YUYV to JPEG by TurboJPEG and nothing else: what the product's path is compared with.
#include "yuyv_loop.h"

#include <stdlib.h>
#include <turbojpeg.h>

struct yuyv_loop {
    size_t width, height;
    uint8_t *planes[3];
    tjhandle handle;
    unsigned char *file;
    unsigned long capacity;
};

yuyv_loop *yuyv_loop_make(size_t width, size_t height) {
    yuyv_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->width = width;
    loop->height = height;
    for (int plane = 0; plane < 3; plane++) loop->planes[plane] = malloc(width * height / (plane ? 4 : 1));
    loop->handle = tjInitCompress();
    loop->capacity = tjBufSize((int)width, (int)height, TJSAMP_420);
    loop->file = tjAlloc((int)loop->capacity);
    if (loop->planes[0] && loop->planes[1] && loop->planes[2] && loop->handle && loop->file) return loop;
    yuyv_loop_free(loop);
    return NULL;
}

void yuyv_loop_free(yuyv_loop *loop) {
    for (int plane = 0; plane < 3; plane++) free(loop->planes[plane]);
    if (loop->handle) tjDestroy(loop->handle);
    tjFree(loop->file);
    free(loop);
}

// From limited to full range, ITU-R BT.601.
static inline uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }
static inline uint8_t luma(int value) { return clamped(((value - 16) * 1192 + 512) >> 10); }
static inline uint8_t chroma(int value) { return clamped((((value - 128) * 1166 + 512) >> 10) + 128); }

// The compiler makes vector instructions of both loops.
static void planar(const yuyv_loop *loop, const uint8_t *restrict picture) {
    size_t width = loop->width, half = width / 2;
    for (size_t row = 0; row < loop->height; row++) {
        const uint8_t *restrict from = picture + row * 2 * width;
        uint8_t *restrict to = loop->planes[0] + row * width;
        for (size_t x = 0; x < width; x++) to[x] = luma(from[2 * x]);
    }
    for (size_t row = 0; row < loop->height / 2; row++) {
        const uint8_t *restrict upper = picture + row * 4 * width;
        const uint8_t *restrict lower = upper + 2 * width;
        uint8_t *restrict cb = loop->planes[1] + row * half, *restrict cr = loop->planes[2] + row * half;
        for (size_t x = 0; x < half; x++) {
            cb[x] = chroma((upper[4 * x + 1] + lower[4 * x + 1] + 1) >> 1);
            cr[x] = chroma((upper[4 * x + 3] + lower[4 * x + 3] + 1) >> 1);
        }
    }
}

size_t yuyv_loop_encode(yuyv_loop *loop, const uint8_t *picture, int quality) {
    planar(loop, picture);
    const unsigned char *planes[3] = {loop->planes[0], loop->planes[1], loop->planes[2]};
    unsigned long count = loop->capacity;
    int status = tjCompressFromYUVPlanes(
        loop->handle, planes, (int)loop->width, NULL, (int)loop->height, TJSAMP_420, &loop->file, &count, quality,
        TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT);
    return status == 0 ? count : 0;
}
