// A strategy: how the next step is chosen where several are ready.
//
// Each is a value of this type in a file of its own in strategies/, with what it keeps for one run in a structure of its
// own. See Documentation/Decisions/0013 for why they are C.
#pragma once

#include "world.h"

struct csim_strategy_type {
    /// Size of what it keeps for a run, which begins as zeros.
    size_t state_size;
    /// Prepares a run; may be NULL, like all that follow but `choose`.
    void (*begin)(csim_world *, void *state);
    /// A step will become ready, or be queued on a main actor: a strategy with priorities gives it one.
    void (*prepare)(csim_world *, void *state, csim_item *item);
    /// A step has become ready.
    void (*added)(csim_world *, void *state, uint32_t slot);
    /// The step in a slot is about to run.
    void (*taken)(csim_world *, void *state, uint32_t slot);
    /// Slots mean nothing any more, or all priorities have changed: what is remembered of ready steps must be made again.
    void (*rebuild)(csim_world *, void *state);
    /// Returns the slot of one of at least two ready steps.
    uint32_t (*choose)(csim_world *, void *state);
    /// Returns the slot that `choose` will return next if the step that was just taken becomes ready again and no other
    /// does; CSIM_NO_SLOT where that is this step, or not easily known. Only a hint, to fetch memory early.
    uint32_t (*foresee)(const csim_world *, const void *state);
    /// Chance is drawn again from here on.
    void (*reseed)(csim_world *, void *state);
    /// A task has left an actor, by number, perhaps in the middle of a method; 0 takes the note back.
    void (*leave)(csim_world *, void *state, csim_task *task, uint32_t actor);
    /// Frees what the state holds.
    void (*end)(void *state);
};

extern const csim_strategy_type csim_fifo, csim_random, csim_replay, csim_priorities, csim_partial_order, csim_reentrant,
    csim_asking, csim_run_until_blocked, csim_sticky, csim_following;

static inline uint32_t csim_draw_from_below(csim_stream *stream, uint32_t count) {
    return (uint32_t)(((csim_draw(stream) >> 32) * (uint64_t)count) >> 32);
}

/// A number in 0..<count of the stream of the schedule.
static inline uint32_t csim_draw_below(csim_world *w, uint32_t count) { return csim_draw_from_below(&w->schedule, count); }

/// The slot that is drawn next of all ready steps and one more, the youngest; see `foresee`.
static inline uint32_t csim_foresee_any(const csim_world *w) {
    csim_stream stream = w->schedule;
    uint32_t place = csim_draw_from_below(&stream, w->ready.count + 1);
    return place < w->ready.count ? csim_ready_slot(&w->ready, place) : CSIM_NO_SLOT;
}

static inline csim_item *csim_ready_item(csim_world *w, uint32_t slot) { return &w->ready.items[slot]; }

/// The step that a main-queue token stands for; others stand for themselves.
static inline csim_item *csim_behind_token(csim_world *w, csim_item *item) {
    if (item->kind != CSIM_STEP_MAIN || !item->payload) return item;
    csim_ring *main = &w->nodes[item->node]->main;
    return main->count ? csim_ring_at(main, 0) : item;
}

csim_ready csim_describe(csim_world *, uint32_t slot);

/// The slot of the task that ran last, or else of the oldest step.
uint32_t csim_stay(csim_world *);
/// Notes that a choice could not be made as wanted.
void csim_depart(csim_world *, uint64_t choice, csim_choice wanted, uint32_t taken);
/// The steps that a task has run; needs w->counting_steps.
uint32_t csim_steps_of(const csim_world *, uint32_t task);

// MARK: Heaps of ready steps by priority

typedef struct {
    uint32_t priority, slot;
} csim_priority;

/// The ready step of highest priority is first; of equal ones the oldest.
typedef struct {
    csim_priority *entries;
    uint32_t *places;  // by slot
    uint32_t count, capacity;
} csim_priority_heap;

void csim_heap_add(csim_world *, csim_priority_heap *, uint32_t slot);
void csim_heap_remove(csim_priority_heap *, uint32_t slot);
/// The priority of the step in that slot has changed.
void csim_heap_update(csim_world *, csim_priority_heap *, uint32_t slot);
void csim_heap_rebuild(csim_world *, csim_priority_heap *);
void csim_heap_free(csim_priority_heap *);
