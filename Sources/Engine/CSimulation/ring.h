// Rings of what is ready; in a header, since the scheduler lives in them.
#pragma once

#include "world.h"
#include <stdlib.h>

// Memory that a simulation cannot do without: there is no sensible way on.
static inline void *grow(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes);
    if (!grown) abort();
    return grown;
}

static inline void ring_push(csim_ring *ring, csim_item item) {
    if (ring->count == ring->capacity) {
        uint32_t capacity = ring->capacity ? ring->capacity * 2 : 64;
        csim_item *items = grow(NULL, capacity * sizeof *items);
        for (uint32_t i = 0; i < ring->count; i++) {
            items[i] = ring->items[(ring->head + i) & (ring->capacity - 1)];
        }
        free(ring->items);
        *ring = (csim_ring){items, 0, ring->count, capacity};
    }
    ring->items[(ring->head + ring->count++) & (ring->capacity - 1)] = item;
}

static inline csim_item *ring_head(const csim_ring *ring) { return &ring->items[ring->head]; }

/// Takes the item at `index`; the oldest takes its place, so that index 0 is first in, first out.
static inline csim_item ring_take(csim_ring *ring, uint32_t index) {
    uint32_t mask = ring->capacity - 1;
    csim_item *chosen = &ring->items[(ring->head + index) & mask];
    csim_item item = *chosen;
    *chosen = ring->items[ring->head];
    ring->head = (ring->head + 1) & mask;
    ring->count--;
    return item;
}
