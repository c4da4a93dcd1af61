#ifndef YUYV_LOOP_H
#define YUYV_LOOP_H

#include <stddef.h>
#include <stdint.h>

/// What a program in C keeps from one picture to the next.
typedef struct yuyv_loop yuyv_loop;

/// Makes one for pictures of even width and height; `NULL` without memory.
yuyv_loop *yuyv_loop_make(size_t width, size_t height);
void yuyv_loop_free(yuyv_loop *loop);

/// Encodes YUYV without padding as a JPEG file with 4:2:0 and the accurate DCT; returns its bytes, or 0 when that fails.
size_t yuyv_loop_encode(yuyv_loop *loop, const uint8_t *picture, int quality);

#endif
