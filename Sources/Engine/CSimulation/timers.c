#include "timers.h"

/// Without branches, which would be guessed wrongly half of the time.
static bool earlier(const csim_timer *a, const csim_timer *b) {
    return (a->time_ns < b->time_ns) | ((a->time_ns == b->time_ns) & (a->order < b->order));
}

void csim_timer_push(csim_timers *timers, int64_t time_ns, csim_item item) {
    if (timers->count == timers->capacity) {
        timers->capacity = timers->capacity ? timers->capacity * 2 : 64;
        timers->heap = csim_grow(timers->heap, timers->capacity * sizeof *timers->heap);
    }
    csim_timer timer = {time_ns, timers->order++, item};
    uint32_t hole = timers->count++;
    while (hole) {
        uint32_t parent = (hole - 1) / 4;
        if (!earlier(&timer, &timers->heap[parent])) break;
        timers->heap[hole] = timers->heap[parent];
        hole = parent;
    }
    timers->heap[hole] = timer;
}

/// Puts a timer where a hole is, or below.
static void sink(csim_timers *timers, uint32_t hole, csim_timer timer) {
    csim_timer *heap = timers->heap;
    uint32_t count = timers->count;
    for (;;) {
        uint32_t child = 4 * hole + 1, best = child;
        if (child >= count) break;
        uint32_t end = child + 4 < count ? child + 4 : count;
        for (uint32_t other = child + 1; other < end; other++) {
            best = __builtin_unpredictable(earlier(&heap[other], &heap[best])) ? other : best;
        }
        if (!earlier(&heap[best], &timer)) break;
        heap[hole] = heap[best];
        hole = best;
    }
    heap[hole] = timer;
}

csim_timer csim_timer_pop(csim_timers *timers) {
    csim_timer first = timers->heap[0], last = timers->heap[--timers->count];
    if (timers->count) sink(timers, 0, last);
    return first;
}

void csim_timer_compact(csim_timers *timers, bool (*is_dead)(const csim_timer *)) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < timers->count; i++) {
        if (!is_dead(&timers->heap[i])) timers->heap[kept++] = timers->heap[i];
    }
    timers->count = kept;
    for (uint32_t i = kept / 4 + 1; i--;) {
        if (i < kept) sink(timers, i, timers->heap[i]);
    }
}
