// What is remembered of each task, and how its end is noticed.
#define _GNU_SOURCE
#include "strategy.h"
#include <string.h>

extern void *swift_retain(void *object);
extern void swift_release(void *object);
extern void *swift_task_getCurrent(void) __attribute__((swiftcall));
extern CSIM_SWIFT void swift_task_cancel(void *task);

static csim_task **slot_of(const void *job) { return &CSIM_FIELD(csim_task *, job, CSIM_JOB_RESERVED); }

/// Stands for the record of a task whose simulation has ended.
static csim_task forgotten;

csim_task *csim_task_of(const void *job) {
    csim_task *task = *slot_of(job);
    return task == &forgotten ? NULL : task;
}

static void *continued(const void *job) { return CSIM_FIELD(void *const, job, CSIM_CONTINUED_TASK); }

csim_task *csim_task_behind(const void *job) {
    switch (csim_job_kind(job)) {
    case CSIM_JOB_TASK: return csim_task_of(job);
    case CSIM_JOB_CONTINUATION: return csim_task_of(continued(job));
    default: return NULL;
    }
}

bool csim_is_foreign(const csim_world *w, const void *job) {
    const csim_task *task = csim_task_behind(job);
    return task && task->world != w;
}

bool csim_task_completed(const csim_task *task) {
    uint32_t status = __atomic_load_n(&CSIM_FIELD(uint32_t, task->object, CSIM_TASK_STATUS), __ATOMIC_ACQUIRE);
    return status & CSIM_STATUS_COMPLETE;
}

// MARK: Lists

static void link_task(csim_task **list, csim_task *task) {
    task->previous = NULL;
    task->next = *list;
    if (*list) (*list)->previous = task;
    *list = task;
}

static void unlink_task(csim_world *w, csim_task *task) {
    csim_tasks *tasks = &w->tasks;
    if (tasks->hand == task) tasks->hand = task->next;
    if (task->previous) task->previous->next = task->next;
    else if (task->life == CSIM_LIVE) tasks->live = task->next;
    else tasks->dead = task->next;
    if (task->next) task->next->previous = task->previous;
    if (task->life == CSIM_LIVE) tasks->live_count--;
}

static void link_dead(csim_world *w, csim_task *task) {
    task->life = CSIM_DEAD;
    link_task(&w->tasks.dead, task);
}

// MARK: Beginnings

/// Called in place of the function that the end of an `async let` child calls.
///
/// The child lies in the memory of its parent, which is free once the parent goes on: nothing may look at it any more.
static CSIM_ASYNC void complete_child(CSIM_CONTEXT void *context, __attribute__((swift_context)) void *error) {
    csim_task *task = csim_task_of(swift_task_getCurrent());
    typedef CSIM_ASYNC void (*completion)(CSIM_CONTEXT void *, __attribute__((swift_context)) void *);
    completion original = (completion)task->completion;
    csim_child_ended(task);
    return original(context, error);
}

/// Lets the end of a child that has not begun yet call complete_child.
static void watch_child(csim_task *task) {
    void **resume_parent = &CSIM_FIELD(
        void *, CSIM_FIELD(void *, task->object, CSIM_TASK_RESUME_CONTEXT), CSIM_CONTEXT_RESUME_PARENT
    );
    task->completion = *resume_parent;
    *resume_parent = (void *)complete_child;
}

csim_task *csim_register_task(csim_world *w, void *job) {
    csim_task *task = w->tasks.unused;
    if (task) w->tasks.unused = task->next;
    else task = csim_grow(NULL, sizeof *task);
    void *creator = swift_task_getCurrent();
    csim_task *parent = creator && creator != job ? csim_task_of(creator) : NULL;
    *task = (csim_task){
        .world = w, .object = job, .name = w->tasks.pending_name ? strdup(w->tasks.pending_name) : NULL,
        .created_ns = w->now_ns, .id = ++w->tasks.ids, .parent = parent ? parent->id : 0, .node = w->current_node,
        .epoch = w->epoch, .slot = CSIM_NO_SLOT,
    };
    csim_walk_frames(task->frames, CSIM_FRAMES, 4);  // the engine's own and the runtime's
    bool begins = *slot_of(job) != &forgotten;
    *slot_of(job) = task;
    if (csim_job_flags(job) & CSIM_JOB_IS_ASYNC_LET) {
        if (begins) watch_child(task);
    } else {
        swift_retain(job);  // so that its status can be read after it has ended
    }
    csim_note_touch(w, CSIM_TOUCH_TASK, task->id);
    if (!w->node->alive && !w->unwinding) task->epoch = UINT32_MAX;  // of no life
    if (!w->node->alive || task->epoch != w->node->epoch) {
        link_dead(w, task);
        // While the run unwinds it runs, cancelled: it is only to give back what it holds. Otherwise it never does.
        if (w->unwinding) swift_task_cancel(job);
        else csim_freeze(task);
    } else {
        link_task(&w->tasks.live, task);
        w->tasks.live_count++;
    }
    if (w->log.recording) csim_log_task(w, task);
    if (w->tasks.handler) w->tasks.handler(w, task);
    return task;
}

void csim_set_task_handler(csim_world *w, csim_task_handler handler) { w->tasks.handler = handler; }

void csim_note_created(csim_world *w, void *object) {
    if (!*slot_of(object)) csim_register_task(w, object);
}

// MARK: Ends

static void recycle(csim_world *w, csim_task *task) {
    csim_tasks *tasks = &w->tasks;
    unlink_task(w, task);
    if (task->left) csim_leave(w, task, 0);
    if (task->slot != CSIM_NO_SLOT) w->ready.items[task->slot].task = NULL;
    if (tasks->last == task) tasks->last = NULL;
    if (tasks->running == task) tasks->running = NULL;
    if (tasks->dying == task) tasks->dying = NULL;
    if (w->hopping == task) w->hopping = NULL;
    free(task->name);
    task->next = tasks->unused;
    tasks->unused = task;
}

