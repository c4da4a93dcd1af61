// How the next step is decided, and what is kept of that.
#include "strategy.h"
#include <string.h>

void csim_sort_preemptions(csim_preemption *preemptions, size_t count);

csim_ready csim_describe(csim_world *w, uint32_t slot) {
    csim_item *item = csim_ready_item(w, slot);
    const csim_task *task = csim_behind_token(w, item)->task;
    return (csim_ready){
        .touch = item->kind == CSIM_STEP_EVENT ? 0 : item->touch, .task = task ? task->id : 0,
        .serial = item->priority, .node = item->node, .kind = item->kind,
    };
}

csim_ready csim_ready_at(csim_world *w, uint32_t place) { return csim_describe(w, csim_ready_slot(&w->ready, place)); }

bool csim_are_dependent(csim_ready a, csim_ready b) {
    // Events of the world reach whatever the nodes share; steps of no actor may share anything with others of their node,
    // such as what a mutex guards.
    if (a.kind == CSIM_STEP_EVENT || b.kind == CSIM_STEP_EVENT) return true;
    return a.node == b.node && (a.touch == b.touch || !a.touch || !b.touch);
}

uint64_t csim_draw_moment(csim_stream *stream, uint64_t horizon) {
    uint64_t kind = csim_draw(stream) >> 32, chance = csim_draw(stream);
    if (horizon < 4) {
        // Nobody knows how long the run will be: its magnitude is drawn too.
        return chance % (4ull << kind % 10);
    }
    // Bugs wait anywhere, but often at the beginning or at the end, which are a small part of a long run.
    if (kind % 4 == 0) return chance % horizon;
    uint32_t magnitudes = 64 - (uint32_t)__builtin_clzll(horizon);
    uint64_t distance = chance % (1ull << (kind / 4 % magnitudes + 1));
    if (distance >= horizon) distance %= horizon;
    return kind % 4 == 1 ? distance : horizon - 1 - distance;
}

// MARK: Steps of tasks

void csim_count_step(csim_world *w) {
    csim_decisions *d = &w->decisions;
    size_t needed = (size_t)w->last.task + 1;
    if (needed > d->step_count_capacity) {
        size_t capacity = needed > 2 * d->step_count_capacity ? needed + 63 : 2 * d->step_count_capacity;
        d->step_counts = csim_grow(d->step_counts, capacity * sizeof *d->step_counts);
        memset(d->step_counts + d->step_count_capacity, 0, (capacity - d->step_count_capacity) * sizeof *d->step_counts);
        d->step_count_capacity = capacity;
    }
    d->step_counts[w->last.task]++;
}

uint32_t csim_steps_of(const csim_world *w, uint32_t task) {
    return task < w->decisions.step_count_capacity ? w->decisions.step_counts[task] : 0;
}

uint32_t csim_stay(csim_world *w) {
    if (!w->last.task) return csim_ready_next(&w->ready, 0);
    csim_task *task = w->tasks.last;
    if (task && task->id == w->last.task && task->slot != CSIM_NO_SLOT) return task->slot;
    if (task && task->id == w->last.task) {
        // On a main actor it is known by the token of its node.
        csim_node *node = w->nodes[task->node];
        bool is_first = node->main.count && csim_ring_at(&node->main, 0)->task == task;
        if (is_first && node->token_slot != CSIM_NO_SLOT) return node->token_slot;
    }
    return csim_ready_next(&w->ready, 0);
}

// MARK: Settings

void csim_set_depth(csim_world *w, uint32_t depth) { w->decisions.depth = depth; }
void csim_set_stickiness(csim_world *w, uint32_t choices) { w->decisions.stickiness = choices; }
void csim_set_horizon(csim_world *w, uint64_t steps) { w->decisions.horizon = steps; }

void csim_go_on_after_replay(csim_world *w, csim_replay_handler handler) { w->decisions.after_replay = handler; }

void csim_set_chooser(csim_world *w, csim_chooser chooser, void *context) {
    w->decisions.chooser = chooser;
    w->decisions.chooser_context = context;
}

static void *copy(const void *items, size_t bytes) { return bytes ? memcpy(csim_grow(NULL, bytes), items, bytes) : NULL; }

void csim_set_preemptions(csim_world *w, const csim_preemption *preemptions, size_t count) {
    csim_decisions *d = &w->decisions;
    free(d->preemptions);
    d->preemptions = copy(preemptions, count * sizeof *preemptions);
    d->preemption_count = count;
    if (count) csim_sort_preemptions(d->preemptions, count);
    d->counting_steps = true;
}

