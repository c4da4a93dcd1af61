// Nodes: lives that end, and begin again.
#define _GNU_SOURCE
#include "ring.h"
#include <string.h>

uint32_t csim_add_node(csim_world *w, const char *name, uint64_t seed) {
    uint32_t id = w->node_count++;
    w->nodes = grow(w->nodes, w->node_count * sizeof *w->nodes);
    w->nodes[id] = (csim_node){.name = strdup(name), .alive = true};
    w->nodes[id].entropy = csim_make_stream(seed, name);
    w->node = &w->nodes[w->current_node];
    return id;
}

uint32_t csim_current_node(const csim_world *w) { return w->current_node; }

csim_life csim_enter_node(csim_world *w, uint32_t node) {
    csim_life before = {w->current_node, w->epoch};
    csim_return_to(w, (csim_life){node, w->nodes[node].epoch});
    return before;
}

void csim_return_to(csim_world *w, csim_life life) {
    w->current_node = life.node;
    w->node = &w->nodes[life.node];
    w->epoch = life.epoch;
}

bool csim_node_alive(const csim_world *w, uint32_t node) { return w->nodes[node].alive; }
bool csim_node_paused(const csim_world *w, uint32_t node) { return w->nodes[node].paused; }
uint32_t csim_node_epoch(const csim_world *w, uint32_t node) { return w->nodes[node].epoch; }

void csim_crash(csim_world *w, uint32_t id) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    csim_sweep(w, UINT32_MAX);
    csim_node *node = &w->nodes[id];  // not before: a deinitialiser may have made a node
    node->alive = false;
    node->paused = false;
    node->epoch++;
    node->main.count = 0;
    csim_drop_events(w, &node->held);
    node->held.count = 0;
    // Ready items and timers of the old life stay queued and are dropped when their turn comes.
    csim_abandon_tasks(w, id);
}

void csim_revive(csim_world *w, uint32_t node) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    w->nodes[node].alive = true;
}

void csim_pause(csim_world *w, uint32_t node) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    w->nodes[node].paused = true;
}

void csim_unpause(csim_world *w, uint32_t id) {
    csim_node *node = &w->nodes[id];
    if (!node->paused) return;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    node->paused = false;
    if (node->main.count) {
        ring_push(&w->ready, (csim_item){
            .touch = csim_main_identity, .priority = ring_head(&node->main)->priority,
            .epoch = node->epoch, .cause = w->cause, .node = (uint16_t)id, .kind = CSIM_STEP_MAIN,
        });
    }
    for (uint32_t waiting = node->held.count; waiting; waiting--) csim_push_ready(w, ring_take(&node->held, 0));
}

uint64_t csim_abandoned(const csim_world *w) { return w->abandoned; }
