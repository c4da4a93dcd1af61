// Work that is handed to queues, in the order in which they start it.
#define _GNU_SOURCE
#include "dispatch.h"
#include <string.h>

extern void *_Block_copy(const void *) __attribute__((weak));
extern void _Block_release(const void *) __attribute__((weak));

typedef void object_call(void *);
typedef void sync_call(void *, void *, csim_function *);

static void retain(void *object) { CSIM_NEXT(object_call, dispatch_retain)(object); }
static void release(void *object) { CSIM_NEXT(object_call, dispatch_release)(object); }

void csim_choose_dispatch(csim_world *w, bool is_simulated) {
    const char *text = getenv("LENSSIM_DISPATCH");
    if (text && *text) is_simulated = !strcmp(text, "simulated");
    if (is_simulated && !w->dispatch) w->dispatch = csim_zeroed(1, sizeof *w->dispatch);
}

// MARK: Queues

static bool is_idle(const csim_queue *queue) { return !queue->works && !queue->held && !queue->suspensions && !queue->line; }

csim_queue *csim_find_queue(csim_world *w, void *object) {
    csim_queue **place = &w->dispatch->queues[csim_dispatch_place(object)], *unused = NULL;
    for (csim_queue *queue = *place; queue; queue = queue->next) {
        if (queue->object == object && queue->node == w->current_node && queue->epoch == w->epoch) {
            // Another queue may have come to lie where one has been.
            if (is_idle(queue)) queue->kind = csim_queue_kind(object);
            return queue;
        }
        if (is_idle(queue)) unused = queue;
    }
    csim_queue *queue = unused;
    if (!queue) {
        queue = csim_zeroed(1, sizeof *queue);
        queue->next = *place;
        *place = queue;
    }
    queue->object = object;
    queue->node = w->current_node;
    queue->epoch = w->epoch;
    queue->kind = csim_queue_kind(object);
    return queue;
}

/// Whether code enters a queue alone. The library takes no notice of barriers on its global queues.
static bool enters_alone(const csim_queue *queue, bool is_barrier) {
    return !(queue->kind & CSIM_QUEUE_CONCURRENT) || (is_barrier && !(queue->kind & CSIM_QUEUE_GLOBAL));
}

static bool is_exclusive(const csim_work *work) { return enters_alone(work->queue, work->is_barrier); }

static void append(csim_work *work) {
    csim_queue *queue = work->queue;
    if (work->base) {
        work->ahead = work->base->line_end;
        if (work->ahead) work->ahead->behind = work;
        else work->base->line = work;
        work->base->line_end = work;
    }
    work->previous = queue->last;
    if (queue->last) queue->last->next = work;
    else queue->first = work;
    queue->last = work;
    if (!queue->waiting) queue->waiting = work;
}

static void take_out(csim_work *work) {
    csim_queue *queue = work->queue;
    if (work->base) {
        if (work->ahead) work->ahead->behind = work->behind;
        else work->base->line = work->behind;
        if (work->behind) work->behind->ahead = work->ahead;
        else work->base->line_end = work->ahead;
    }
    if (queue->waiting == work) queue->waiting = work->next;
    if (work->previous) work->previous->next = work->next;
    else queue->first = work->next;
    if (work->next) work->next->previous = work->previous;
    else queue->last = work->previous;
}

// MARK: What is ready

static void note_ready(struct csim_dispatch *dispatch, csim_work *work) {
    work->older = dispatch->newest;
    if (dispatch->newest) dispatch->newest->newer = work;
    else dispatch->oldest = work;
    dispatch->newest = work;
}

static void note_begun(struct csim_dispatch *dispatch, csim_work *work) {
    if (!work->is_ready) return;
    work->is_ready = false;
    if (work->older) work->older->newer = work->newer;
    else dispatch->oldest = work->newer;
    if (work->newer) work->newer->older = work->older;
    else dispatch->newest = work->older;
}

static void run(csim_world *, csim_work *);

