// What can be seen of a world: its clocks, its counts, and the log of its steps.
#include "world.h"
#include <stdlib.h>
#include <string.h>

int64_t csim_now(const csim_world *w) { return w->now_ns; }

int64_t csim_wall_of(const csim_world *w, const csim_node *node) {
    int64_t drifted = (int64_t)((__int128)(w->now_ns - node->wall_origin_ns) * node->wall_drift_ppb / 1000000000);
    return w->now_ns + w->wall_offset_ns + node->wall_skew_ns + drifted;
}

void csim_set_wall(csim_world *w, uint32_t id, int64_t step_ns, int64_t drift_ppb) {
    csim_node *node = w->nodes[id];
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    node->wall_skew_ns += csim_wall_of(w, node) - (w->now_ns + w->wall_offset_ns + node->wall_skew_ns) + step_ns;
    node->wall_origin_ns = w->now_ns;
    node->wall_drift_ppb = drift_ppb;
}

int64_t csim_node_wall(const csim_world *w, uint32_t node) { return csim_wall_of(w, w->nodes[node]); }
uint64_t csim_steps(const csim_world *w) { return w->steps; }
uint64_t csim_hash(const csim_world *w) { return w->hash; }
uint64_t csim_order(const csim_world *w) { return w->order; }
uint32_t csim_timer_count(const csim_world *w) { return w->timers.count; }

uint32_t csim_live_count(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    return w->tasks.live_count;
}

const csim_task *csim_live_tasks(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    return w->tasks.live;
}

void csim_record_steps(csim_world *w, bool on) { w->log.recording = on; }

const csim_step *csim_step_log(const csim_world *w, size_t *count) {
    *count = w->log.step_count;
    return w->log.steps;
}

void csim_record_places(csim_world *w) {
    w->log.recording_places = true;
    csim_watch_throws();
    w->numbering_actors = true;
}

const csim_step_place *csim_place_log(const csim_world *w, size_t *count) {
    *count = w->log.place_count;
    return w->log.places;
}

void csim_log_place(csim_world *w, const csim_item *item) {
    csim_log *log = &w->log;
    if (log->place_count == CSIM_MOST_PLACES) return;
    if (log->place_count == log->place_capacity) {
        log->place_capacity = log->place_capacity ? log->place_capacity * 2 : 1024;
        log->places = csim_grow(log->places, log->place_capacity * sizeof *log->places);
    }
    csim_step_place *place = &log->places[log->place_count++];
    *place = (csim_step_place){0};
    if (item->kind == CSIM_STEP_EVENT) return;
    place->actor = item->kind == CSIM_STEP_MAIN ? 0 : csim_actor_number(w, item->touch);
    const csim_task *task = item->task;
    if (!task) return;
    // One that has not begun goes on nowhere yet: it stands where it was spawned.
    place->begins = !task->steps;
    if (task->steps) csim_waiting_frames(task, place->frames, CSIM_PLACE_FRAMES);
    _Static_assert(sizeof task->frames <= sizeof place->frames, "a place has room for where its task was spawned");
    if (!place->frames[0]) memcpy(place->frames, task->frames, sizeof task->frames);
}

const csim_task *csim_task_log(const csim_world *w, size_t *count) {
    *count = w->log.task_count;
    return w->log.tasks;
}

void csim_log_task(csim_world *w, const csim_task *task) {
    csim_log *log = &w->log;
    if (log->task_count == log->task_capacity) {
        log->task_capacity = log->task_capacity ? log->task_capacity * 2 : 64;
        log->tasks = csim_grow(log->tasks, log->task_capacity * sizeof *log->tasks);
    }
    csim_task *copy = &log->tasks[log->task_count++];
    *copy = *task;
    copy->name = task->name ? strdup(task->name) : NULL;
}

void csim_expect_steps(csim_world *w, const csim_step *log, size_t count) {
    w->log.comparing = true;
    w->log.expected = log;
    w->log.expected_count = count;
}

csim_step csim_last_step(const csim_world *w) { return w->last; }
