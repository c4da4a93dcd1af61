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

static bool is_idle(const csim_queue *queue) { return !queue->works && !queue->held && !queue->suspensions; }

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

static bool is_exclusive(const csim_work *work) {
    return work->is_barrier || !(work->queue->kind & CSIM_QUEUE_CONCURRENT);
}

static void append(csim_work *work) {
    csim_queue *queue = work->queue;
    work->previous = queue->last;
    if (queue->last) queue->last->next = work;
    else queue->first = work;
    queue->last = work;
    if (!queue->waiting) queue->waiting = work;
}

static void take_out(csim_work *work) {
    csim_queue *queue = work->queue;
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

void csim_start_work(csim_world *w, csim_queue *queue) {
    if (queue->suspensions || queue->kind & CSIM_QUEUE_INACTIVE) return;
    while (queue->waiting) {
        csim_work *work = queue->waiting, *first = queue->first;
        // One that needs the queue for itself is alone in it.
        if (work != first && (is_exclusive(work) || is_exclusive(first))) return;
        queue->waiting = work->next;
        make_ready(w, work);
    }
}

// MARK: Handing over

csim_work *csim_make_work(csim_world *w, void *queue, void *block, csim_function *function, void *context) {
    csim_work *work = csim_zeroed(1, sizeof *work);
    work->queue = csim_find_queue(w, queue);
    work->queue->works++;
    retain(queue);
    work->function = function;
    work->context = function ? context : _Block_copy(block);
    work->is_barrier = !function && csim_is_barrier(w, block);
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

static void hold(csim_queue *queue, bool is_alone, int change) {
    queue->held += (uint32_t)change;
    if (is_alone) queue->held_alone += (uint32_t)change;
}

/// Runs it now, within the current step, and lets begin what it kept waiting.
static void run(csim_world *w, csim_work *work) {
    csim_queue *queue = work->queue;
    bool is_alone = is_exclusive(work);
    note_begun(w->dispatch, work);
    if (queue->waiting == work) queue->waiting = work->next;
    work->is_running = true;
    csim_life before = {w->current_node, w->epoch};
    csim_return_to(w, (csim_life){queue->node, queue->epoch});
    hold(queue, is_alone, 1);
    // On the main queue this thread may be without Dispatch's knowing it; to wait for it would be for ever.
    if (queue->kind & CSIM_QUEUE_MAIN) invoke(work);
    else if (work->is_barrier) CSIM_NEXT(sync_call, dispatch_barrier_sync_f)(queue->object, work, invoke);
    else CSIM_NEXT(sync_call, dispatch_sync_f)(queue->object, work, invoke);
    hold(queue, is_alone, -1);
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
    csim_start_work(w, queue);
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
        // The main queue is not run by somebody who waits, and who has entered a queue keeps others out.
        if (queue->kind & CSIM_QUEUE_MAIN || queue->held_alone || (queue->held && is_exclusive(work))) continue;
        run(w, work);
        return true;
    }
    int64_t next = first_timer(w);
    if (!w->dispatch->timers || next > end_ns) return false;
    csim_pass_time(w, next > w->now_ns ? next - w->now_ns : 0);
    csim_life before = {w->current_node, w->epoch};
    uint32_t cause = w->cause;
    csim_fire_due(w);
    csim_return_to(w, before);
    w->cause = cause;
    return true;
}

static bool enters_alone(const csim_queue *queue, bool is_barrier) {
    return is_barrier || !(queue->kind & CSIM_QUEUE_CONCURRENT);
}

/// Runs what the queue was given before, as far as code that enters the queue now has to wait for it.
static void wait_for_turn(csim_world *w, csim_queue *queue, bool is_barrier, const char *function) {
    bool is_alone = enters_alone(queue, is_barrier);
    if (queue->held_alone || (is_alone && queue->held) || queue->kind & CSIM_QUEUE_MAIN) csim_wait_for_ever(w, function);
    csim_work *last = queue->last;
    // Others may enter beside what needs no turn of its own.
    while (!is_alone && last && !last->is_barrier) last = last->previous;
    while (last && queue->first) {
        csim_work *work = queue->first;
        if (work->is_running || queue->suspensions || queue->kind & CSIM_QUEUE_INACTIVE) csim_wait_for_ever(w, function);
        bool is_last = work == last;
        run(w, work);
        if (is_last) break;
    }
    if (queue->suspensions) csim_wait_for_ever(w, function);
}

typedef struct { csim_queue *queue; bool is_alone; } turn;

static turn enter(void *object, bool is_barrier, const char *function) {
    csim_world *w = csim_dispatch_world();
    if (!w) return (turn){0};
    csim_queue *queue = csim_find_queue(w, object);
    wait_for_turn(w, queue, is_barrier, function);
    turn turn = {queue, enters_alone(queue, is_barrier)};
    hold(queue, turn.is_alone, 1);
    return turn;
}

static void leave(turn turn) {
    if (turn.queue) hold(turn.queue, turn.is_alone, -1);
}

#define SYNC(name, is_barrier)                                                     \
    CSIM_WEAK void name(void *queue, void *block) {                                \
        turn turn = enter(queue, is_barrier, #name);                               \
        CSIM_NEXT(void(void *, void *), name)(queue, block);                       \
        leave(turn);                                                               \
    }                                                                              \
    CSIM_WEAK void name##_f(void *queue, void *context, csim_function *function) { \
        turn turn = enter(queue, is_barrier, #name "_f");                          \
        CSIM_NEXT(sync_call, name##_f)(queue, context, function);                  \
        leave(turn);                                                               \
    }

SYNC(dispatch_sync, false)
SYNC(dispatch_barrier_sync, true)
SYNC(dispatch_async_and_wait, false)
SYNC(dispatch_barrier_async_and_wait, true)

// MARK: Timers

typedef struct timer { csim_function *call, *drop; void *context; } timer;

void csim_dispatch_timer(csim_world *w, int64_t time_ns, csim_function *call, csim_function *drop, void *context) {
    timer *made = csim_grow(NULL, sizeof *made);
    *made = (timer){call, drop, context};
    w->dispatch->timers++;
    csim_call_at(w, csim_waking_time(w, time_ns), csim_dispatch_timer_is_due, made);
}

static timer taken(csim_world *w, void *context) {
    timer timer = *(struct timer *)context;
    free(context);
    if (w && w->dispatch) w->dispatch->timers--;
    return timer;
}

void csim_dispatch_timer_is_due(void *context) {
    timer timer = taken(csim_current, context);
    timer.call(timer.context);
}

void csim_drop_dispatch_timer(csim_world *w, void *context) {
    timer timer = taken(w, context);
    timer.drop(timer.context);
}

// MARK: Suspending

/// Suspends or resumes what is simulated; false for what is not. The real queue goes on: what runs on it comes from here, and a node that has
/// crashed resumes nothing.
static bool suspends(void *object, int change) {
    csim_world *w = csim_dispatch_world();
    if (!w) return false;
    if (csim_suspend_source(w, object, change)) return true;
    csim_queue *queue = csim_find_queue(w, object);
    // One that was suspended outside.
    if (change < 0 && !queue->suspensions) return false;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    queue->suspensions += (uint32_t)change;
    csim_start_work(w, queue);
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
    csim_free_groups(dispatch);
    csim_free_sources(dispatch);
    csim_free_barriers(dispatch);
    for (int i = 0; i < CSIM_DISPATCH_PLACES; i++) {
        for (csim_queue *queue = dispatch->queues[i]; queue;) {
            csim_queue *next = queue->next;
            for (csim_work *work = queue->first; work;) {
                csim_work *following = work->next;
                csim_discard_work(work);
                work = following;
            }
            free(queue);
            queue = next;
        }
    }
    free(dispatch);
}
