// How a task is kept from running, and let go on again.
//
// A suspended task cannot be destroyed, and a job that was queued on an actor cannot be taken out of the queue: where it is
// never run, the actor stays locked for everybody, in this simulation and in later ones of the process. So the tasks of a
// node that has crashed are frozen: the function with which each would go on is replaced by one that only suspends the
// task again. Whoever resumes it resumes nothing, and actors work off their queues as before.
//
// When the run is over, frozen tasks may be thawed and cancelled, so that what they hold is given back.
#include "world.h"

extern void *swift_task_getCurrent(void) __attribute__((swiftcall));
extern CSIM_SWIFT void swift_task_cancel(void *task);

typedef CSIM_ASYNC void (*resume_function)(CSIM_CONTEXT void *);

/// ContinuationAsyncContext (ABI/Task.h), of which compilers set up the first two words, the error and the result.
typedef struct {
    void *parent, *resume;
    uintptr_t flags, synchronization;
    void *error, *result;
    uintptr_t executor[2];
    uintptr_t reserve[2];
} continuation;

extern CSIM_SWIFT void *swift_continuation_init(continuation *, uintptr_t flags);
extern CSIM_ASYNC void swift_continuation_await(continuation *);
typedef CSIM_SWIFT void (*resumer)(void *task);

/// A continuation, and how its task would have gone on.
typedef struct {
    continuation continuation;
    resume_function resume;
    void *context;
} frozen;

static CSIM_ASYNC void thaw(CSIM_CONTEXT void *context) {
    frozen *f = context;
    resume_function resume = f->resume;
    void *original = f->context;
    free(f);
    return resume(original);
}

/// What a frozen task runs: it suspends until it is thawed, if it ever is.
static CSIM_ASYNC void stay_frozen(CSIM_CONTEXT void *context) {
    csim_task *task = csim_task_of(swift_task_getCurrent());
    frozen *f = csim_zeroed(1, sizeof *f);
    f->continuation.parent = context;
    f->continuation.resume = (void *)thaw;
    f->context = context;
    if (task) {
        f->resume = (resume_function)task->resume;
        task->context = context;
    }
    swift_continuation_init(&f->continuation, 0);
    return swift_continuation_await(&f->continuation);
}

void csim_freeze(csim_task *task) {
    if (task->life == CSIM_FROZEN) return;
    void **resume = &CSIM_FIELD(void *, task->object, CSIM_JOB_RESUME_FUNCTION);
    task->resume = *resume;
    task->context = NULL;
    *resume = (void *)stay_frozen;
    if (task->life == CSIM_DEAD) task->life = CSIM_FROZEN;
}

static void thaw_task(csim_world *w, csim_task *task) {
    task->life = CSIM_DEAD;
    if (task->context) {
        // It was resumed meanwhile.
        CSIM_RUNTIME(resumer, swift_continuation_resume)(task->object);
    } else {
        CSIM_FIELD(void *, task->object, CSIM_JOB_RESUME_FUNCTION) = task->resume;
    }
    if (!task->dropped) return;
    csim_push_ready(w, (csim_item){
        .payload = task->dropped, .task = task, .epoch = task->epoch, .node = task->node, .kind = task->dropped_kind,
    });
    task->dropped = NULL;
}

static void thaw_tasks(csim_world *w) {
    for (csim_task *task = w->tasks.dead; task; task = task->next) {
        if (task->life == CSIM_FROZEN) thaw_task(w, task);
    }
}

/// Makes ready what still stands in the queues of nodes.
static void release_queues(csim_world *w) {
    for (uint32_t id = 0; id < w->node_count; id++) {
        csim_unpause(w, id);
        csim_ring *held = &w->nodes[id]->held;
        while (held->count) csim_push_ready(w, csim_ring_take(held));
    }
}

static uint32_t cancel_all(csim_task *first) {
    uint32_t count = 0;
    for (csim_task *task = first, *next; task; task = next) {
        next = task->next;
        count++;
        swift_task_cancel(task->object);
    }
    return count;
}

uint32_t csim_unwind(csim_world *w, bool with_dead) {
    csim_sweep(w, UINT32_MAX);
    csim_break_delay(w);
    csim_stop_threads(w);
    w->unwinding = true;
    for (uint32_t i = 0; i < w->node_count; i++) {
        if (w->nodes[i]->main_is_busy) csim_requeue_main(w, w->nodes[i]);
    }
    w->finished = w->diverged = w->log.comparing = false;
    w->watcher = NULL;
    release_queues(w);
    uint32_t count = cancel_all(w->tasks.live);
    if (!with_dead) return count;
    thaw_tasks(w);
    return count + cancel_all(w->tasks.dead);
}

/// Runs what is left on actors, so that none stays locked, and drops the rest.
static void work_off(csim_world *w) {
    while (w->ready.count) {
        csim_item item = csim_ready_take(&w->ready, csim_ready_next(&w->ready, 0));
        if (item.kind == CSIM_STEP_ACTOR) csim_run_item(w, item);
        else if (item.kind == CSIM_STEP_EVENT) csim_drop(w, item);
    }
}

void csim_close(csim_world *w) {
    csim_world *before = csim_set_current(w);
    w->unwinding = true;
    release_queues(w);
    csim_forget_tasks(w);
    for (uint32_t id = 0; id < w->node_count; id++) w->nodes[id]->main.count = 0;
    work_off(w);
    w->closed = true;
    csim_end_dormant(w);
    csim_set_current(before);
}
