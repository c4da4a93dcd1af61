// What does not run: the steps of nodes that have crashed, and those that the end of the run comes before.
#include "world.h"

static csim_release release_context;

void csim_set_release(csim_release release) { release_context = release; }

static void drop_event(csim_world *w, const csim_item *item) {
    void *context = item->payload;
    if (!context) return;
    if (item->call == csim_run_work) return csim_drop_work(context);
    if (item->call == csim_dispatch_timer_is_due) return csim_drop_dispatch_timer(w, context);
    if (item->call == csim_alarm_is_due) return csim_drop_alarm(context);
    if (item->call == csim_resume_thread) return;  // the world has a list of its threads
    if (w->dropped_count == w->dropped_capacity) {
        w->dropped_capacity = w->dropped_capacity ? w->dropped_capacity * 2 : 16;
        w->dropped = csim_grow(w->dropped, w->dropped_capacity * sizeof *w->dropped);
    }
    w->dropped[w->dropped_count++] = context;
}

void csim_drop(csim_world *w, csim_item item) {
    if (item.kind == CSIM_STEP_EVENT) return drop_event(w, &item);
    if (!item.task || !item.payload) return;
    item.task->dropped = item.payload;
    item.task->dropped_kind = item.kind;
}

void csim_drop_ring(csim_world *w, csim_ring *ring) {
    while (ring->count) {
        csim_item item = csim_ring_take(ring);
        if (item.kind == CSIM_STEP_ACTOR) csim_push_ready(w, item);
        else csim_drop(w, item);
    }
}

void csim_release_events(csim_world *w) {
    CSIM_EACH_READY(&w->ready, slot) {
        csim_item *item = &w->ready.items[slot];
        if (item->kind != CSIM_STEP_EVENT) continue;
        drop_event(w, item);
        item->payload = NULL;
    }
    for (uint32_t i = 0; i < w->node_count; i++) {
        for (csim_ring *held = &w->nodes[i]->held; held->count;) csim_drop(w, csim_ring_take(held));
    }
    for (uint32_t i = 0; i < w->timers.count; i++) {
        csim_item *item = &w->timers.heap[i].item;
        if (item->kind != CSIM_STEP_EVENT) continue;
        drop_event(w, item);
        item->payload = NULL;
    }
    csim_free_dispatch(w);
    // A release runs what objects do at their end, which may drop more.
    while (w->dropped_count) {
        void *context = w->dropped[--w->dropped_count];
        if (release_context) release_context(context);
    }
    free(w->dropped);
    w->dropped = NULL;
    w->dropped_capacity = 0;
}
