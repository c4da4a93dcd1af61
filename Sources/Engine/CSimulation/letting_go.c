// What a simulation holds for events that never come about: those of nodes that have crashed, and those whose time the
// end of the run forestalls.
#include "world.h"
#include <stdlib.h>

static csim_release release_context;

void csim_set_release(csim_release release) { release_context = release; }

void csim_drop_event(csim_world *w, csim_item item) {
    if (item.kind != CSIM_STEP_EVENT || !item.payload) return;
    if (w->dropped_count == w->dropped_capacity) {
        w->dropped_capacity = w->dropped_capacity ? w->dropped_capacity * 2 : 16;
        w->dropped = realloc(w->dropped, w->dropped_capacity * sizeof *w->dropped);
        if (!w->dropped) abort();
    }
    w->dropped[w->dropped_count++] = item.payload;
}

void csim_drop_events(csim_world *w, csim_ring *ring) {
    for (uint32_t i = 0; i < ring->count; i++) {
        csim_item *item = &ring->items[(ring->head + i) & (ring->capacity - 1)];
        csim_drop_event(w, *item);
        if (item->kind == CSIM_STEP_EVENT) item->payload = NULL;
    }
}

void csim_let_go(csim_world *w) {
    csim_drop_events(w, &w->ready);
    for (uint32_t i = 0; i < w->node_count; i++) csim_drop_events(w, &w->nodes[i].held);
    for (uint32_t i = 0; i < w->timer_count; i++) {
        csim_drop_event(w, w->timers[i].item);
        if (w->timers[i].item.kind == CSIM_STEP_EVENT) w->timers[i].item.payload = NULL;
    }
    // A release runs what objects do at their end, which may drop more.
    while (w->dropped_count) {
        void *context = w->dropped[--w->dropped_count];
        if (release_context) release_context(context);
    }
    free(w->dropped);
    w->dropped = NULL;
    w->dropped_capacity = 0;
}