void csim_run_work(void *context) {
    csim_work *work = context;
    work->has_step = false;
    // Whoever waited for it may have run it before.
    if (work->is_over) free(work);
    else run(csim_current, work);
}

/// The function of the job by which work runs on the main actor.
static CSIM_ASYNC void run_job(char *job) { csim_run_work(job - offsetof(csim_work, job)); }

static void make_ready(csim_world *w, csim_work *work) {
    csim_queue *queue = work->queue;
    csim_item item = {.epoch = queue->epoch, .cause = w->cause, .node = queue->node};
    if (work->is_turn) {
        work->is_running = true;
        csim_wake_threads(w, work, 1);
        return;
    }
    work->is_ready = work->has_step = true;
    note_ready(w->dispatch, work);
    if (queue->kind & CSIM_QUEUE_MAIN) {
        CSIM_FIELD(uint32_t, work->job, CSIM_JOB_FLAGS) = CSIM_JOB_BLOCK;
        CSIM_FIELD(void *, work->job, CSIM_JOB_RESUME_FUNCTION) = (void *)run_job;
        item.kind = CSIM_STEP_MAIN;
        item.payload = work->job;
        item.touch = csim_main_identity;
    } else {
        item.kind = CSIM_STEP_EVENT;
        item.payload = work;
        item.call = csim_run_work;
    }
    csim_push_ready(w, item);
}

/// Lets the next begin, of a queue or of another with the same target.
static void start_next(csim_world *w, csim_queue *queue, csim_queue *base) {
    const csim_work *next = base ? csim_first_in_line(base) : NULL;
    csim_start_work(w, next ? next->queue : queue);
}

void csim_start_work(csim_world *w, csim_queue *queue) {
    if (csim_stands_still(queue)) return;
    while (queue->waiting) {
        csim_work *work = queue->waiting, *first = queue->first;
        // One that needs the queue for itself is alone in it.
        if (work != first && (is_exclusive(work) || is_exclusive(first))) return;
        if (work->base && csim_first_in_line(work->base) != work) return;
        queue->waiting = work->next;
        make_ready(w, work);
    }
}

// MARK: Handing over

csim_work *csim_make_work(csim_world *w, void *queue, void *block, csim_function *function, void *context) {
    csim_work *work = csim_zeroed(1, sizeof *work);
    work->number = ++w->dispatch->work_numbers;
    work->queue = csim_find_queue(w, queue);
    work->queue->works++;
    work->base = csim_base_of(w, work->queue);
    retain(queue);
    work->function = function;
    work->context = function ? context : _Block_copy(block);
    work->is_barrier = !function && csim_is_barrier(block);
    return work;
}

void csim_submit(csim_world *w, csim_work *work) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    append(work);
    csim_start_work(w, work->queue);
}

void csim_discard_work(void *context) {
    csim_work *work = context;
    if (!work->function) _Block_release(work->context);
    if (work->group) release(work->group);
    work->queue->works--;
    release(work->queue->object);
    free(work);
}

void csim_drop_work(void *context) {
    // What has not run stays with its queue.
    csim_work *work = context;
    work->has_step = false;
    if (work->is_over) free(work);
}

// MARK: Running

/// The head of a block (Block-ABI-Apple in clang's documentation).
typedef struct {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
} block_head;

static void invoke(void *context) {
    csim_work *work = context;
    if (work->function) work->function(work->context);
    else ((block_head *)work->context)->invoke(work->context);
}

// MARK: Entering

typedef struct {
    csim_queue *queue;
    csim_work *work;   // by which a thread has waited for it; NULL for none
    uint32_t entered;  // how many were before
    bool is_alone;
} turn;

static turn enter_now(struct csim_dispatch *dispatch, csim_queue *queue, bool is_alone) {
    turn turn = {queue, NULL, dispatch->entered_count, is_alone};
    queue->held++;
    if (is_alone) csim_note_entered(dispatch, queue->object);
    for (void *target = csim_queue_target(queue->object); target; target = csim_queue_target(target)) {
        if (!(csim_queue_kind(target) & CSIM_QUEUE_CONCURRENT)) csim_note_entered(dispatch, target);
    }
    return turn;
}

