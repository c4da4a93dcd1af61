#include "timers.h"

static bool earlier(const csim_timer *a, const csim_timer *b) {
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
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

csim_timer csim_timer_pop(csim_timers *timers) {
    csim_timer *heap = timers->heap, first = heap[0], last = heap[--timers->count];
    uint32_t count = timers->count, hole = 0;
    for (;;) {
        uint32_t child = 4 * hole + 1, best = child;
        if (child >= count) break;
        uint32_t end = child + 4 < count ? child + 4 : count;
        for (uint32_t other = child + 1; other < end; other++) {
            if (earlier(&heap[other], &heap[best])) best = other;
        }
        if (!earlier(&heap[best], &last)) break;
        heap[hole] = heap[best];
        hole = best;
    }
    if (count) heap[hole] = last;
    return first;
}
