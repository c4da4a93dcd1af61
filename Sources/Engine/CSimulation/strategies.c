// How the next step is chosen. Each strategy sees the ready steps, oldest first, and gives an index.
#include "world.h"
#include <stdlib.h>
#include <string.h>

static csim_item *ready_item(const csim_world *w, uint32_t index) {
    return &w->ready.items[(w->ready.head + index) & (w->ready.capacity - 1)];
}

/// The item that a main-queue token stands for; others stand for themselves.
static const csim_item *behind_token(const csim_world *w, const csim_item *item) {
    if (item->kind != CSIM_STEP_MAIN || item->payload) return item;
    const csim_ring *main = &w->nodes[item->node].main;
    return main->count ? &main->items[main->head] : item;
}

csim_ready csim_ready_at(const csim_world *w, uint32_t index) {
    const csim_item *item = ready_item(w, index);
    return (csim_ready){
        .touch = item->kind == CSIM_STEP_EVENT ? 0 : item->touch,
        .task = behind_token(w, item)->task, .serial = item->priority, .node = item->node, .kind = item->kind,
    };
}

bool csim_are_dependent(csim_ready a, csim_ready b) {
    // Events of the world reach whatever the nodes share; steps of no actor may share anything with others of their node,
    // such as what a mutex guards.
    if (a.kind == CSIM_STEP_EVENT || b.kind == CSIM_STEP_EVENT) return true;
    return a.node == b.node && (a.touch == b.touch || !a.touch || !b.touch);
}

static uint32_t draw_below(csim_world *w, uint32_t count) {
    return (uint32_t)(((csim_draw(&w->schedule) >> 32) * (uint64_t)count) >> 32);
}

// MARK: Priorities

enum {
    HIGH = 1u << 31,  // priorities of tasks that have not fallen behind
    LOW = 1u << 30,   // just above: of those that a change point has let fall; below: of those that only wait
    YIELDS = 100,     // after which a task falls behind all that have not
};

static uint32_t draw_priority(csim_world *w) { return HIGH | (uint32_t)(csim_draw(&w->schedule) >> 33); }

void csim_give_priority(csim_world *w, csim_item *item) {
    if (w->strategy == CSIM_PARTIAL_ORDER) {
        item->priority = draw_priority(w);
    } else if (w->strategy == CSIM_PRIORITIES) {
        csim_task *task = csim_live_task(w, item->task);
        if (task && !task->priority) task->priority = draw_priority(w);
        // Who yields again and again waits for somebody, and must not keep him from running.
        if (task && item->kind != CSIM_STEP_EVENT && csim_job_kind(item->payload) == CSIM_JOB_CONTINUATION
            && ++task->yields % YIELDS == 0) task->priority = LOW - ++w->patience;
        item->priority = task ? task->priority : draw_priority(w);
    } else if (w->strategy == CSIM_CHOOSER) {
        item->priority = (uint32_t)++w->choice_points;  // tells it from all others
    }
}

static uint32_t highest(const csim_world *w) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->ready.count; i++) {
        if (ready_item(w, i)->priority > ready_item(w, best)->priority) best = i;
    }
    return best;
}

void csim_set_depth(csim_world *w, uint32_t depth) {
    // Nobody knows beforehand how long a run will be: its magnitude is drawn too.
    uint64_t horizon = 4ull << draw_below(w, 10);
    w->change_count = depth < 1 ? 0 : depth - 1 < CSIM_DEPTH ? depth - 1 : CSIM_DEPTH;
    for (uint32_t i = 0; i < w->change_count; i++) {
        w->change_points[i] = w->choice_points + csim_draw(&w->schedule) % horizon;
    }
}

static void redraw_priority(csim_world *w, csim_item *item) {
    csim_task *task = w->strategy == CSIM_PRIORITIES ? csim_live_task(w, item->task) : NULL;
    if (task && !task->priority) task->priority = draw_priority(w);
    item->priority = task ? task->priority : draw_priority(w);
}

void csim_redraw_priorities(csim_world *w) {
    if (w->strategy == CSIM_PRIORITIES) {
        for (csim_task *task = w->live; task; task = task->next) task->priority = 0;
        w->changes_done = 0;
        w->patience = 0;
        csim_set_depth(w, w->change_count + 1);
    } else if (w->strategy != CSIM_PARTIAL_ORDER) {
        return;
    }
    for (uint32_t id = 0; id < w->node_count; id++) {
        csim_ring *main = &w->nodes[id].main;
        for (uint32_t i = 0; i < main->count; i++) {
            redraw_priority(w, &main->items[(main->head + i) & (main->capacity - 1)]);
        }
    }
    for (uint32_t i = 0; i < w->ready.count; i++) {
        csim_item *item = ready_item(w, i);
        const csim_item *job = behind_token(w, item);
        if (job == item) redraw_priority(w, item);
        else item->priority = job->priority;
    }
}