void csim_child_ended(csim_task *task) {
    csim_world *w = task->world;
    if (w->recording_touches) csim_touch(w, task->parent ? CSIM_TOUCH_TASK : CSIM_TOUCH_ALL, task->parent);
    *slot_of(task->object) = NULL;
    recycle(w, task);
}

static void retire(csim_world *w, csim_task *task) {
    void *object = task->object;
    recycle(w, task);
    *slot_of(object) = NULL;
    swift_release(object);  // last: it may run deinitialisers
}

void csim_end_task(csim_world *w, csim_task *task) {
    // Only the parent learns of the end of a child; a task that waits for another, or would, is not seen.
    bool is_child = csim_job_flags(task->object) & CSIM_JOB_IS_CHILD && task->parent;
    csim_note_touch(w, is_child ? CSIM_TOUCH_TASK : CSIM_TOUCH_ALL, task->parent);
    retire(w, task);
}

void csim_sweep(csim_world *w, uint32_t most) {
    csim_tasks *tasks = &w->tasks;
    uint32_t looks = most < tasks->live_count ? most : tasks->live_count;
    while (looks-- && tasks->live) {
        csim_task *task = tasks->hand ? tasks->hand : tasks->live;
        tasks->hand = task->next;
        // Of thousands of tasks none is in a cache: the next one is fetched while this one's status is.
        if (tasks->hand) __builtin_prefetch(tasks->hand);
        // The end of a child of `async let` is reported by complete_child.
        // One that stands in the middle of a step on another thread ends there.
        if (task == tasks->running || task->stands || task->completion) continue;
        if (csim_task_completed(task)) csim_end_task(w, task);
    }
}

void csim_abandon_tasks(csim_world *w, uint32_t node) {
    void *current = swift_task_getCurrent();
    csim_task *running = current ? csim_task_of(current) : NULL;
    for (csim_task *task = w->tasks.live, *next; task; task = next) {
        next = task->next;
        if (task->node != node) continue;
        unlink_task(w, task);
        link_dead(w, task);
        // The one that runs goes on to its next suspension.
        if (task == running || task == w->tasks.running) w->tasks.dying = task;
        else csim_freeze(task);
    }
}

/// Held where a thread of the real world looks at a task of a simulation, and where its simulation ends.
static pthread_mutex_t foreign_lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(csim_task *first) {
    for (csim_task *task = first, *next; task; task = next) {
        next = task->next;
        csim_freeze(task);
        *slot_of(task->object) = &forgotten;  // the task itself is leaked: a suspended task cannot be destroyed
        free(task->name);
        free(task);
    }
}

bool csim_may_be_simulated(const void *job) {
    switch (csim_job_kind(job)) {
    case CSIM_JOB_TASK: return *slot_of(job);
    case CSIM_JOB_CONTINUATION: return *slot_of(continued(job));
    default: return false;
    }
}

bool csim_hand_over(csim_foreign foreign) {
    if (!csim_may_be_simulated(foreign.job)) return false;
    csim_lock(&foreign_lock);
    const csim_task *task = csim_task_behind(foreign.job);
    if (task) csim_push_foreign(task->world, foreign);
    csim_unlock(&foreign_lock);
    if (!task && foreign.drop) foreign.drop(&foreign);
    return true;
}

void csim_forget_tasks(csim_world *w) {
    csim_sweep(w, UINT32_MAX);
    if (!w->tasks.live && !w->tasks.dead) return;
    csim_lock(&foreign_lock);
    forget(w->tasks.live);
    forget(w->tasks.dead);
    csim_unlock(&foreign_lock);
    // What is left on actors runs once more; its tasks' records are gone.
    for (uint32_t slot = 0; slot < w->ready.end; slot++) w->ready.items[slot].task = NULL;
    w->tasks = (csim_tasks){.unused = w->tasks.unused, .ids = w->tasks.ids};
}

// MARK: The current task

csim_task *csim_hopping_task(csim_world *w, uintptr_t from, uintptr_t to) {
    void *object = swift_task_getCurrent();
    csim_task *task = object ? csim_task_of(object) : NULL;
    if (task && w->decisions.strategy->leave) {
        uint32_t left = csim_actor_number(w, from);
        csim_leave(w, task, left ? left : task->left == csim_actor_number(w, to) ? 0 : task->left);
    }
    return task;
}

const csim_task *csim_current_task(csim_world *w) {
    void *task = swift_task_getCurrent();
    csim_task *known = task ? csim_task_of(task) : NULL;
    return known ? known : w->tasks.running;
}

extern size_t swift_retainCount(void *object);

void csim_drop_references(void *object, size_t kept) {
    for (size_t count = swift_retainCount(object); count > kept; count--) swift_release(object);
}

// Swift code keeps frame pointers, so the chain of callers can be walked without tables. Bounded by the distance that
// one frame may reasonably have, so that a function compiled without a frame pointer ends the walk instead of the process.
__attribute__((no_sanitize("address", "thread"))) void csim_walk_frames(void **frames, int wanted, int skipped) {
    enum { FARTHEST = 1 << 16 };
    void **frame = __builtin_frame_address(0);
    int count = 0;
    while (count < wanted && frame[1]) {
        if (skipped-- <= 0) frames[count++] = frame[1];
        void **caller = frame[0];
        if (caller <= frame || (char *)caller - (char *)frame > FARTHEST || ((uintptr_t)caller & 7)) break;
        frame = caller;
    }
    while (count < wanted) frames[count++] = NULL;
}
