// A run that follows the order of an earlier one, in which one step is delayed until another has run.
//
// Of the ready steps the one runs that came first in the earlier run. A step is known by its task and by how many steps that
// task has run before; steps that are no task's own by their kind and node. The delayed step is taken out of the ready ones,
// so that time passes where nothing else can run; once it is let go its place in the order is the first.
#define _GNU_SOURCE
#include "rearranging.h"
#include "strategy.h"
#include <stdlib.h>

/// The steps of one owner.
typedef struct {
    uint32_t owner;
    uint32_t first, count;  // where their positions lie
    uint32_t seen;          // steps that have run
} group;

struct csim_rearrangement {
    group *groups;          // by owner
    size_t group_count;
    uint32_t *positions;
    csim_delay delay;
    csim_delay_end end;
    uint64_t since;         // the number of the step at which the delay began
    uint32_t until_seen;    // steps that the other task had run by then
    uint32_t sleeper, sleeps_in;  // the task that never wakes up, and the number of its step that begins the sleep
    csim_item item;         // the delayed step; no payload when there is none
};

typedef struct { uint32_t owner, position; } entry;

static int compare(const void *one, const void *other) {
    const entry *a = one, *b = other;
    if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
    return a->position < b->position ? -1 : 1;
}

static int compare_owner(const void *owner, const void *one) {
    uint32_t wanted = *(const uint32_t *)owner, found = ((const group *)one)->owner;
    return wanted < found ? -1 : wanted > found;
}

void csim_follow(csim_world *w, const uint32_t *owners, size_t count, csim_delay delay) {
    csim_rearrangement *r = csim_zeroed(1, sizeof *r);
    entry *entries = csim_zeroed(count + 1, sizeof *entries);
    for (size_t i = 0; i < count; i++) entries[i] = (entry){owners[i], (uint32_t)i};
    qsort(entries, count, sizeof *entries, compare);
    r->groups = csim_zeroed(count + 1, sizeof *r->groups);
    r->positions = csim_zeroed(count + 1, sizeof *r->positions);
    for (size_t i = 0; i < count; i++) {
        r->positions[i] = entries[i].position;
        if (!i || entries[i].owner != entries[i - 1].owner) {
            r->groups[r->group_count++] = (group){.owner = entries[i].owner, .first = (uint32_t)i};
        }
        r->groups[r->group_count - 1].count++;
    }
    free(entries);
    r->delay = delay;
    w->rearrangement = r;
}

void csim_free_rearrangement(csim_world *w) {
    csim_rearrangement *r = w->rearrangement;
    if (!r) return;
    free(r->groups);
    free(r->positions);
    free(r);
    w->rearrangement = NULL;
}

csim_delay_end csim_delay_of(const csim_world *w) { return w->rearrangement ? w->rearrangement->end : CSIM_DELAY_NONE; }

static uint32_t owner_of(const csim_item *item) {
    return item->task ? item->task->id : csim_owner_of_step(item->kind, item->node);
}

static group *find(const csim_rearrangement *r, uint32_t owner) {
    return bsearch(&owner, r->groups, r->group_count, sizeof *r->groups, compare_owner);
}

static uint32_t steps_of(const csim_rearrangement *r, uint32_t owner) {
    const group *found = find(r, owner);
    return found ? found->seen : 0;
}

void csim_count_followed(csim_world *w, const csim_item *item) {
    group *found = find(w->rearrangement, owner_of(item));
    if (found) found->seen++;
}

void csim_leave_out_wake_up(csim_world *w, uint32_t task, uint32_t step) {
    w->rearrangement->sleeper = task;
    w->rearrangement->sleeps_in = step;
}

bool csim_never_wakes(const csim_world *w, uint32_t task) {
    const csim_rearrangement *r = w->rearrangement;
    return task == r->sleeper && steps_of(r, task) == r->sleeps_in;
}

// MARK: The delayed step

bool csim_delays(csim_world *w, const csim_item *item) {
    csim_rearrangement *r = w->rearrangement;
    // Work on an actor keeps everybody else from the actor while it waits.
    if (r->end != CSIM_DELAY_NONE || !item->task || item->kind == CSIM_STEP_ACTOR || w->unwinding) return false;
    uint32_t task = item->task->id;
    if (task != r->delay.task || steps_of(r, task) != r->delay.steps) return false;
    r->item = *item;
    r->end = CSIM_DELAY_LASTS;
    r->since = w->steps;
    r->until_seen = steps_of(r, r->delay.until_task);
    return true;
}

static void let_go(csim_world *w, csim_delay_end end) {
    csim_rearrangement *r = w->rearrangement;
    r->end = end;
    csim_item item = r->item;
    r->item.payload = NULL;
    csim_push_ready(w, item);
}

void csim_end_delay(csim_world *w) {
    // A run that never ends otherwise, as with a heartbeat, is not worth waiting for.
    enum { MOST_STEPS = 5000 };
    csim_rearrangement *r = w->rearrangement;
    if (r->end != CSIM_DELAY_LASTS) return;
    if (steps_of(r, r->delay.until_task) >= r->delay.until_steps) let_go(w, CSIM_DELAY_KEPT);
    else if (w->steps - r->since > MOST_STEPS) let_go(w, CSIM_DELAY_BROKEN);
}

bool csim_break_delay(csim_world *w) {
    if (!w->rearrangement || w->rearrangement->end != CSIM_DELAY_LASTS) return false;
    let_go(w, CSIM_DELAY_BROKEN);
    return true;
}

bool csim_end_open_delay(csim_world *w) {
    const csim_rearrangement *r = w->rearrangement;
    if (!r || r->end != CSIM_DELAY_LASTS || r->delay.until_steps != UINT32_MAX) return false;
    let_go(w, steps_of(r, r->delay.until_task) > r->until_seen ? CSIM_DELAY_KEPT : CSIM_DELAY_BROKEN);
    return true;
}

// MARK: The strategy

static uint32_t position_of(const csim_rearrangement *r, const csim_item *item) {
    const group *found = find(r, owner_of(item));
    return found && found->seen < found->count ? r->positions[found->first + found->seen] : UINT32_MAX;
}

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    uint32_t best = CSIM_NO_SLOT, first = UINT32_MAX;
    CSIM_EACH_READY(&w->ready, slot) {
        uint32_t position = position_of(w->rearrangement, csim_behind_token(w, csim_ready_item(w, slot)));
        if (best != CSIM_NO_SLOT && position >= first) continue;
        best = slot;
        first = position;
    }
    return best;
}

const csim_strategy_type csim_following = {.choose = choose};
