// The loop: what is ready and what is timed, one step after the other.
#define _GNU_SOURCE
#include "fetching.h"
#include "strategy.h"
#include <string.h>
#include <time.h>

_Thread_local csim_world *csim_current;

// Run-time entry points of the Swift runtime (include/swift/Runtime/Concurrency.h). On the platforms that we support,
// the Swift calling convention passes these arguments like C.
extern void swift_job_run(void *job, csim_executor serial);
extern void swift_job_run_on_task_executor(void *job, csim_executor task);
extern CSIM_SWIFT void swift_task_cancel(void *task);
extern CSIM_SWIFT csim_executor swift_task_getCurrentExecutor(void);

static csim_executor global_executor, main_executor;
csim_executor csim_park_executor;
uintptr_t csim_main_identity;

void csim_set_executors(csim_executor global, csim_executor main, csim_executor park) {
    global_executor = global;
    main_executor = main;
    csim_park_executor = park;
    csim_main_identity = main.identity;
}

// MARK: Life

static const csim_strategy_type *const strategies[] = {
    [CSIM_FIFO] = &csim_fifo, [CSIM_RANDOM] = &csim_random, [CSIM_REPLAY] = &csim_replay,
    [CSIM_PRIORITIES] = &csim_priorities, [CSIM_PARTIAL_ORDER] = &csim_partial_order,
    [CSIM_REENTRANT] = &csim_reentrant, [CSIM_CHOOSER] = &csim_asking, [CSIM_RUN_UNTIL_BLOCKED] = &csim_run_until_blocked,
    [CSIM_STICKY] = &csim_sticky, [CSIM_FOLLOWING] = &csim_following,
};

csim_world *csim_create(uint64_t seed, csim_strategy strategy, int64_t wall_ns) {
    csim_world *w = csim_zeroed(1, sizeof *w);
    static _Atomic uint64_t numbers;
    w->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
    w->seed = seed;
    w->now_ns = CSIM_START_NS;
    w->progress_ns = w->now_ns;
    w->moment = 1;  // tasks have seen none yet
    w->wall_offset_ns = wall_ns - w->now_ns;
    w->hash = 0xcbf29ce484222325;
    w->schedule = csim_make_stream(seed, "schedule");
    w->order = w->hash;
    w->recording_touches = strategy == CSIM_CHOOSER;
    w->numbering_actors = strategy == CSIM_CHOOSER || strategy == CSIM_REENTRANT;
    w->decisions.strategy = strategies[strategy];
    w->decisions.state = csim_zeroed(1, w->decisions.strategy->state_size + 1);
    w->stalls.next = UINT64_MAX;
    w->foreseen = CSIM_NO_SLOT;
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
    csim_close(w);
    csim_free_threads(w);
    csim_forget_foreign(w);
    for (csim_task *task = w->tasks.unused; task;) {
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
        csim_drop(w, (csim_item){.payload = injection->context, .kind = CSIM_STEP_EVENT});
        free(injection);
        injection = next;
    }
    csim_release_events(w);
    for (uint32_t i = 0; i < w->node_count; i++) {
        free(w->nodes[i]->name);
        free(w->nodes[i]->main.items);
        free(w->nodes[i]->held.items);
        free(w->nodes[i]);
    }
    free(w->nodes);
    csim_ready_free(&w->ready);
    for (uint32_t i = 0; i < w->timers.count; i++) {
        if (w->timers.heap[i].item.kind == CSIM_SLEEP) csim_drop_sleeper(w->timers.heap[i].item.payload);
    }
    csim_free_sleepers(w);
    free(w->timers.heap);
    csim_free_decisions(w);
    csim_free_rearrangement(w);
    free(w->stalls.only);
    free(w->actors);
    free(w->escapes);
    free(w->log.steps);
    free(w->log.places);
    free(w->log.marks);
    free(w->log.throws);
    free(w->log.cancelling);
    free(w->actor_types);
    for (size_t i = 0; i < w->log.task_count; i++) free(w->log.tasks[i].name);
    free(w->log.tasks);
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

static void make_ready(csim_world *w, csim_item item) {
    const csim_strategy_type *strategy = w->decisions.strategy;
    bool moved;
    uint32_t slot = csim_ready_push(&w->ready, item, &moved);
    if (moved && strategy->rebuild) strategy->rebuild(w, w->decisions.state);
    else if (strategy->added) strategy->added(w, w->decisions.state, slot);
}

bool csim_is_stale(const csim_world *w, const csim_item *item) {
    if (w->unwinding) return false;
    const csim_node *node = w->nodes[item->node];
    return !node->alive || item->epoch != node->epoch;
}

void csim_push_ready(csim_world *w, csim_item item) {
    csim_node *node = w->nodes[item.node];
    // Work on an actor also runs for a node that has crashed: others may have queued there, and the tasks of that node are
    // frozen.
    if (csim_is_stale(w, &item) && item.kind != CSIM_STEP_ACTOR) return csim_drop(w, item);
    if (w->rearrangement && csim_delays(w, &item)) return;
    if (w->decisions.strategy->prepare) w->decisions.strategy->prepare(w, w->decisions.state, &item);
    if (item.task) csim_note_touch(w, CSIM_TOUCH_TASK, item.task->id);
    if (item.kind == CSIM_STEP_MAIN) csim_note_touch(w, CSIM_TOUCH_MAIN, item.node);
    if (node->paused && !w->unwinding) {
        csim_ring_push(&node->held, item);
    } else if (item.kind == CSIM_STEP_MAIN) {
        // The ready list holds one token for a node's whole main queue.
        csim_ring_push(&node->main, item);
        if (node->token_slot == CSIM_NO_SLOT && !node->main_is_busy) {
            item.payload = &node->token_slot;
            item.task = NULL;
            make_ready(w, item);
        }
    } else {
        make_ready(w, item);
    }
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
        // Somebody else, or a timer, lets it go on: that was no waiting in a loop.
        if (task->idle_yields && csim_current_task(w) != task) task->idle_yields = 0;
        if (csim_job_kind(job) == CSIM_JOB_CONTINUATION) {
            // Task.yield: the task goes on where it is now.
            touch = swift_task_getCurrentExecutor().identity;
        }
    } else if (kind == CSIM_STEP_TASK && csim_job_kind(job) == CSIM_JOB_ACTOR) {
        kind = CSIM_STEP_ACTOR;
        touch = CSIM_FIELD(const uintptr_t, job, CSIM_PROCESSED_ACTOR);
        task = hopping;
    }
    if (kind == CSIM_STEP_MAIN) touch = main_executor.identity;
    return (csim_item){
        .payload = job, .touch = touch, .task = task, .epoch = epoch, .cause = w->cause, .node = node,
        .kind = (uint8_t)kind,
    };
}

