// The steps that are ready, in the order in which they became so.
//
// Steps lie in slots, in order of arrival. A step that is taken leaves a hole; holes go when the list is full. A tree of
// counts (Fenwick 1994) over words of 64 slots finds the n-th step, and the place of a step, in O(log n).
#pragma once

#include "items.h"

/// No slot.
enum { CSIM_NO_SLOT = UINT32_MAX };

typedef struct {
    csim_item *items;   // by slot
    uint64_t *present;  // one bit a slot
    uint32_t *counts;   // the tree, by word; empty while there is but one word
    uint32_t count;     // of steps
    uint32_t end;       // the first slot that was never used since the holes went
    uint32_t capacity;  // a power of two, at least 64; 0 at first
} csim_ready_list;

/// Adds a step behind all others and returns its slot.
///
/// `moved` is set when slots have changed: slots that the caller remembers then mean nothing any more, but for the slots
/// in the records of tasks and of main queues, which are kept right.
uint32_t csim_ready_push(csim_ready_list *, csim_item, bool *moved);
/// Takes the step out of a slot.
csim_item csim_ready_take(csim_ready_list *, uint32_t slot);
/// Whether the slot has a step; any number is allowed.
static inline bool csim_ready_holds(const csim_ready_list *list, uint32_t slot) {
    return slot < list->end && list->present[slot / 64] >> slot % 64 & 1;
}
/// The slot of the step at a place, from 0, the one that has waited longest.
uint32_t csim_ready_slot(const csim_ready_list *, uint32_t place);
/// The place of the step in a slot.
uint32_t csim_ready_place(const csim_ready_list *, uint32_t slot);
/// The first slot from here on that has a step; CSIM_NO_SLOT when there is none.
uint32_t csim_ready_next(const csim_ready_list *, uint32_t slot);
void csim_ready_free(csim_ready_list *);

#define CSIM_EACH_READY(list, slot) \
    for (uint32_t slot = csim_ready_next(list, 0); slot != CSIM_NO_SLOT; slot = csim_ready_next(list, slot + 1))
