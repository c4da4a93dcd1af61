// What is remembered of each task, and how its end is noticed.
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <string.h>

// The layout of AsyncTask on 64-bit Linux, as the Swift 6.3 runtime has it (ABI/Task.h, TaskPrivate.h). A test fails
// loudly when a toolchain changes it.
enum {
    RESERVED_OFFSET = 48,  // Job::Reserved: the runtime neither reads nor writes it; we keep our record here
    CONTINUED_OFFSET = 64, // NullaryContinuationJob::Task
    STATUS_OFFSET = 96,    // ActiveTaskStatus, low word
    STATUS_COMPLETE = 0x2000,
};

extern void *swift_retain(void *object);
extern void swift_release(void *object);
extern void *swift_task_getCurrent(void) __attribute__((swiftcall));

static csim_task **slot_of(const void *job) { return (csim_task **)((char *)job + RESERVED_OFFSET); }

/// Stands for the record of a task whose simulation has ended.
static csim_task forgotten;

csim_task *csim_task_of(const void *job) {
    csim_task *task = *slot_of(job);
    return task == &forgotten ? NULL : task;
}

csim_task *csim_task_behind(const void *job) {
    switch (csim_job_kind(job)) {
    case CSIM_JOB_TASK: return csim_task_of(job);
    case CSIM_JOB_CONTINUATION: return csim_task_of(*(void *const *)((const char *)job + CONTINUED_OFFSET));
    default: return NULL;
    }
}

bool csim_is_foreign(const csim_world *w, const void *job) {
    const csim_task *task = csim_task_behind(job);
    return task && task->world != w;
}

bool csim_task_completed(const csim_task *task) {
    uint32_t status = __atomic_load_n((uint32_t *)((char *)task->object + STATUS_OFFSET), __ATOMIC_ACQUIRE);
    return status & STATUS_COMPLETE;
}

/// Keeps the table of live tasks, for a strategy that looks them up at each step.
static void note_id(csim_world *w, uint32_t id, csim_task *task) {
    if (w->strategy != CSIM_PRIORITIES) return;
    if (id >= w->by_id_capacity) {
        uint32_t capacity = id < 32 ? 64 : 2 * id;
        w->by_id = realloc(w->by_id, capacity * sizeof *w->by_id);
        if (!w->by_id) abort();
        memset(w->by_id + w->by_id_capacity, 0, (capacity - w->by_id_capacity) * sizeof *w->by_id);
        w->by_id_capacity = capacity;
    }
    w->by_id[id] = task;
}

static void link_dead(csim_world *w, csim_task *task) {
    task->previous = NULL;
    task->next = w->dead;
    w->dead = task;
    w->abandoned++;
}

csim_task *csim_register_task(csim_world *w, void *job) {
    csim_task *task = w->free_tasks;
    if (task) {
        w->free_tasks = task->next;
    } else if (!(task = malloc(sizeof *task))) {
        abort();
    }
    void *creator = swift_task_getCurrent();
    csim_task *parent = creator ? csim_task_of(creator) : NULL;
    task->world = w;
    task->object = swift_retain(job);  // so that its status can be read after it has ended
    task->name = w->pending_name ? strdup(w->pending_name) : NULL;
    task->created_ns = w->now_ns;
    task->id = ++w->task_ids;
    task->parent = parent ? parent->id : 0;
    task->node = w->current_node;
    task->epoch = w->epoch;
    task->priority = 0;
    task->steps = 0;
    task->yields = 0;
    task->left = 0;
    csim_walk_frames(task->frames, 4);  // the engine's own and the runtime's
    *slot_of(job) = task;
    csim_note_touch(w, CSIM_TOUCH_TASK, task->id);
    if (!w->node->alive) task->epoch = UINT32_MAX;  // of no life
    if (task->epoch != w->node->epoch) {
        link_dead(w, task);  // it never runs
    } else {
        task->previous = NULL;
        task->next = w->live;
        if (w->live) w->live->previous = task;
        w->live = task;
        w->live_count++;
        note_id(w, task->id, task);
    }
    if (w->recording_steps) csim_log_task(w, task);
    return task;
}

csim_task *csim_live_task(const csim_world *w, uint32_t id) {
    return id < w->by_id_capacity ? w->by_id[id] : NULL;
}