void csim_enqueue(csim_world *w, void *job) {
    if (w->probe.is_on) csim_probe_job(w, job);
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
    if (w->probe.is_on) csim_probe_job(w, job);
    if (csim_is_foreign(w, job) && csim_claim_foreign(job, true)) return;
    csim_push_ready(w, item_for(w, job, CSIM_STEP_MAIN, true));
}

static void set_timer(csim_world *w, int64_t time_ns, csim_item item) {
    csim_timer_push(&w->timers, time_ns > w->now_ns ? time_ns : w->now_ns, item);
}

void csim_enqueue_at(csim_world *w, void *job, int64_t time_ns, bool main) {
    if (w->probe.is_on) csim_probe_job(w, job);
    time_ns = csim_waking_time(w, time_ns);
    csim_note_touch(w, CSIM_TOUCH_TIME, (uint64_t)time_ns);
    // The runtime wraps each sleep in a small task of its own. It is not worth remembering.
    set_timer(w, time_ns, item_for(w, job, main ? CSIM_STEP_MAIN : CSIM_STEP_TASK, false));
}

void csim_push_sleeper(csim_world *w, csim_sleeper *sleeper, int64_t time_ns) {
    const csim_task *task = csim_current_task(w);
    time_ns = csim_waking_time(w, time_ns);
    csim_note_touch(w, CSIM_TOUCH_TIME, (uint64_t)time_ns);
    if (w->rearrangement && task && csim_never_wakes(w, task->id)) time_ns = INT64_MAX / 2;
    if (task && task->id == 1 && time_ns > w->progress_ns) w->progress_ns = time_ns;
    set_timer(w, time_ns, (csim_item){
        .payload = sleeper, .epoch = task ? task->epoch : w->epoch, .cause = w->cause,
        .node = task ? task->node : w->current_node, .kind = CSIM_SLEEP,
    });
}

void csim_call_at(csim_world *w, int64_t time_ns, csim_call call, void *context) {
    csim_note_touch(w, CSIM_TOUCH_WORLD, 0);
    // The world's doing, not the program's: in the life that the node has now, also when code of an earlier one asks.
    set_timer(w, time_ns, (csim_item){
        .payload = context, .call = call, .epoch = w->node->epoch, .cause = w->cause, .node = w->current_node,
        .kind = CSIM_STEP_EVENT,
    });
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
    csim_mix(w, w->last.ready);
    csim_mix(w, w->last.draws);
    csim_log *log = &w->log;
    if (log->recording && !(log->recording_places && log->step_count == CSIM_MOST_PLACES)) {
        if (log->step_count == log->step_capacity) {
            log->step_capacity = log->step_capacity ? log->step_capacity * 2 : 1024;
            log->steps = csim_grow(log->steps, log->step_capacity * sizeof *log->steps);
        }
        log->steps[log->step_count++] = w->last;
    }
    if (log->comparing) {
        uint64_t index = w->steps - 1;
        if (index >= log->expected_count || !same_step(&log->expected[index], &w->last)) w->diverged = true;
    }
}

