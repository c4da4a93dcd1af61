// The scheduler: what is ready, what is timed, and the loop that chooses.
#define _GNU_SOURCE
#include "ring.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local csim_world *csim_current;

// Run-time entry points of the Swift runtime (include/swift/Runtime/Concurrency.h). On the platforms that we support,
// the Swift calling convention passes these arguments like C.
extern void swift_job_run(void *job, csim_executor serial);
extern void swift_job_run_on_task_executor(void *job, csim_executor task);
extern __attribute__((swiftcall)) void swift_task_cancel(void *task);
extern __attribute__((swiftcall)) csim_executor swift_task_getCurrentExecutor(void);

static csim_executor global_executor, main_executor;
csim_executor csim_park_executor;
uintptr_t csim_main_identity;

void csim_set_executors(csim_executor global, csim_executor main, csim_executor park) {
    global_executor = global;
    main_executor = main;
    csim_park_executor = park;
    csim_main_identity = main.identity;
}

// MARK: Timers: a heap with four children a node, ordered by time, then age

static bool earlier(const csim_timer *a, const csim_timer *b) {
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
}

static void timer_push(csim_world *w, int64_t time_ns, csim_item item) {
    if (w->timer_count == w->timer_capacity) {
        w->timer_capacity = w->timer_capacity ? w->timer_capacity * 2 : 64;
        w->timers = grow(w->timers, w->timer_capacity * sizeof *w->timers);
    }
    csim_timer timer = {time_ns > w->now_ns ? time_ns : w->now_ns, w->timer_order++, item};
    uint32_t hole = w->timer_count++;
    while (hole) {
        uint32_t parent = (hole - 1) / 4;
        if (!earlier(&timer, &w->timers[parent])) break;
        w->timers[hole] = w->timers[parent];
        hole = parent;
    }
    w->timers[hole] = timer;
}

static csim_timer timer_pop(csim_world *w) {
    csim_timer first = w->timers[0], last = w->timers[--w->timer_count];
    uint32_t count = w->timer_count, hole = 0;
    for (;;) {
        uint32_t child = 4 * hole + 1, best = child;
        if (child >= count) break;
        uint32_t end = child + 4 < count ? child + 4 : count;
        for (uint32_t other = child + 1; other < end; other++) {
            if (earlier(&w->timers[other], &w->timers[best])) best = other;
        }
        if (!earlier(&w->timers[best], &last)) break;
        w->timers[hole] = w->timers[best];
        hole = best;
    }
    if (count) w->timers[hole] = last;
    return first;
}

// MARK: Life

csim_world *csim_create(uint64_t seed, csim_strategy strategy, int64_t wall_ns) {
    csim_world *w = calloc(1, sizeof *w);
    if (!w) abort();
    w->now_ns = 1000000000;  // not zero: an uptime of zero is never seen on a real machine
    w->wall_offset_ns = wall_ns - w->now_ns;
    w->hash = 0xcbf29ce484222325;
    w->strategy = strategy;
    w->schedule = csim_make_stream(seed, "schedule");
    w->order = w->hash;
    w->recording_touches = strategy == CSIM_CHOOSER;
    w->numbering_actors = strategy == CSIM_CHOOSER || strategy == CSIM_REENTRANT;
    w->inbox_end = &w->inbox;
    w->foreign_end = &w->foreign;
    pthread_mutex_init(&w->inbox_lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->inbox_filled, &monotonic);
    pthread_condattr_destroy(&monotonic);
    csim_add_node(w, "test", seed);
    return w;
}