/// A simulated thread waits until the queue and its targets have nobody on them.
static void await_entry(csim_world *w, const csim_queue *queue, bool is_alone, const char *function) {
    while (csim_self && !csim_can_enter(w->dispatch, queue, is_alone)) {
        const csim_entry *other = csim_obstacle(w->dispatch, queue);
        csim_block_for(w, &w->dispatch->entered, other ? other->thread : 0, -1, function);
    }
}

static void leave(turn turn) {
    csim_queue *queue = turn.queue;
    if (!queue) return;
    queue->held--;
    csim_world *w = csim_dispatch_world();
    if (!w) return;
    if (!csim_self) {
        w->dispatch->entered_count = turn.entered;
        return;
    }
    // Others may have entered queues since, and be on them still.
    if (turn.is_alone) csim_note_left(w->dispatch, queue->object);
    for (void *target = csim_queue_target(queue->object); target; target = csim_queue_target(target)) {
        if (!(csim_queue_kind(target) & CSIM_QUEUE_CONCURRENT)) csim_note_left(w->dispatch, target);
    }
    csim_wake_threads(w, &w->dispatch->entered, UINT32_MAX);
    if (!turn.work) return;
    csim_queue *base = turn.work->base;
    take_out(turn.work);
    start_next(w, queue, base);
    csim_discard_work(turn.work);
}

/// Runs it now, within the current step, and lets begin what it kept waiting.
static void run(csim_world *w, csim_work *work) {
    csim_queue *queue = work->queue;
    bool is_alone = is_exclusive(work);
    note_begun(w->dispatch, work);
    if (queue->waiting == work) queue->waiting = work->next;
    work->is_running = true;
    csim_mix(w, work->number);  // blocks of one node are the same to the log of steps
    csim_life before = {w->current_node, w->epoch};
    csim_return_to(w, (csim_life){queue->node, queue->epoch});
    await_entry(w, queue, is_alone, "dispatch_async");
    turn turn = enter_now(w->dispatch, queue, is_alone);
    // On the main queue this thread may be without Dispatch's knowing it; waiting for it would never end.
    if (queue->kind & CSIM_QUEUE_MAIN) invoke(work);
    else if (is_alone) CSIM_NEXT(sync_call, dispatch_barrier_sync_f)(queue->object, work, invoke);
    else CSIM_NEXT(sync_call, dispatch_sync_f)(queue->object, work, invoke);
    leave(turn);
    take_out(work);
    void *group = work->group, *block = work->function ? NULL : work->context;
    work->group = NULL;
    work->is_over = true;
    if (group) {
        csim_leave_group(w, group);
        release(group);
    }
    if (block) {
        csim_block_is_over(w, block);
        _Block_release(block);
    }
    start_next(w, queue, work->base);
    queue->works--;
    release(queue->object);
    csim_return_to(w, before);
    if (!work->has_step) free(work);
}

// MARK: Waiting

static int64_t first_timer(const csim_world *w) { return w->timers.count ? w->timers.heap[0].time_ns : INT64_MAX; }

bool csim_help(csim_world *w, int64_t end_ns) {
    for (csim_work *work = w->dispatch->oldest; work; work = work->newer) {
        const csim_queue *queue = work->queue;
        const csim_node *node = w->nodes[queue->node];
        if (!node->alive || node->paused || node->epoch != queue->epoch) continue;
        // Waiting code does not run the main queue, and the queues that this thread has entered keep others out.
        if (queue->kind & CSIM_QUEUE_MAIN || !csim_can_enter(w->dispatch, queue, is_exclusive(work))) continue;
        run(w, work);
        return true;
    }
    // Not forever, where a timer fires again and again: as long as a run may take, or wait.
    int64_t next = first_timer(w), patience;
    if (__builtin_add_overflow(w->progress_ns, w->limits.wait_ns, &patience)) patience = INT64_MAX;
    if (!w->dispatch->timers || next > end_ns || next > w->limits.time_ns || next > patience) return false;
    csim_pass_time(w, next > w->now_ns ? next - w->now_ns : 0);
    csim_life before = {w->current_node, w->epoch};
    uint32_t cause = w->cause;
    csim_fire_due(w);
    csim_return_to(w, before);
    w->cause = cause;
    return true;
}

