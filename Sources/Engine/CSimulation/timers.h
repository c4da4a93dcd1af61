// Timers: a heap with four children a node, ordered by time, then age.
#pragma once

#include "items.h"

typedef struct {
    int64_t time_ns;
    uint64_t order;  // breaks ties by age
    csim_item item;
} csim_timer;

typedef struct {
    csim_timer *heap;
    uint32_t count, capacity;
    uint64_t order;
    uint32_t dead;  // sleeps in it that were cancelled, about
} csim_timers;

void csim_timer_push(csim_timers *, int64_t time_ns, csim_item);
/// Leaves out those for which `is_dead` says so.
void csim_timer_compact(csim_timers *, bool (*is_dead)(const csim_timer *));
/// Takes the first; there must be one.
csim_timer csim_timer_pop(csim_timers *);
