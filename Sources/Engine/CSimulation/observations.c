// What can be seen of a world: its clocks, its counts, and the log of its steps.
#include "world.h"
#include <stdlib.h>
#include <string.h>

int64_t csim_now(const csim_world *w) { return w->now_ns; }
int64_t csim_wall_now(const csim_world *w) { return csim_wall_of(w, w->node); }

int64_t csim_wall_of(const csim_world *w, const csim_node *node) {
    int64_t drifted = (int64_t)((__int128)(w->now_ns - node->wall_origin_ns) * node->wall_drift_ppb / 1000000000);
    return w->now_ns + w->wall_offset_ns + node->wall_skew_ns + drifted;
}

void csim_set_wall(csim_world *w, uint32_t id, int64_t step_ns, int64_t drift_ppb) {
    csim_node *node = &w->nodes[id];
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    node->wall_skew_ns += csim_wall_of(w, node) - (w->now_ns + w->wall_offset_ns + node->wall_skew_ns) + step_ns;
    node->wall_origin_ns = w->now_ns;
    node->wall_drift_ppb = drift_ppb;
}

int64_t csim_node_wall(const csim_world *w, uint32_t node) { return csim_wall_of(w, &w->nodes[node]); }
uint64_t csim_steps(const csim_world *w) { return w->steps; }
uint64_t csim_hash(const csim_world *w) { return w->hash; }
uint64_t csim_order(const csim_world *w) { return w->order; }
uint32_t csim_ready_count(const csim_world *w) { return w->ready.count; }
uint32_t csim_timer_count(const csim_world *w) { return w->timer_count; }

uint32_t csim_live_count(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    return w->live_count;
}

const csim_task *csim_live_tasks(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    return w->live;
}

void csim_record_steps(csim_world *w, bool on) { w->recording_steps = on; }

const csim_step *csim_step_log(const csim_world *w, size_t *count) {
    *count = w->log_count;
    return w->log;
}

const csim_task *csim_task_log(const csim_world *w, size_t *count) {
    *count = w->task_log_count;
    return w->task_log;
}

void csim_log_task(csim_world *w, const csim_task *task) {
    if (w->task_log_count == w->task_log_capacity) {
        w->task_log_capacity = w->task_log_capacity ? w->task_log_capacity * 2 : 64;
        w->task_log = realloc(w->task_log, w->task_log_capacity * sizeof *w->task_log);
        if (!w->task_log) abort();
    }
    csim_task *copy = &w->task_log[w->task_log_count++];
    *copy = *task;
    copy->name = task->name ? strdup(task->name) : NULL;
}

void csim_expect_steps(csim_world *w, const csim_step *log, size_t count) {
    w->comparing_steps = true;
    w->expected = log;
    w->expected_count = count;
}

csim_step csim_last_step(const csim_world *w) { return w->last; }