void csim_destroy(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    csim_forget_tasks(w);
    csim_forget_foreign(w);
    for (csim_task *task = w->free_tasks; task;) {
        csim_task *next = task->next;
        free(task);
        task = next;
    }
    for (csim_parked *parked = w->free_parked; parked;) {
        csim_parked *next = parked->next_free;
        free(parked);
        parked = next;
    }
    for (csim_injection *injection = w->inbox; injection;) {
        csim_injection *next = injection->next;
        csim_drop_event(w, (csim_item){.payload = injection->context, .kind = CSIM_STEP_EVENT});
        free(injection);
        injection = next;
    }
    csim_let_go(w);
    for (uint32_t i = 0; i < w->node_count; i++) {
        free(w->nodes[i].name);
        free(w->nodes[i].main.items);
        free(w->nodes[i].held.items);
    }
    free(w->nodes);
    free(w->ready.items);
    // A sleeper that nobody wakes any more has its other reference in a task that is never destroyed.
    for (uint32_t i = 0; i < w->timer_count; i++) {
        if (w->timers[i].item.kind == CSIM_SLEEP) free(w->timers[i].item.payload);
    }
    csim_free_sleepers(w);
    free(w->timers);
    free(w->choices);
    free(w->replay);
    free(w->switches);
    free(w->step_counts);
    free(w->by_id);
    free(w->actors);
    free(w->log);
    for (size_t i = 0; i < w->task_log_count; i++) free(w->task_log[i].name);
    free(w->task_log);
    pthread_mutex_destroy(&w->inbox_lock);
    pthread_cond_destroy(&w->inbox_filled);
    free(w);
}

csim_world *csim_set_current(csim_world *world) {
    csim_world *before = csim_current;
    csim_current = world;
    csim_virtual = world && !world->paced ? world : NULL;
    return before;
}

csim_world *csim_get_current(void) { return csim_current; }

void csim_set_owner(csim_world *w, void *owner) { w->owner = owner; }
void *csim_owner(const csim_world *w) { return w->owner; }

// MARK: Enqueueing

void csim_push_ready(csim_world *w, csim_item item) {
    csim_node *node = &w->nodes[item.node];
    if (!node->alive || item.epoch != node->epoch) return csim_drop_event(w, item);  // of a life that has ended
    if (w->strategy >= CSIM_PRIORITIES) csim_give_priority(w, &item);
    if (item.task) csim_note_touch(w, CSIM_TOUCH_TASK, item.task);
    if (item.kind == CSIM_STEP_MAIN) csim_note_touch(w, CSIM_TOUCH_MAIN, item.node);
    if (node->paused) {
        ring_push(&node->held, item);
    } else if (item.kind == CSIM_STEP_MAIN) {
        // The ready list holds one token for a node's whole main queue.
        ring_push(&node->main, item);
        if (node->main.count == 1) {
            item.payload = NULL;
            ring_push(&w->ready, item);
        }
    } else {
        ring_push(&w->ready, item);
    }
}

/// The actor whose queue a job works off. ProcessOutOfLineJob in Actor.cpp keeps it behind the Job itself (Swift 6.3, 64
/// bits); a test tells when a toolchain changes it.
static uintptr_t actor_of(const void *job) {
    enum { ACTOR_OFFSET = 64 };
    return *(const uintptr_t *)((const char *)job + ACTOR_OFFSET);
}

static csim_item item_for(csim_world *w, void *job, csim_step_kind kind, bool registering) {
    uint32_t node = w->current_node, epoch = w->epoch;
    uintptr_t touch = w->touch;
    csim_task *task = csim_task_behind(job), *hopping = w->hopping;
    w->touch = 0;
    w->hopping = NULL;
    if (!task && registering && csim_job_kind(job) == CSIM_JOB_TASK) task = csim_register_task(w, job);
    if (task) {
        node = task->node;
        epoch = task->epoch;
        if (csim_job_kind(job) == CSIM_JOB_CONTINUATION) {
            // Task.yield: the task goes on where it is now.
            touch = swift_task_getCurrentExecutor().identity;
        }
    } else if (kind == CSIM_STEP_TASK && csim_job_kind(job) == CSIM_JOB_ACTOR) {
        kind = CSIM_STEP_ACTOR;
        touch = actor_of(job);
        task = hopping;
    }
    if (kind == CSIM_STEP_MAIN) touch = main_executor.identity;
    return (csim_item){
        .payload = job, .touch = touch, .epoch = epoch, .cause = w->cause, .task = task ? task->id : 0,
        .node = (uint16_t)node, .kind = (uint8_t)kind,
    };
}