void csim_run_item(csim_world *w, csim_item item) {
    (void)w;
    switch ((csim_step_kind)item.kind) {
    case CSIM_STEP_EVENT: item.call(item.payload); break;
    case CSIM_STEP_MAIN: swift_job_run(item.payload, main_executor); break;
    case CSIM_STEP_TASK:
    case CSIM_STEP_ACTOR: swift_job_run_on_task_executor(item.payload, global_executor); break;
    }
}

/// Looks after a task that has run a step and goes on later.
static void after_step(csim_world *w, csim_task *task, uintptr_t touched) {
    csim_cancellation *cancellation = &w->cancellation;
    if (++task->steps > w->tasks.most_steps) w->tasks.most_steps = task->steps;
    // The runtime's own functions, such as Task.sleep, leave an actor unseen.
    if (touched && w->decisions.strategy->leave) csim_leave(w, task, csim_actor_number(w, touched));
    bool cancels = (task->id == cancellation->task && task->steps == cancellation->step)
        || (task->id > 1 && cancellation->drawn && task->steps == cancellation->drawn && !cancellation->skipped--);
    if (!cancels) return;
    if (!cancellation->count++) cancellation->first = (csim_cancelled_task){task->id, task->steps};
    csim_mix(w, 0x63616e63656c ^ task->id);
    swift_task_cancel(task->object);
}

/// Notes what a step touches by running at all.
static void touch_step(csim_world *w, const csim_item *item) {
    if (item->kind == CSIM_STEP_EVENT) csim_touch(w, CSIM_TOUCH_ALL, 0);
    // Each node has a main actor of its own, though all have one executor.
    else if (item->kind == CSIM_STEP_MAIN) csim_touch(w, CSIM_TOUCH_ACTOR, 1ull << 32 | item->node);
    else if (item->touch) csim_touch(w, CSIM_TOUCH_ACTOR, csim_actor_number(w, item->touch));
    if (item->task) csim_touch(w, CSIM_TOUCH_TASK, item->task->id);
}

/// A task whose node has crashed while it ran has come to its next suspension.
static void freeze_dying(csim_world *w) {
    csim_task *task = w->tasks.dying;
    w->tasks.dying = NULL;
    if (task && !csim_task_completed(task)) csim_freeze(task);
}

// MARK: Steps

/// The next of a main queue is ready; the ready list holds one token for the whole queue.
static void make_token(csim_world *w, const csim_node *node, csim_item token) {
    if (!node->main.count) return;
    token.priority = csim_ring_at(&node->main, 0)->priority;
    make_ready(w, token);
}

void csim_end_step_here(csim_world *w) {
    if (w->step_is_logged) return;
    w->step_is_logged = true;
    w->last.draws = w->node->entropy.draws;
    log_step(w);
}

/// A step of a main queue is over, which others of it have waited for.
static __attribute__((noinline)) void end_main_step(csim_world *w, csim_node *node, csim_item token) {
    // A crash meanwhile has begun another queue.
    if (!node->main_is_busy) return;
    node->main_is_busy = false;
    if (node->token_slot == CSIM_NO_SLOT) make_token(w, node, token);
}

