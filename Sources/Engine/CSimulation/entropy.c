// Random bytes: each node draws from a stream of its own, so that a draw in one never shifts another.
#define _GNU_SOURCE
#include "threads/threads.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t csim_draw(csim_stream *stream) {
    stream->draws++;
    uint64_t z = (stream->state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

uint64_t csim_draw_for_world(csim_stream *stream) {
    if (csim_current) csim_note_touch(csim_current, CSIM_TOUCH_WORLD, 0);
    return csim_draw(stream);
}

static uint64_t draw_here(csim_world *w) {
    csim_stream *of_static = csim_static_draws();
    if (of_static) return csim_draw(of_static);
    csim_note_touch(w, CSIM_TOUCH_DRAWS, w->current_node);
    return csim_draw(&w->node->entropy);
}

// FNV-1a (Fowler, Noll, Vo; RFC 9923).
uint64_t csim_hash_bytes(const void *bytes, size_t count) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const uint8_t *byte = bytes, *end = byte + count; byte < end; byte++) hash = (hash ^ *byte) * 0x100000001b3;
    return hash;
}

csim_stream csim_make_stream(uint64_t seed, const char *label) {
    // The hash keeps the streams of one seed apart; the first draw spreads seeds that are near each other.
    csim_stream stream = {seed ^ csim_hash_bytes(label, strlen(label)), 0};
    stream.state = csim_draw(&stream);
    stream.draws = 0;
    return stream;
}

static void fill(csim_world *w, void *buffer, size_t count) {
    uint8_t *bytes = buffer;
    while (count) {
        uint64_t word = draw_here(w);
        size_t part = count < sizeof word ? count : sizeof word;
        memcpy(bytes, &word, part);
        bytes += part;
        count -= part;
    }
}

ssize_t getrandom(void *buffer, size_t count, unsigned flags) {
    csim_world *w = csim_current;
    if (w) {
        fill(w, buffer, count);
        return (ssize_t)count;
    }
    __auto_type real = CSIM_NEXT(ssize_t(void *, size_t, unsigned), getrandom);
    return real(buffer, count, flags);
}

int getentropy(void *buffer, size_t count) {
    csim_world *w = csim_current;
    if (w && count <= 256) {
        fill(w, buffer, count);
        return 0;
    }
    __auto_type real = CSIM_NEXT(int(void *, size_t), getentropy);
    return real(buffer, count);
}

uint32_t arc4random(void) {
    csim_world *w = csim_current;
    if (w) return (uint32_t)(draw_here(w) >> 32);
    __auto_type real = CSIM_NEXT(uint32_t(void), arc4random);
    return real();
}

uint32_t arc4random_uniform(uint32_t bound) {
    csim_world *w = csim_current;
    if (!w) {
        __auto_type real = CSIM_NEXT(uint32_t(uint32_t), arc4random_uniform);
        return real(bound);
    }
    // 32 bits of chance, with a bias below bound / 2^32.
    return bound < 2 ? 0 : (uint32_t)(((draw_here(w) >> 32) * (uint64_t)bound) >> 32);
}

// MARK: The generators of stdlib.h, whose state is the process's; a seed that a program sets is not wanted

#define GENERATOR(type, name, value)                              \
    type name(void) {                                             \
        csim_world *w = csim_current;                             \
        if (w) return value(draw_here(w));                        \
        __auto_type real = CSIM_NEXT(type(void), name);           \
        return real();                                            \
    }

static int to_31_bits(uint64_t word) { return (int)(word >> 33); }
static long to_signed_32_bits(uint64_t word) { return (int32_t)(word >> 32); }
static double to_fraction(uint64_t word) { return (double)(word >> 11) * 0x1p-53; }

GENERATOR(int, rand, to_31_bits)
GENERATOR(long, random, to_31_bits)
GENERATOR(long, lrand48, to_31_bits)
GENERATOR(long, mrand48, to_signed_32_bits)
GENERATOR(double, drand48, to_fraction)

// MARK: The kernel's

void arc4random_buf(void *buffer, size_t count) {
    csim_world *w = csim_current;
    if (w) {
        fill(w, buffer, count);
        return;
    }
    __auto_type real = CSIM_NEXT(void(void *, size_t), arc4random_buf);
    real(buffer, count);
}

// swift-foundation draws a UUID through this shim; ours replaces it where the dynamic linker lets us.
__attribute__((weak)) void _foundation_uuid_generate_random(unsigned char *uuid) {
    getentropy(uuid, 16);
    uuid[6] = (uuid[6] & 0x0f) | 0x40;  // RFC 9562: version 4
    uuid[8] = (uuid[8] & 0x3f) | 0x80;  // and its variant
}

// swift-foundation and others ask the kernel directly.
long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_gettid) {
        // Swift's Mutex keeps the thread's number, in each image that uses one, and looks at it when it is unlocked: also in
        // a forked process, whose thread has another number.
        if (csim_self && csim_self->id) return csim_self->id;
        static _Thread_local long known;
        __auto_type real = CSIM_NEXT(long(long, ...), syscall);
        return known ? known : (known = real(number));
    }
    csim_world *w = csim_current;
    if (number == SYS_futex && csim_threads_world()) {
        bool is_answered;
        long answer = csim_futex(w, (uint32_t *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3], &is_answered);
        if (is_answered) return answer;
        __auto_type real = CSIM_NEXT(long(long, ...), syscall);
        long others = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        return others < 0 ? others : answer + others;
    }
    if (w && number == SYS_getrandom) {
        fill(w, (void *)a[0], (size_t)a[1]);
        return a[1];
    }
    __auto_type real = CSIM_NEXT(long(long, ...), syscall);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