static uint32_t choose_by_priority(csim_world *w) {
    uint32_t best = highest(w);
    uint64_t now = w->choice_points++;
    for (uint32_t i = 0; i < w->change_count; i++) {
        if (w->change_points[i] != now) continue;
        csim_item *item = ready_item(w, best);
        csim_task *task = csim_live_task(w, item->task);
        item->priority = LOW + w->change_count - w->changes_done++;
        if (task) task->priority = item->priority;
        best = highest(w);
    }
    return best;
}

static uint32_t choose_in_partial_order(csim_world *w) {
    uint32_t best = highest(w);
    csim_ready chosen = csim_ready_at(w, best);
    for (uint32_t i = 0; i < w->ready.count; i++) {
        if (i != best && csim_are_dependent(chosen, csim_ready_at(w, i))) {
            ready_item(w, i)->priority = draw_priority(w);
        }
    }
    return best;
}

// MARK: Reentrancy

static void count_left(csim_world *w, uint32_t actor, int change) {
    for (uint32_t i = 0; i < w->left_count; i++) {
        if (w->left[i].actor != actor) continue;
        w->left[i].tasks += (uint32_t)change;
        if (!w->left[i].tasks) w->left[i] = w->left[--w->left_count];
        return;
    }
    if (change > 0 && w->left_count < CSIM_LEFT) {
        w->left[w->left_count].actor = actor;
        w->left[w->left_count++].tasks = 1;
    }
}

void csim_leave(csim_world *w, csim_task *task, uint32_t actor) {
    if (task->left == actor) return;
    if (task->left) count_left(w, task->left, -1);
    task->left = actor;
    if (actor) count_left(w, actor, 1);
}

/// Whether some other task has left the actor of this step in the middle of a method, as far as can be seen.
static bool enters_left_actor(csim_world *w, const csim_item *item) {
    if (!w->left_count || item->kind == CSIM_STEP_EVENT || item->kind == CSIM_STEP_MAIN || !item->touch) return false;
    uint32_t actor = csim_actor_number(w, item->touch);
    for (uint32_t i = 0; i < w->left_count; i++) {
        if (w->left[i].actor == actor) return true;
    }
    return false;
}

static uint32_t choose_reentrant(csim_world *w) {
    uint32_t count = w->ready.count, candidates = 0;
    for (uint32_t i = 0; i < count; i++) candidates += enters_left_actor(w, ready_item(w, i));
    // One time in four without the bias, so that nothing is impossible.
    if (!candidates || draw_below(w, 4) == 0) return draw_below(w, count);
    uint32_t wanted = draw_below(w, candidates);
    for (uint32_t i = 0; i < count; i++) {
        if (enters_left_actor(w, ready_item(w, i)) && wanted-- == 0) return i;
    }
    return 0;
}

// MARK: Replay

static bool fits(csim_choice wanted, csim_ready ready) {
    return wanted.kind == CSIM_ANY
        || (wanted.task == ready.task && wanted.node == ready.node && wanted.kind == ready.kind);
}

// MARK: Steadiness

void csim_count_step(csim_world *w) {
    size_t needed = (size_t)w->last.task + 1;
    if (needed > w->step_count_capacity) {
        size_t capacity = needed > 2 * w->step_count_capacity ? needed + 63 : 2 * w->step_count_capacity;
        w->step_counts = realloc(w->step_counts, capacity * sizeof *w->step_counts);
        if (!w->step_counts) abort();
        memset(w->step_counts + w->step_count_capacity, 0, (capacity - w->step_count_capacity) * sizeof *w->step_counts);
        w->step_count_capacity = capacity;
    }
    w->step_counts[w->last.task]++;
}

static uint32_t steps_of(const csim_world *w, uint32_t task) {
    return task < w->step_count_capacity ? w->step_counts[task] : 0;
}

/// Who ran last, or else the oldest.
static uint32_t stay(const csim_world *w) {
    if (!w->last.task) return 0;
    for (uint32_t i = 0; i < w->ready.count; i++) {
        if (csim_ready_at(w, i).task == w->last.task) return i;
    }
    return 0;
}

static int in_order(const void *one, const void *other) {
    const csim_switch *a = one, *b = other;
    if (a->after != b->after) return a->after < b->after ? -1 : 1;
    return a->after_steps < b->after_steps ? -1 : a->after_steps > b->after_steps;
}

void csim_set_switches(csim_world *w, const csim_switch *switches, size_t count) {
    free(w->switches);
    w->switches = NULL;
    if (count) {
        if (!(w->switches = malloc(count * sizeof *switches))) abort();
        memcpy(w->switches, switches, count * sizeof *switches);
        qsort(w->switches, count, sizeof *switches, in_order);
    }
    w->switch_count = count;
    w->counting_steps = true;
}

static csim_choice choice_of(const csim_world *w, uint32_t index) {
    csim_ready ready = csim_ready_at(w, index);
    return (csim_choice){
        index, ready.task, ready.node, ready.kind, index == stay(w), w->last.task, steps_of(w, w->last.task),
    };
}