void csim_enqueue(csim_world *w, void *job) {
    if (csim_is_foreign(w, job) && csim_claim_foreign(job, false)) return;
    csim_item item = item_for(w, job, CSIM_STEP_TASK, true);
    if (item.kind == CSIM_STEP_ACTOR && item.touch == w->entering) {
        w->entering = 0;
        w->entry = item;  // belongs to the step that runs now
    } else {
        csim_push_ready(w, item);
    }
}

void csim_enqueue_main(csim_world *w, void *job) {
    if (csim_is_foreign(w, job) && csim_claim_foreign(job, true)) return;
    csim_push_ready(w, item_for(w, job, CSIM_STEP_MAIN, true));
}

void csim_enqueue_at(csim_world *w, void *job, int64_t time_ns, bool main) {
    csim_note_touch(w, CSIM_TOUCH_TIME, (uint64_t)time_ns);
    // The runtime wraps each sleep in a small task of its own. It is not worth remembering.
    timer_push(w, time_ns, item_for(w, job, main ? CSIM_STEP_MAIN : CSIM_STEP_TASK, false));
}

void csim_push_sleeper(csim_world *w, csim_sleeper *sleeper, int64_t time_ns) {
    const csim_task *task = csim_current_task(w);
    csim_note_touch(w, CSIM_TOUCH_TIME, (uint64_t)time_ns);
    timer_push(w, time_ns, (csim_item){
        .payload = sleeper, .epoch = task ? task->epoch : w->epoch, .cause = w->cause,
        .node = (uint16_t)(task ? task->node : w->current_node), .kind = CSIM_SLEEP,
    });
}

void csim_call_at(csim_world *w, int64_t time_ns, csim_call call, void *context) {
    csim_note_touch(w, CSIM_TOUCH_WORLD, 0);
    // The world's doing, not the program's: in the life that the node has now, also when code of an earlier one asks.
    csim_item item = {
        .payload = context, .call = call, .epoch = w->node->epoch, .cause = w->cause,
        .node = (uint16_t)w->current_node, .kind = CSIM_STEP_EVENT,
    };
    timer_push(w, time_ns, item);
}

// MARK: Stepping

static bool same_step(const csim_step *a, const csim_step *b) {
    return a->time_ns == b->time_ns && a->task == b->task && a->choice == b->choice && a->ready == b->ready
        && a->draws == b->draws && a->node == b->node && a->kind == b->kind;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
    // A multiply-xorshift round: every bit of the input reaches every bit of the hash.
    uint64_t h = (hash ^ value) * 0x9e3779b97f4a7c15;
    return h ^ (h >> 29);
}

void csim_mix(csim_world *w, uint64_t value) { w->hash = mixed(w->hash, value); }

static void log_step(csim_world *w) {
    uint64_t who = (uint64_t)w->last.task << 32 | (uint64_t)w->last.node << 8 | w->last.kind;
    w->order = mixed(w->order, who);
    csim_mix(w, (uint64_t)w->last.time_ns);
    csim_mix(w, who);
    csim_mix(w, (uint64_t)w->last.choice << 32 | w->last.ready);
    csim_mix(w, w->last.draws);
    if (w->recording_steps) {
        if (w->log_count == w->log_capacity) {
            w->log_capacity = w->log_capacity ? w->log_capacity * 2 : 1024;
            w->log = grow(w->log, w->log_capacity * sizeof *w->log);
        }
        w->log[w->log_count++] = w->last;
    }
    if (w->comparing_steps) {
        uint64_t index = w->steps - 1;
        if (index >= w->expected_count || !same_step(&w->expected[index], &w->last)) w->diverged = true;
    }
}