/// Runs what stands in a line now.
static void run_line(csim_world *w, csim_queue *base, const char *function) {
    uint64_t newest = base->line_end ? base->line_end->number : 0;
    for (csim_work *work; (work = csim_first_in_line(base)) && work->number <= newest;) {
        if (work->is_running || (is_exclusive(work) && work->queue->held)) csim_wait_for_ever(w, function);
        run(w, work);
    }
}

/// Runs what the queue was given before, as far as code that enters the queue now has to wait for it.
static void wait_for_turn(csim_world *w, csim_queue *queue, bool is_alone, const char *function) {
    if (queue->kind & CSIM_QUEUE_MAIN || !csim_can_enter(w->dispatch, queue, is_alone)) csim_wait_for_ever(w, function);
    while (csim_stands_still(queue)) {
        if (!csim_help(w, INT64_MAX)) csim_wait_for_ever(w, function);
    }
    csim_queue *base = csim_base_of(w, queue);
    if (base) return run_line(w, base, function);
    csim_work *last = queue->last;
    // Others may enter beside what needs no turn of its own.
    while (!is_alone && last && !is_exclusive(last)) last = last->previous;
    while (last && queue->first) {
        csim_work *work = queue->first;
        if (work->is_running || csim_stands_still(queue) || (is_exclusive(work) && queue->held)) csim_wait_for_ever(w, function);
        bool is_last = work == last;
        run(w, work);
        if (is_last) break;
    }
}

static void do_nothing(void *context) { (void)context; }

/// A simulated thread waits behind what the queue was given before, and keeps what it is given later behind itself.
static turn take_turn(csim_world *w, csim_queue *queue, bool is_barrier, bool is_alone, const char *function) {
    csim_work *work = csim_make_work(w, queue->object, NULL, do_nothing, NULL);
    work->is_barrier = is_barrier;
    work->is_turn = true;
    csim_submit(w, work);
    while (!work->is_running) {
        const csim_entry *other = csim_entry_of(w->dispatch, queue->object);
        csim_block_for(w, work, other ? other->thread : 0, -1, function);
    }
    await_entry(w, queue, is_alone, function);
    turn turn = enter_now(w->dispatch, queue, is_alone);
    turn.work = work;
    return turn;
}

static turn enter(void *object, bool is_barrier, const char *function) {
    csim_world *w = csim_dispatch_world();
    if (!w) return (turn){0};
    csim_queue *queue = csim_find_queue(w, object);
    bool is_alone = enters_alone(queue, is_barrier);
    if (csim_self && !(queue->kind & CSIM_QUEUE_MAIN)) return take_turn(w, queue, is_barrier, is_alone, function);
    wait_for_turn(w, queue, is_alone, function);
    return enter_now(w->dispatch, queue, is_alone);
}

/// What a simulated thread has the main queue do, while it waits.
typedef struct {
    csim_work work;  // of which only function and context count
    csim_thread *thread;
    bool is_over;
} main_call;

static void call_on_main(void *context) {
    main_call *call = context;
    // What was to be done lies on the stack of the thread, which may be gone.
    if (call->thread->state == CSIM_THREAD_GONE) return free(call);
    invoke(&call->work);
    call->is_over = true;
    csim_wake_threads(csim_current, call, 1);
}

/// Whether the queue is the main queue, and has done it.
static bool is_done_on_main(void *object, void *block, csim_function *function, void *context, const char *name) {
    csim_world *w = csim_self ? csim_dispatch_world() : NULL;
    if (!w || !(csim_queue_kind(object) & CSIM_QUEUE_MAIN)) return false;
    main_call *call = csim_zeroed(1, sizeof *call);
    *call = (main_call){.work = {.function = function, .context = function ? context : block}, .thread = csim_self};
    csim_submit(w, csim_make_work(w, object, NULL, call_on_main, call));
    while (!call->is_over) csim_block(w, call, -1, name);
    free(call);
    return true;
}