static uint32_t choose_steadily(csim_world *w) {
    if (!w->switch_count) return stay(w);
    csim_switch key = {.after = w->last.task, .after_steps = steps_of(w, w->last.task)};
    const csim_switch *found = bsearch(&key, w->switches, w->switch_count, sizeof key, in_order);
    if (!found) return stay(w);
    for (uint32_t i = 0; i < w->ready.count; i++) {
        csim_ready ready = csim_ready_at(w, i);
        if (ready.task == found->task && (found->task || (ready.node == found->node && ready.kind == found->kind))) return i;
    }
    uint32_t taken = stay(w);
    csim_choice wanted = {0, found->task, found->node, found->kind, false, key.after, key.after_steps};
    if (!w->departures++) {
        w->first_departure = (csim_departure){w->choice_count, w->steps, wanted, choice_of(w, taken)};
    }
    return taken;
}

void csim_set_stickiness(csim_world *w, uint32_t choices) { w->stickiness = choices ? choices : 1; }

static uint32_t choose_stickily(csim_world *w) {
    return draw_below(w, w->stickiness) == 0 ? draw_below(w, w->ready.count) : stay(w);
}

static uint32_t choose_as_recorded(csim_world *w) {
    uint32_t count = w->ready.count;
    size_t position = w->replay_position++;
    csim_choice wanted = {.kind = CSIM_ANY};
    if (position < w->replay_count) wanted = w->replay[position];
    else if (!w->departures++) w->first_departure = (csim_departure){position, w->steps, wanted, choice_of(w, 0)};
    if (wanted.index < count && fits(wanted, csim_ready_at(w, wanted.index))) return wanted.index;
    uint32_t taken = wanted.index < count ? wanted.index : count - 1;
    if (wanted.kind != CSIM_ANY) {
        for (uint32_t i = 0; i < count; i++) {
            if (fits(wanted, csim_ready_at(w, i))) {
                taken = i;
                break;
            }
        }
    }
    if (!w->departures++) w->first_departure = (csim_departure){position, w->steps, wanted, choice_of(w, taken)};
    return taken;
}

void csim_set_choices(csim_world *w, const csim_choice *choices, size_t count) {
    free(w->replay);
    w->replay = NULL;
    if (count) {
        if (!(w->replay = malloc(count * sizeof *choices))) abort();
        memcpy(w->replay, choices, count * sizeof *choices);
    }
    w->replay_count = count;
    w->replay_position = 0;
}

uint64_t csim_departures(const csim_world *w) { return w->departures; }
csim_departure csim_first_departure(const csim_world *w) { return w->first_departure; }

// MARK: Choosing

void csim_set_chooser(csim_world *w, csim_chooser chooser, void *context) {
    w->chooser = chooser;
    w->chooser_context = context;
}

static void note_choice(csim_world *w, csim_choice choice) {
    if (w->choice_count == w->choice_capacity) {
        w->choice_capacity = w->choice_capacity ? w->choice_capacity * 2 : 256;
        w->choices = realloc(w->choices, w->choice_capacity * sizeof *w->choices);
        if (!w->choices) abort();
    }
    w->choices[w->choice_count++] = choice;
}

uint32_t csim_choose(csim_world *w) {
    uint32_t count = w->ready.count, choice = 0;
    if (count < 2) return 0;
    switch (w->strategy) {
    case CSIM_FIFO: break;
    case CSIM_RANDOM: choice = draw_below(w, count); break;
    case CSIM_REPLAY: choice = choose_as_recorded(w); break;
    case CSIM_PRIORITIES: choice = choose_by_priority(w); break;
    case CSIM_PARTIAL_ORDER: choice = choose_in_partial_order(w); break;
    case CSIM_REENTRANT: choice = choose_reentrant(w); break;
    case CSIM_STEADY: choice = choose_steadily(w); break;
    case CSIM_STICKY: choice = choose_stickily(w); break;
    case CSIM_CHOOSER:
        choice = w->chooser(w->chooser_context, w, count);
        if (choice >= count) choice = 0;
        break;
    }
    if (w->recording_choices) note_choice(w, choice_of(w, choice));
    return choice;
}

void csim_record_choices(csim_world *w, bool on) {
    w->recording_choices = on;
    w->counting_steps |= on;
}

const csim_choice *csim_choices(const csim_world *w, size_t *count) {
    *count = w->choice_count;
    return w->choices;
}

void csim_reseed(csim_world *w, uint64_t seed) {
    w->schedule = csim_make_stream(seed, "schedule");
    for (uint32_t i = 0; i < w->node_count; i++) {
        uint64_t draws = w->nodes[i].entropy.draws;
        w->nodes[i].entropy = csim_make_stream(seed, w->nodes[i].name);
        w->nodes[i].entropy.draws = draws;
    }
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    csim_redraw_priorities(w);
}

// MARK: Cancellation

void csim_cancel_later(csim_world *w, uint32_t task, uint32_t steps) {
    w->cancel_task = task;
    w->cancel_step = steps;
}

void csim_cancel_at(csim_world *w, uint64_t step) { w->cancel_countdown = step; }
uint64_t csim_cancellations(const csim_world *w) { return w->cancellations; }
csim_cancelled_task csim_cancelled(const csim_world *w) { return w->cancelled; }