static void run_item(csim_world *w, csim_item item) {
    switch ((csim_step_kind)item.kind) {
    case CSIM_STEP_EVENT: item.call(item.payload); break;
    case CSIM_STEP_MAIN: swift_job_run(item.payload, main_executor); break;
    case CSIM_STEP_TASK:
    case CSIM_STEP_ACTOR: swift_job_run_on_task_executor(item.payload, global_executor); break;
    }
}

/// Looks after a task that has run a step and goes on later.
static void after_step(csim_world *w, csim_task *task, uintptr_t touched) {
    task->steps++;
    // The runtime's own functions, such as Task.sleep, leave an actor unseen.
    if (w->strategy == CSIM_REENTRANT && touched) csim_leave(w, task, csim_actor_number(w, touched));
    bool cancels = (task->id == w->cancel_task && task->steps == w->cancel_step)
        || (task->id > 1 && w->cancel_countdown && !--w->cancel_countdown);
    if (!cancels) return;
    if (!w->cancellations++) w->cancelled = (csim_cancelled_task){task->id, task->steps};
    csim_mix(w, 0x63616e63656c ^ task->id);
    swift_task_cancel(task->object);
}

/// Notes what a step touches by running at all.
static void touch_step(csim_world *w, const csim_item *item) {
    if (item->kind == CSIM_STEP_EVENT) csim_touch(w, CSIM_TOUCH_ALL, 0);
    // Each node has a main actor of its own, though all have one executor.
    else if (item->kind == CSIM_STEP_MAIN) csim_touch(w, CSIM_TOUCH_ACTOR, 1ull << 32 | item->node);
    else if (item->touch) csim_touch(w, CSIM_TOUCH_ACTOR, csim_actor_number(w, item->touch));
    if (item->task) csim_touch(w, CSIM_TOUCH_TASK, item->task);
}

/// Notes what a task touches by ending. Of a child only its parent knows; who waits for another, or would, is not seen.
static void touch_end(csim_world *w, const csim_task *task) {
    enum { IS_CHILD = 1 << 24 };  // JobFlags::Task_IsChildTask in ABI/MetadataValues.h
    bool is_child = *(const uint32_t *)((const char *)task->object + 32) & IS_CHILD && task->parent;
    csim_touch(w, is_child ? CSIM_TOUCH_TASK : CSIM_TOUCH_ALL, task->parent);
}

static void step(csim_world *w) {
    uint32_t ready = w->ready.count, choice = csim_choose(w);
    csim_item item = ring_take(&w->ready, choice);
    csim_node *node = &w->nodes[item.node];
    if (item.epoch != node->epoch) return csim_drop_event(w, item);  // dropped by a crash after it became ready
    if (item.kind == CSIM_STEP_MAIN) {
        if (!node->main.count || node->paused) return;  // csim_unpause makes a new token
        csim_item token = item;
        item = ring_take(&node->main, 0);
        if (node->main.count) {
            token.priority = ring_head(&node->main)->priority;
            ring_push(&w->ready, token);
        }
    }
    if (node->paused) {
        ring_push(&node->held, item);
        return;
    }
    csim_task *task = item.kind == CSIM_STEP_EVENT ? NULL : csim_task_behind(item.payload);
    w->last = (csim_step){w->now_ns, 0, item.task, choice, ready, item.cause, item.node, item.kind};
    if (w->counting_steps) csim_count_step(w);
    w->current_node = item.node;
    w->node = node;
    w->epoch = item.epoch;
    w->running = task;
    w->cause = (uint32_t)++w->steps;
    if (w->recording_touches) touch_step(w, &item);
    if (task && csim_job_kind(item.payload) == CSIM_JOB_CONTINUATION) {
        w->hopping = task;
        w->entering = item.touch;
    }
    run_item(w, item);
    w->hopping = NULL;
    w->entering = 0;
    if (w->entry.payload) {
        csim_item entry = w->entry;
        w->entry.payload = NULL;
        if (entry.epoch == w->nodes[entry.node].epoch) run_item(w, entry);
    }
    w->running = NULL;
    w->last.draws = w->nodes[item.node].entropy.draws;
    log_step(w);
    if (w->diverged) return;  // the report wants to look at the task
    if (task) {
        if (csim_task_completed(task)) {
            if (w->recording_touches) touch_end(w, task);
            csim_retire_task(w, task);
        } else {
            after_step(w, task, item.touch);
        }
    } else {
        csim_sweep(w, 2);  // an actor's job may have completed tasks that we did not see
    }
    if (w->watcher) w->watcher(w->watcher_context);
    if (w->now_ns != w->last.time_ns) csim_fire_due(w);  // time has passed within the step
}

