// Nodes: lives that end, and begin again.
#define _GNU_SOURCE
#include "world.h"
#include <string.h>

uint32_t csim_add_node(csim_world *w, const char *name, uint64_t seed) {
    uint32_t id = w->node_count++;
    if (id == w->node_capacity) {
        w->node_capacity = w->node_capacity ? 2 * w->node_capacity : 4;
        w->nodes = csim_grow(w->nodes, w->node_capacity * sizeof *w->nodes);
    }
    csim_node *node = w->nodes[id] = csim_zeroed(1, sizeof *node);
    node->name = strdup(name);
    node->alive = true;
    node->token_slot = CSIM_NO_SLOT;
    node->entropy = csim_make_stream(seed, name);
    if (!id) w->node = node;
    return id;
}

uint32_t csim_current_node(const csim_world *w) { return w->current_node; }

csim_life csim_enter_node(csim_world *w, uint32_t node) {
    csim_life before = {w->current_node, w->epoch};
    csim_return_to(w, (csim_life){node, w->nodes[node]->epoch});
    return before;
}

void csim_return_to(csim_world *w, csim_life life) {
    w->current_node = life.node;
    w->node = w->nodes[life.node];
    w->epoch = life.epoch;
}

bool csim_node_alive(const csim_world *w, uint32_t node) { return w->nodes[node]->alive; }
bool csim_node_paused(const csim_world *w, uint32_t node) { return w->nodes[node]->paused; }
uint32_t csim_node_epoch(const csim_world *w, uint32_t node) { return w->nodes[node]->epoch; }

void csim_crash(csim_world *w, uint32_t id) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    csim_sweep(w, UINT32_MAX);
    csim_node *node = w->nodes[id];
    node->alive = false;
    node->paused = false;
    node->epoch++;
    // Ready steps and timers of the old life stay queued and are dropped when their turn comes.
    csim_drop_ring(w, &node->main);
    // The token of the old life stays, and is dropped when its turn comes.
    if (node->token_slot != CSIM_NO_SLOT) w->ready.items[node->token_slot].payload = NULL;
    node->token_slot = CSIM_NO_SLOT;
    csim_drop_ring(w, &node->held);
    csim_abandon_tasks(w, id);
    node->main_is_busy = false;
    csim_crash_threads(w, id);
}

void csim_revive(csim_world *w, uint32_t node) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    w->nodes[node]->alive = true;
}

void csim_pause(csim_world *w, uint32_t node) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    w->nodes[node]->paused = true;
}

void csim_requeue_main(csim_world *w, csim_node *node) {
    node->main_is_busy = false;
    csim_ring main = node->main;
    node->main = (csim_ring){0};
    for (uint32_t i = 0; i < main.count; i++) csim_push_ready(w, *csim_ring_at(&main, i));
    free(main.items);
}

void csim_unpause(csim_world *w, uint32_t id) {
    csim_node *node = w->nodes[id];
    if (!node->paused) return;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    node->paused = false;
    csim_requeue_main(w, node);
    for (uint32_t waiting = node->held.count; waiting; waiting--) csim_push_ready(w, csim_ring_take(&node->held));
}