void csim_resolve_task(csim_world *w, uint32_t stand_in, uint32_t task) {
    csim_decisions *d = &w->decisions;
    for (size_t i = 0; i < d->preemption_count; i++) {
        if (d->preemptions[i].after == stand_in) d->preemptions[i].after = task;
        if (d->preemptions[i].task == stand_in) d->preemptions[i].task = task;
    }
    if (d->preemption_count) csim_sort_preemptions(d->preemptions, d->preemption_count);
    if (w->cancellation.task == stand_in) w->cancellation.task = task;
}

void csim_set_choices(csim_world *w, const csim_choice *choices, size_t count) {
    csim_decisions *d = &w->decisions;
    free(d->replay);
    d->replay = copy(choices, count * sizeof *choices);
    d->replay_count = count;
}

const csim_preemption *csim_unused_preemption(const csim_world *w) {
    const csim_decisions *d = &w->decisions;
    for (size_t i = 0; i < d->preemption_count; i++) {
        if (!d->preemptions[i].used) return &d->preemptions[i];
    }
    return NULL;
}

size_t csim_unused_choices(const csim_world *w) { return w->decisions.replay_count - w->decisions.replayed; }

// MARK: Choosing

static csim_choice choice_of(csim_world *w, uint32_t slot) {
    csim_ready ready = csim_describe(w, slot);
    return (csim_choice){
        csim_ready_place(&w->ready, slot), ready.task, ready.node, ready.kind, slot == csim_stay(w), w->last.task,
        csim_steps_of(w, w->last.task),
    };
}

void csim_depart(csim_world *w, uint64_t choice, csim_choice wanted, uint32_t taken) {
    if (w->decisions.departures++) return;
    w->decisions.first_departure = (csim_departure){choice, w->steps, wanted, choice_of(w, taken)};
}

uint64_t csim_departures(const csim_world *w) { return w->decisions.departures; }
csim_departure csim_first_departure(const csim_world *w) { return w->decisions.first_departure; }

uint32_t csim_choose(csim_world *w) {
    csim_decisions *d = &w->decisions;
    if (w->ready.count == 1 || w->unwinding) return csim_ready_next(&w->ready, 0);
    if (!d->choice_count && d->strategy->begin) d->strategy->begin(w, d->state);
    uint32_t slot = d->strategy->choose(w, d->state);
    d->choice_count++;
    if (!d->recording) return slot;
    if (d->recorded_count == d->recorded_capacity) {
        d->recorded_capacity = d->recorded_capacity ? d->recorded_capacity * 2 : 256;
        d->recorded = csim_grow(d->recorded, d->recorded_capacity * sizeof *d->recorded);
    }
    d->recorded[d->recorded_count++] = choice_of(w, slot);
    return slot;
}

void csim_leave(csim_world *w, csim_task *task, uint32_t actor) {
    w->decisions.strategy->leave(w, w->decisions.state, task, actor);
}

void csim_record_choices(csim_world *w, bool on) {
    w->decisions.recording = on;
    w->decisions.counting_steps |= on;
}

const csim_choice *csim_choices(const csim_world *w, size_t *count) {
    *count = w->decisions.recorded_count;
    return w->decisions.recorded;
}

uint64_t csim_longest_task(const csim_world *w) { return w->tasks.most_steps; }

void csim_reseed(csim_world *w, uint64_t seed) {
    w->schedule = csim_make_stream(seed, "schedule");
    for (uint32_t i = 0; i < w->node_count; i++) {
        uint64_t draws = w->nodes[i]->entropy.draws;
        w->nodes[i]->entropy = csim_make_stream(seed, w->nodes[i]->name);
        w->nodes[i]->entropy.draws = draws;
    }
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    if (w->decisions.strategy->reseed) w->decisions.strategy->reseed(w, w->decisions.state);
}

void csim_reseed_node(csim_world *w, uint32_t id, uint64_t seed, const char *name) {
    uint64_t draws = w->nodes[id]->entropy.draws;
    w->nodes[id]->entropy = csim_make_stream(seed, name);
    w->nodes[id]->entropy.draws = draws;
}

void csim_free_decisions(csim_world *w) {
    csim_decisions *d = &w->decisions;
    if (d->strategy->end) d->strategy->end(d->state);
    free(d->state);
    free(d->replay);
    free(d->preemptions);
    free(d->recorded);
    free(d->step_counts);
}

// MARK: Cancellation

void csim_cancel_later(csim_world *w, uint32_t task, uint32_t steps) {
    w->cancellation.task = task;
    w->cancellation.step = steps;
}

void csim_cancel_at(csim_world *w, uint64_t steps, uint64_t skipped) {
    w->cancellation.drawn = steps;
    w->cancellation.skipped = skipped;
}
uint64_t csim_cancellations(const csim_world *w) { return w->cancellation.count; }
csim_cancelled_task csim_cancelled(const csim_world *w) { return w->cancellation.first; }