static void step(csim_world *w) {
    const csim_strategy_type *strategy = w->decisions.strategy;
    uint32_t ready = w->ready.count, slot = csim_choose(w);
    if (w->ready.count >= MANY && slot != w->foreseen) {
        fetch_job(w, slot);
        fetch_task(w, slot);
    }
    bool is_watched = w->log.recording || w->log.comparing;
    uint32_t place = is_watched ? csim_ready_place(&w->ready, slot) : 0;
    if (strategy->taken) strategy->taken(w, w->decisions.state, slot);
    csim_item item = csim_ready_take(&w->ready, slot);
    w->foreseen = foresee(w);
    csim_node *node = w->nodes[item.node];
    csim_item token;
    bool has_token = false;
    // Dropped by a crash after it became ready.
    if (csim_is_stale(w, &item) && item.kind != CSIM_STEP_ACTOR) return csim_drop(w, item);
    bool is_paused = node->paused && !w->unwinding;
    if (item.kind == CSIM_STEP_MAIN) {
        if (!node->main.count || is_paused) return;  // csim_unpause makes a new token
        token = item;
        item = csim_ring_take(&node->main);
        // A step that may block in its middle keeps the others from running until it ends.
        if (w->threads) has_token = node->main_is_busy = true;
        else make_token(w, node, token);
    }
    if (is_paused) {
        csim_ring_push(&node->held, item);
        return;
    }
    csim_task *task = item.kind == CSIM_STEP_EVENT ? NULL : csim_task_behind(item.payload);
    w->last = (csim_step){
        w->now_ns, 0, item.task ? item.task->id : 0, place, ready, item.cause, item.node, item.kind,
    };
    w->tasks.last = item.task;
    if (w->decisions.counting_steps) csim_count_step(w);
    if (task && task->id == 1) w->progress_ns = w->now_ns;
    w->current_node = item.node;
    w->node = node;
    w->epoch = item.epoch;
    w->tasks.running = task;
    w->cause = (uint32_t)++w->steps;
    w->step_is_logged = false;
    if (w->recording_touches) touch_step(w, &item);
    bool has_yielded = task && csim_job_kind(item.payload) == CSIM_JOB_CONTINUATION;
    // A yield resumes the task in a step of its own.
    if (!has_yielded && task && task->yielded) task->yielded--;
    if (has_yielded) {
        task->yielded = 2;
        if (!w->paced) csim_note_idle_yield(w, task);
        w->hopping = task;
        w->entering = item.touch;
    }
    if (w->log.recording_places) csim_log_place(w, &item);
    if (w->rearrangement) csim_count_followed(w, &item);
    fetch_job(w, w->foreseen);
    csim_run_item(w, item);
    fetch_task(w, w->foreseen);
    w->hopping = NULL;
    w->entering = 0;
    bool entered = w->entry.payload;
    if (entered) {
        csim_item entry = w->entry;
        w->entry.payload = NULL;
        csim_run_item(w, entry);
    }
    if (w->tasks.dying) freeze_dying(w);
    if (w->placed_escapes < w->escape_count) csim_place_escapes(w);
    task = w->tasks.running;  // none any more where it lay in its parent's memory, and has ended
    w->tasks.running = NULL;
    if (has_token) end_main_step(w, node, token);
    if (!w->step_is_logged) {
        w->step_is_logged = true;  // what follows may block, too
        w->last.draws = node->entropy.draws;
        log_step(w);
    }
    if (w->diverged) return;  // the report wants to look at the task
    if (task) {
        if (w->probe.is_on && task->id == 1 && w->finished) csim_probe_end(w, task);
        if (csim_task_completed(task)) csim_end_task(w, task);
        else after_step(w, task, item.touch);
    }
    // What ran on an actor, or queued there behind it, may have completed tasks that we did not see.
    if (!task || item.touch || entered) csim_sweep(w, w->recording_touches ? UINT32_MAX : 2);
    if (w->watcher) {
        w->is_checking = true;
        w->watcher(w->watcher_context);
        w->is_checking = false;
    }
    if (w->rearrangement) csim_end_delay(w);
    if (w->timing.on) w->now_ns = csim_moment_after(w, csim_step_time(w));
    if (w->now_ns != w->last.time_ns) csim_fire_due(w);  // time has passed within the step
}

// MARK: Time

/// Lets time pass until something is ready. False when nothing ever will be.
static bool advance(csim_world *w) {
    if (w->paced) return csim_wait_paced(w);
    if (!w->timers.count) return !w->unwinding && csim_await_foreign(w);
    w->moment++;
    if (w->timers.heap[0].time_ns > w->now_ns) w->now_ns = w->timers.heap[0].time_ns;
    csim_fire_due(w);
    return true;
}

csim_result csim_run_steps(csim_world *w, csim_limits limits) {
    w->limits = limits;
    for (;;) {
        if (w->threads && !csim_drives(w)) return CSIM_IDLE;  // a step has ended here that had blocked
        if (w->diverged) return CSIM_DIVERGED;
        if (w->finished) return CSIM_DONE;
        if (w->timers.dead) csim_forget_dead_timers(w);
        if (w->now_ns > limits.time_ns) return CSIM_TIME_LIMIT;
        if (w->now_ns - w->progress_ns > limits.wait_ns) return CSIM_WAIT_LIMIT;
        if (atomic_load_explicit(&w->has_foreign, memory_order_relaxed)) csim_let_foreign_in(w);
        if (w->ready.count) {
            if (w->steps >= limits.steps) return CSIM_STEP_LIMIT;
            if (w->stalls.on) csim_consider_stall(w);
            step(w);
        } else {
            if (w->timers.count && w->timers.heap[0].time_ns > limits.time_ns) return CSIM_TIME_LIMIT;
            if (csim_end_open_delay(w)) continue;
            if (!advance(w) && !csim_break_delay(w)) return CSIM_IDLE;
        }
    }
}

void csim_finish(csim_world *w) { w->finished = true; }

void csim_set_watcher(csim_world *w, csim_call watcher, void *context) {
    w->watcher = watcher;
    w->watcher_context = context;
}
