// What can be chosen as the next step, and queues of it.
#pragma once

#include "CSimulation.h"
#include "memory.h"

typedef struct {
    void *payload;        // a Job, or the context of `call`; in the token of a node's main queue, where its slot is kept
    union {
        csim_call call;   // of a CSIM_STEP_EVENT
        uintptr_t touch;  // of all others: the actor that the step will run on, or 0; only ever compared
    };
    csim_task *task;      // the task that goes on, as far as is known; NULL otherwise
    uint32_t epoch;
    uint32_t cause;       // the step that made it
    uint32_t priority;    // for strategies that have some
    uint32_t node;
    uint8_t kind;         // csim_step_kind, or CSIM_SLEEP in a timer
} csim_item;

enum { CSIM_SLEEP = 4 };  // the payload is a csim_sleeper

/// A first-in first-out ring; the capacity is a power of two.
typedef struct {
    csim_item *items;
    uint32_t head, count, capacity;
} csim_ring;

static inline csim_item *csim_ring_at(const csim_ring *ring, uint32_t index) {
    return &ring->items[(ring->head + index) & (ring->capacity - 1)];
}

static inline void csim_ring_push(csim_ring *ring, csim_item item) {
    if (ring->count == ring->capacity) {
        uint32_t capacity = ring->capacity ? ring->capacity * 2 : 64;
        csim_item *items = csim_grow(NULL, capacity * sizeof *items);
        for (uint32_t i = 0; i < ring->count; i++) items[i] = *csim_ring_at(ring, i);
        free(ring->items);
        *ring = (csim_ring){items, 0, ring->count, capacity};
    }
    *csim_ring_at(ring, ring->count++) = item;
}

/// Takes the oldest item.
static inline csim_item csim_ring_take(csim_ring *ring) {
    csim_item item = *csim_ring_at(ring, 0);
    ring->head = (ring->head + 1) & (ring->capacity - 1);
    ring->count--;
    return item;
}
