// Partial order sampling: each ready step has a random priority, drawn again when a step ran that may touch the same (Yuan,
// Yang, Gu: Partial order aware concurrency sampling, CAV 2018).
//
// At most 64 other steps are looked at after each choice, in turn, so that a choice does not cost more where thousands
// are ready.
#include "../strategy.h"

enum { LOOKS = 64 };

typedef struct {
    csim_priority_heap heap;
    uint32_t hand;  // the slot at which the next look begins
} partial_order;

static uint32_t draw_priority(csim_world *w) { return (uint32_t)(csim_draw(&w->schedule) >> 32); }

static void prepare(csim_world *w, void *state, csim_item *item) {
    (void)state;
    item->priority = draw_priority(w);
}

static void added(csim_world *w, void *state, uint32_t slot) { csim_heap_add(w, &((partial_order *)state)->heap, slot); }
static void taken(csim_world *w, void *state, uint32_t slot) {
    (void)w;
    csim_heap_remove(&((partial_order *)state)->heap, slot);
}
static void rebuild(csim_world *w, void *state) { csim_heap_rebuild(w, &((partial_order *)state)->heap); }

static uint32_t choose(csim_world *w, void *state) {
    partial_order *p = state;
    uint32_t best = p->heap.entries[0].slot, looks = w->ready.count < LOOKS ? w->ready.count : LOOKS;
    csim_ready chosen = csim_describe(w, best);
    while (looks--) {
        uint32_t slot = csim_ready_next(&w->ready, p->hand);
        if (slot == CSIM_NO_SLOT) slot = csim_ready_next(&w->ready, 0);
        p->hand = slot + 1;
        if (slot == best || !csim_are_dependent(chosen, csim_describe(w, slot))) continue;
        csim_ready_item(w, slot)->priority = draw_priority(w);
        csim_heap_update(w, &p->heap, slot);
    }
    return best;
}

static void reseed(csim_world *w, void *state) {
    for (uint32_t id = 0; id < w->node_count; id++) {
        csim_ring *main = &w->nodes[id]->main;
        for (uint32_t i = 0; i < main->count; i++) csim_ring_at(main, i)->priority = draw_priority(w);
    }
    CSIM_EACH_READY(&w->ready, slot) {
        csim_item *item = csim_ready_item(w, slot), *job = csim_behind_token(w, item);
        item->priority = job == item ? draw_priority(w) : job->priority;
    }
    rebuild(w, state);
}

static void end(void *state) { csim_heap_free(&((partial_order *)state)->heap); }

const csim_strategy_type csim_partial_order = {
    .state_size = sizeof(partial_order), .prepare = prepare, .added = added, .taken = taken, .rebuild = rebuild,
    .choose = choose, .reseed = reseed, .end = end,
};