// MARK: Time

/// Makes ready what is due, in order of time and then age.
///
/// A sleep's timer resumes the sleeper here and now, which makes it ready, and that is the only choice there is to make;
/// where the sleep is the runtime's, the timer holds a small task of its own that does nothing else.
void csim_fire_due(csim_world *w) {
    while (w->timer_count && w->timers[0].time_ns <= w->now_ns) {
        csim_item item = timer_pop(w).item;
        csim_node *node = &w->nodes[item.node];
        if (item.kind == CSIM_SLEEP) {
            w->cause = item.cause;
            if (item.epoch == node->epoch) csim_wake(item.payload);
            else csim_drop_sleeper(item.payload);
        } else if (item.kind == CSIM_STEP_EVENT || csim_task_of(item.payload)) {
            csim_push_ready(w, item);
        } else if (item.epoch == node->epoch) {
            w->current_node = item.node;
            w->node = node;
            w->epoch = item.epoch;
            w->cause = item.cause;
            run_item(w, item);
        }
    }
}

/// Time need not pass for a sleep that was cancelled.
static void forget_cancelled_sleeps(csim_world *w) {
    while (w->timer_count && w->timers[0].item.kind == CSIM_SLEEP && !csim_sleeps(w->timers[0].item.payload)) {
        csim_drop_sleeper(timer_pop(w).item.payload);
    }
}

/// Lets time pass until something is ready. False when nothing ever will be.
static bool advance(csim_world *w) {
    if (w->paced) return csim_wait_paced(w);
    if (!w->timer_count) return false;
    if (w->timers[0].time_ns > w->now_ns) w->now_ns = w->timers[0].time_ns;
    csim_fire_due(w);
    return true;
}

csim_result csim_run_steps(csim_world *w, uint64_t step_limit, int64_t time_limit_ns) {
    for (;;) {
        if (w->diverged) return CSIM_DIVERGED;
        if (w->finished) return CSIM_DONE;
        if (w->now_ns > time_limit_ns) return CSIM_TIME_LIMIT;
        if (atomic_load_explicit(&w->has_foreign, memory_order_relaxed)) csim_let_foreign_in(w);
        if (w->ready.count) {
            if (w->steps >= step_limit) return CSIM_STEP_LIMIT;
            step(w);
        } else {
            forget_cancelled_sleeps(w);
            if (w->timer_count && w->timers[0].time_ns > time_limit_ns) return CSIM_TIME_LIMIT;
            if (!advance(w)) return CSIM_IDLE;
        }
    }
}

void csim_finish(csim_world *w) { w->finished = true; }

void csim_set_watcher(csim_world *w, csim_call watcher, void *context) {
    w->watcher = watcher;
    w->watcher_context = context;
}

void csim_resume_after_finish(csim_world *w) {
    w->finished = false;
    w->diverged = false;
    w->comparing_steps = false;
}

uint32_t csim_cancel_all(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    uint32_t count = 0;
    for (csim_task *task = w->live, *next; task; task = next) {
        next = task->next;
        count++;
        swift_task_cancel(task->object);
    }
    return count;
}
