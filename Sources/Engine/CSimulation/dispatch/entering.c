// Which code is on which queue, and keeps others from it; and what comes next.
#define _GNU_SOURCE
#include "dispatch.h"
#include <string.h>

const csim_entry *csim_entry_of(const struct csim_dispatch *dispatch, const void *object) {
    for (uint32_t i = 0; i < dispatch->entered_count; i++) {
        if (dispatch->entered[i].object == object) return &dispatch->entered[i];
    }
    return NULL;
}

const csim_entry *csim_obstacle(const struct csim_dispatch *dispatch, const csim_queue *queue) {
    for (void *object = queue->object; object; object = csim_queue_target(object)) {
        const csim_entry *entry = csim_entry_of(dispatch, object);
        if (entry) return entry;
    }
    return NULL;
}

bool csim_can_enter(const struct csim_dispatch *dispatch, const csim_queue *queue, bool is_alone) {
    return !(is_alone && queue->held) && !csim_obstacle(dispatch, queue);
}

static bool is_main(void *object) { return csim_queue_kind(object) & CSIM_QUEUE_MAIN && !csim_queue_target(object); }

void csim_note_entered(struct csim_dispatch *dispatch, void *object) {
    if (is_main(object)) return;
    if (dispatch->entered_count == dispatch->entered_capacity) {
        dispatch->entered_capacity = dispatch->entered_capacity ? 2 * dispatch->entered_capacity : 16;
        dispatch->entered = csim_grow(dispatch->entered, dispatch->entered_capacity * sizeof *dispatch->entered);
    }
    dispatch->entered[dispatch->entered_count++] = (csim_entry){object, csim_self ? csim_self->id : 0};
}

void csim_note_left(struct csim_dispatch *dispatch, const void *object) {
    for (uint32_t i = dispatch->entered_count; i--;) {
        if (dispatch->entered[i].object != object) continue;
        memmove(dispatch->entered + i, dispatch->entered + i + 1, (--dispatch->entered_count - i) * sizeof *dispatch->entered);
        return;
    }
}

// MARK: Lines

csim_queue *csim_base_of(csim_world *w, csim_queue *queue) {
    void *last = queue->object;
    for (void *target; (target = csim_queue_target(last));) last = target;
    csim_queue *base = last == queue->object ? queue : csim_find_queue(w, last);
    return base->kind & (CSIM_QUEUE_CONCURRENT | CSIM_QUEUE_MAIN | CSIM_QUEUE_GLOBAL) ? NULL : base;
}

csim_work *csim_first_in_line(const csim_queue *base) {
    csim_work *work = base->line;
    while (work && csim_stands_still(work->queue)) work = work->behind;
    return work;
}