#define SYNC(name, is_barrier)                                                     \
    CSIM_WEAK void name(void *queue, void *block) {                                \
        if (is_done_on_main(queue, block, NULL, NULL, #name)) return;              \
        csim_world *w = csim_dispatch_world();                                     \
        turn turn = enter(queue, is_barrier || (w && csim_is_barrier(block)), #name); \
        CSIM_NEXT(void(void *, void *), name)(queue, block);                       \
        leave(turn);                                                               \
        if (w) csim_block_is_over(w, block);                                       \
    }                                                                              \
    CSIM_WEAK void name##_f(void *queue, void *context, csim_function *function) { \
        if (is_done_on_main(queue, NULL, function, context, #name "_f")) return;    \
        turn turn = enter(queue, is_barrier, #name "_f");                          \
        CSIM_NEXT(sync_call, name##_f)(queue, context, function);                  \
        leave(turn);                                                               \
    }

SYNC(dispatch_sync, false)
SYNC(dispatch_barrier_sync, true)
SYNC(dispatch_async_and_wait, false)
SYNC(dispatch_barrier_async_and_wait, true)

// MARK: Suspending

/// Suspends or resumes what is simulated; false for what is not. The real queue goes on: what runs on it comes from here, and a node that has
/// crashed resumes nothing.
static bool suspends(void *object, int change) {
    csim_world *w = csim_dispatch_world();
    if (!w) return false;
    if (csim_suspend_source(w, object, change)) return true;
    csim_queue *queue = csim_find_queue(w, object);
    // The library takes no notice of it.
    if (queue->kind & (CSIM_QUEUE_GLOBAL | CSIM_QUEUE_MAIN)) return true;
    // One that was suspended outside.
    if (change < 0 && !queue->suspensions) return false;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    if (!queue->suspensions) retain(object);
    queue->suspensions += (uint32_t)change;
    start_next(w, queue, queue->first ? queue->first->base : NULL);
    csim_start_work(w, queue);
    if (!queue->suspensions) release(object);
    return true;
}

CSIM_WEAK void dispatch_suspend(void *object) {
    if (!suspends(object, 1)) CSIM_NEXT(object_call, dispatch_suspend)(object);
}

CSIM_WEAK void dispatch_resume(void *object) {
    if (!suspends(object, -1)) CSIM_NEXT(object_call, dispatch_resume)(object);
}

CSIM_WEAK void dispatch_activate(void *object) {
    csim_world *w = csim_dispatch_world();
    if (w && csim_suspend_source(w, object, -1)) return;
    // Before: a source of the library's own, such as that of a delay, may be gone afterwards.
    csim_queue_is_active(object);
    CSIM_NEXT(object_call, dispatch_activate)(object);
    if (!w) return;
    csim_queue *queue = csim_find_queue(w, object);
    queue->kind = csim_queue_kind(object);
    csim_start_work(w, queue);
}

// MARK: The end

void csim_free_dispatch(csim_world *w) {
    struct csim_dispatch *dispatch = w->dispatch;
    if (!dispatch) return;
    w->dispatch = NULL;
    csim_free_dropped_timers(dispatch);
    csim_free_groups(dispatch);
    csim_free_sources(dispatch);
    for (int i = 0; i < CSIM_DISPATCH_PLACES; i++) {
        for (csim_queue *queue = dispatch->queues[i]; queue;) {
            csim_queue *next = queue->next;
            for (csim_work *work = queue->first; work;) {
                csim_work *following = work->next;
                csim_discard_work(work);
                work = following;
            }
            if (queue->suspensions) release(queue->object);
            free(queue);
            queue = next;
        }
    }
    free(dispatch->entered);
    free(dispatch);
}
