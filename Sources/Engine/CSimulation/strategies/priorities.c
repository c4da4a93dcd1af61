// Probabilistic concurrency testing: the task of highest priority runs, and at some change points it falls behind all
// others (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic guarantees of finding
// bugs, ASPLOS 2010).
//
// A change point is a number of steps of a task, not of the run: where in a run a task comes to a place in its code depends on
// the others, how many steps it has run by then hardly does.
#include "../strategy.h"

enum {
    HIGH = 1u << 31,  // priorities of tasks that have not fallen behind
    LOW = 1u << 30,   // just above: of those that a change point has let fall; below: of those that only wait
    YIELDS = 100,     // after which a task falls behind all that have not
    POINTS = 16,      // change points of one run at most
    LOOKS = 1024,     // choices between two looks at the oldest ready step
    PATIENCE = 4,     // looks after which that step's task gets another priority
};

typedef struct {
    csim_priority_heap heap;
    uint64_t points[POINTS];    // how many steps a task has run when it falls behind; UINT64_MAX once one has
    uint32_t count, done, patience;
    uint32_t choices, looks;
    uint32_t oldest_task;
    uint64_t oldest_cause;
} priorities;

static uint32_t draw_priority(csim_world *w) { return HIGH | (uint32_t)(csim_draw(&w->schedule) >> 33); }

static void draw_points(csim_world *w, priorities *p) {
    uint32_t depth = w->decisions.depth;
    p->count = depth < 1 ? 0 : depth - 1 < POINTS ? depth - 1 : POINTS;
    for (uint32_t i = 0; i < p->count; i++) p->points[i] = csim_draw_moment(&w->schedule, w->decisions.horizon);
}

static void begin(csim_world *w, void *state) { draw_points(w, state); }

static uint32_t priority_of(csim_world *w, csim_task *task) {
    if (!task) return draw_priority(w);
    if (!task->priority) task->priority = draw_priority(w);
    return task->priority;
}

static void prepare(csim_world *w, void *state, csim_item *item) {
    priorities *p = state;
    item->priority = priority_of(w, item->task);
    // A task that yields again and again waits for another one, which must not be kept from running.
    if (!item->task || item->kind == CSIM_STEP_EVENT || csim_job_kind(item->payload) != CSIM_JOB_CONTINUATION) return;
    if (++item->task->yields % YIELDS == 0) item->priority = item->task->priority = LOW - ++p->patience;
}

static void added(csim_world *w, void *state, uint32_t slot) { csim_heap_add(w, &((priorities *)state)->heap, slot); }
static void taken(csim_world *w, void *state, uint32_t slot) {
    (void)w;
    csim_heap_remove(&((priorities *)state)->heap, slot);
}
static void rebuild(csim_world *w, void *state) { csim_heap_rebuild(w, &((priorities *)state)->heap); }

// Others may have work forever, such as a loop that never sleeps. A scheduler of a platform would not keep a task from
// running for that long, and nothing that happens then is a bug.
static void end_starvation(csim_world *w, priorities *p) {
    uint32_t slot = csim_ready_next(&w->ready, 0);
    csim_item *item = csim_ready_item(w, slot), *job = csim_behind_token(w, item);
    uint32_t task = job->task ? job->task->id : 0;
    bool is_same = p->oldest_task == task && p->oldest_cause == job->cause;
    p->looks = is_same ? p->looks + 1 : 0;
    p->oldest_task = task;
    p->oldest_cause = job->cause;
    if (p->looks < PATIENCE) return;
    p->looks = 0;
    item->priority = draw_priority(w);
    if (job->task) job->task->priority = item->priority;
    csim_heap_update(w, &p->heap, slot);
}

static uint32_t choose(csim_world *w, void *state) {
    priorities *p = state;
    if (++p->choices % LOOKS == 0) end_starvation(w, p);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t first = p->heap.entries[0].slot;
        csim_item *item = csim_ready_item(w, first), *job = csim_behind_token(w, item);
        if (!job->task || p->points[i] != job->task->steps) continue;
        p->points[i] = UINT64_MAX;
        item->priority = job->task->priority = LOW + p->count - p->done++;
        csim_heap_update(w, &p->heap, first);
    }
    return p->heap.entries[0].slot;
}

static void reseed(csim_world *w, void *state) {
    priorities *p = state;
    for (csim_task *task = w->tasks.live; task; task = task->next) task->priority = 0;
    p->done = p->patience = 0;
    draw_points(w, p);
    for (uint32_t id = 0; id < w->node_count; id++) {
        csim_ring *main = &w->nodes[id]->main;
        for (uint32_t i = 0; i < main->count; i++) {
            csim_item *item = csim_ring_at(main, i);
            item->priority = priority_of(w, item->task);
        }
    }
    CSIM_EACH_READY(&w->ready, slot) {
        csim_item *item = csim_ready_item(w, slot), *job = csim_behind_token(w, item);
        item->priority = job == item ? priority_of(w, item->task) : job->priority;
    }
    rebuild(w, p);
}

static void end(void *state) { csim_heap_free(&((priorities *)state)->heap); }

const csim_strategy_type csim_priorities = {
    .state_size = sizeof(priorities), .begin = begin, .prepare = prepare, .added = added, .taken = taken,
    .rebuild = rebuild, .choose = choose, .reseed = reseed, .end = end,
};
