// Fetching memory early, for the scheduler's loop.
//
// Of thousands of tasks that run in no order most are in no cache, and one miss after the other would take most of a step's
// time. What the next step reads is fetched while this one runs, each pointer one stage before what it points to.
#pragma once

#include "strategy.h"

enum { MANY = 512, LINE = 64, JOB_LINES = 6, TASK_LINES = 16 };

static inline void fetch_lines(const void *start, int lines) {
    if (!start) return;
    for (int i = 0; i < lines; i++) __builtin_prefetch((const char *)start + i * LINE);
}

/// The ready step in a slot; NULL where there is none any more.
static inline const csim_item *expected(const csim_world *w, uint32_t slot) {
    return csim_ready_holds(&w->ready, slot) ? &w->ready.items[slot] : NULL;
}

/// First stage: returns the slot that will be chosen next, as far as that is known.
static inline uint32_t foresee(const csim_world *w) {
    const csim_strategy_type *strategy = w->decisions.strategy;
    if (w->ready.count < MANY || !strategy->foresee || w->unwinding) return CSIM_NO_SLOT;
    uint32_t slot = strategy->foresee(w, w->decisions.state);
    if (slot != CSIM_NO_SLOT) {
        // An item may lie in two lines.
        __builtin_prefetch(&w->ready.items[slot]);
        __builtin_prefetch(&w->ready.items[slot] + 1);
    }
    return slot;
}

/// Second stage.
static inline void fetch_job(const csim_world *w, uint32_t slot) {
    const csim_item *item = expected(w, slot);
    if (!item) return;
    fetch_lines(item->payload, JOB_LINES);
    fetch_lines(item->task, (sizeof *item->task + LINE - 1) / LINE);
}

/// Third stage.
static inline void fetch_task(const csim_world *w, uint32_t slot) {
    const csim_item *item = expected(w, slot);
    if (item && item->task) fetch_lines(item->task->object, TASK_LINES);
}
