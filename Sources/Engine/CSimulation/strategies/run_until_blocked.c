// The task that ran last goes on as long as it can, otherwise the oldest step; but for the preemptions that a recipe names.
#include "../strategy.h"

static int compare(const void *one, const void *other) {
    const csim_preemption *a = one, *b = other;
    if (a->after != b->after) return a->after < b->after ? -1 : 1;
    return a->after_steps < b->after_steps ? -1 : a->after_steps > b->after_steps;
}

void csim_sort_preemptions(csim_preemption *preemptions, size_t count) {
    qsort(preemptions, count, sizeof *preemptions, compare);
}

static bool fits(const csim_preemption *wanted, csim_ready ready) {
    if (wanted->task) return ready.task == wanted->task;
    return !ready.task && ready.node == wanted->node && ready.kind == wanted->kind;
}

static uint32_t find(csim_world *w, const csim_preemption *wanted) {
    CSIM_EACH_READY(&w->ready, slot) {
        if (fits(wanted, csim_describe(w, slot))) return slot;
    }
    return CSIM_NO_SLOT;
}

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    csim_decisions *decisions = &w->decisions;
    if (!decisions->preemption_count) return csim_stay(w);
    csim_preemption key = {.after = w->last.task, .after_steps = csim_steps_of(w, w->last.task)};
    csim_preemption *found = bsearch(&key, decisions->preemptions, decisions->preemption_count, sizeof key, compare);
    if (!found) return csim_stay(w);
    found->used = true;
    uint32_t slot = find(w, found);
    if (slot != CSIM_NO_SLOT) return slot;
    slot = csim_stay(w);
    csim_depart(
        w, decisions->choice_count,
        (csim_choice){0, found->task, found->node, found->kind, false, key.after, key.after_steps}, slot
    );
    return slot;
}

const csim_strategy_type csim_run_until_blocked = {.choose = choose};