static void unlink_task(csim_world *w, csim_task *task) {
    if (w->hand == task) w->hand = task->next;
    if (task->previous) task->previous->next = task->next;
    else w->live = task->next;
    if (task->next) task->next->previous = task->previous;
    w->live_count--;
    note_id(w, task->id, NULL);
}

void csim_retire_task(csim_world *w, csim_task *task) {
    if (task->epoch == w->nodes[task->node].epoch) unlink_task(w, task);
    else return;  // on the list of the dead, which is never walked
    void *object = task->object;
    if (task->left) csim_leave(w, task, 0);
    free(task->name);
    task->next = w->free_tasks;
    w->free_tasks = task;
    *slot_of(object) = NULL;
    swift_release(object);  // last: it may run deinitialisers
}

void csim_sweep(csim_world *w, uint32_t most) {
    uint32_t looks = most < w->live_count ? most : w->live_count;
    while (looks-- && w->live) {
        csim_task *task = w->hand ? w->hand : w->live;
        w->hand = task->next;
        if (task != w->running && csim_task_completed(task)) csim_retire_task(w, task);
    }
}

void csim_abandon_tasks(csim_world *w, uint32_t node) {
    for (csim_task *task = w->live, *next; task; task = next) {
        next = task->next;
        if (task->node != node) continue;
        unlink_task(w, task);
        link_dead(w, task);
    }
}

/// Held where a thread of the real world looks at a task of a simulation, and where its simulation ends.
static pthread_mutex_t foreign_lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(csim_task *first) {
    for (csim_task *task = first, *next; task; task = next) {
        next = task->next;
        *slot_of(task->object) = &forgotten;  // the task itself is leaked: a suspended task cannot be destroyed
        free(task->name);
        free(task);
    }
}

bool csim_may_be_simulated(const void *job) {
    switch (csim_job_kind(job)) {
    case CSIM_JOB_TASK: return *slot_of(job);
    case CSIM_JOB_CONTINUATION: return *slot_of(*(void *const *)((const char *)job + CONTINUED_OFFSET));
    default: return false;
    }
}

bool csim_hand_over(csim_foreign foreign) {
    if (!csim_may_be_simulated(foreign.job)) return false;
    pthread_mutex_lock(&foreign_lock);
    const csim_task *task = csim_task_behind(foreign.job);
    if (task) csim_push_foreign(task->world, foreign);
    pthread_mutex_unlock(&foreign_lock);
    return true;
}

void csim_forget_tasks(csim_world *w) {
    if (!w->live && !w->dead) return;
    pthread_mutex_lock(&foreign_lock);
    forget(w->live);
    forget(w->dead);
    pthread_mutex_unlock(&foreign_lock);
}

csim_task *csim_hopping_task(csim_world *w, uintptr_t from, uintptr_t to) {
    void *object = swift_task_getCurrent();
    csim_task *task = object ? csim_task_of(object) : NULL;
    if (task && w->strategy == CSIM_REENTRANT) {
        uint32_t left = csim_actor_number(w, from);
        csim_leave(w, task, left ? left : task->left == csim_actor_number(w, to) ? 0 : task->left);
    }
    return task;
}

const csim_task *csim_current_task(csim_world *w) {
    void *task = swift_task_getCurrent();
    csim_task *known = task ? csim_task_of(task) : NULL;
    return known ? known : w->running;
}

extern size_t swift_retainCount(void *object);

void csim_drop_references(void *object, size_t kept) {
    for (size_t count = swift_retainCount(object); count > kept; count--) swift_release(object);
}

// Swift code keeps frame pointers, so the chain of callers can be walked without tables. Bounded by the distance that
// one frame may reasonably have, so that a function compiled without a frame pointer ends the walk instead of the process.
__attribute__((no_sanitize("address", "thread"))) void csim_walk_frames(void **frames, int skipped) {
    enum { FARTHEST = 1 << 16 };
    void **frame = __builtin_frame_address(0);
    int count = 0;
    while (count < CSIM_FRAMES && frame[1]) {
        if (skipped-- <= 0) frames[count++] = frame[1];
        void **caller = frame[0];
        if (caller <= frame || (char *)caller - (char *)frame > FARTHEST || ((uintptr_t)caller & 7)) break;
        frame = caller;
    }
    while (count < CSIM_FRAMES) frames[count++] = NULL;
}
