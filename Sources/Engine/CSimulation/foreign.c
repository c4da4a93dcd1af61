// Threads of the real world that resume a task of a simulation, or cancel its sleep: the task must not run concurrently
// with its simulation, on the platform's pool. What they want is handed to the simulation's own thread, and named as an
// escape there.
#define _GNU_SOURCE
#include "world.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

void csim_push_foreign(csim_world *w, csim_foreign foreign) {
    csim_foreign *kept = csim_grow(NULL, sizeof *kept);
    *kept = foreign;
    kept->next = NULL;
    csim_lock(&w->inbox_lock);
    *w->foreign_end = kept;
    w->foreign_end = &kept->next;
    atomic_store_explicit(&w->has_foreign, true, memory_order_relaxed);
    pthread_cond_signal(&w->inbox_filled);
    csim_unlock(&w->inbox_lock);
}

static csim_foreign *take_all(csim_world *w) {
    csim_lock(&w->inbox_lock);
    csim_foreign *first = w->foreign;
    w->foreign = NULL;
    w->foreign_end = &w->foreign;
    atomic_store_explicit(&w->has_foreign, false, memory_order_relaxed);
    csim_unlock(&w->inbox_lock);
    return first;
}

void csim_let_foreign_in(csim_world *w) {
    for (csim_foreign *foreign = take_all(w), *next; foreign; foreign = next) {
        next = foreign->next;
        const csim_task *task = csim_task_behind(foreign->job);
        csim_note_touch(w, CSIM_TOUCH_ALL, 0);
        csim_add_escape(w, CSIM_ESCAPE_FOREIGN, foreign->function, task ? task->id : 0, foreign->frames);
        foreign->act(w, foreign);
        free(foreign);
    }
}

bool csim_await_foreign(csim_world *w) {
    uint32_t starts = 1u << CSIM_ESCAPE_THREAD | 1u << CSIM_ESCAPE_DISPATCH | 1u << CSIM_ESCAPE_PROCESS | 1u << CSIM_ESCAPE_SOCKET;
    if (!(w->escaped_kinds & w->allowed_escapes & starts)) return false;
    // Longer than for an escape that was not allowed: this is work of the program.
    int64_t end_ns = csim_real_now() + 25 * (int64_t)CSIM_PATIENCE_NS;
    struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
    csim_world *before = csim_set_current(NULL);  // a real wait
    csim_pause_watch(true);
    csim_lock(&w->inbox_lock);
    int result = 0;
    while (!w->foreign && !result) result = pthread_cond_timedwait(&w->inbox_filled, &w->inbox_lock, &end);
    bool came = w->foreign;
    csim_unlock(&w->inbox_lock);
    csim_pause_watch(false);
    csim_set_current(before);
    return came;
}

void csim_forget_foreign(csim_world *w) {
    for (csim_foreign *foreign = w->foreign, *next; foreign; foreign = next) {
        next = foreign->next;
        if (foreign->drop) foreign->drop(foreign);
        free(foreign);
    }
}

// MARK: Jobs

static void enqueue(csim_world *w, const csim_foreign *foreign) { csim_enqueue(w, foreign->job); }
static void enqueue_main(csim_world *w, const csim_foreign *foreign) { csim_enqueue_main(w, foreign->job); }

bool csim_claim_foreign(void *job, bool main) {
    if (!csim_may_be_simulated(job)) return false;
    csim_foreign foreign = {.act = main ? enqueue_main : enqueue, .job = job, .function = "swift_task_enqueue"};
    csim_walk_callers(foreign.frames, CSIM_FRAMES);
    return csim_hand_over(foreign);
}

// MARK: Continuations: what a program calls is here, also where the task waits on an actor, whose queue tells nothing

typedef CSIM_SWIFT void (*resumer)(void *task);
typedef CSIM_SWIFT void (*thrower)(void *task, void *error);

#define RESUME(name)                                                         \
    static void act_##name(csim_world *w, const csim_foreign *foreign) {     \
        (void)w;                                                             \
        CSIM_RUNTIME(resumer, name)(foreign->job);                           \
    }                                                                        \
    __attribute__((weak)) CSIM_SWIFT void name(void *task) {                 \
        if (!csim_current) {                                                 \
            csim_foreign foreign = {.act = act_##name, .job = task, .function = #name}; \
            if (csim_may_be_simulated(task)) {                               \
                csim_walk_callers(foreign.frames, CSIM_FRAMES);                         \
                if (csim_hand_over(foreign)) return;                         \
            }                                                                \
        }                                                                    \
        CSIM_RUNTIME(resumer, name)(task);                                   \
    }

RESUME(swift_continuation_resume)
RESUME(swift_continuation_throwingResume)

extern void swift_errorRelease(void *error);

static void drop_error(const csim_foreign *foreign) { swift_errorRelease(foreign->error); }

static void act_with_error(csim_world *w, const csim_foreign *foreign) {
    (void)w;
    CSIM_RUNTIME(thrower, swift_continuation_throwingResumeWithError)(foreign->job, foreign->error);
}
__attribute__((weak)) CSIM_SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    if (!csim_current && csim_may_be_simulated(task)) {
        csim_foreign foreign = {
            .act = act_with_error, .drop = drop_error, .job = task, .error = error, .function = "swift_continuation_throwingResumeWithError",
        };
        csim_walk_callers(foreign.frames, CSIM_FRAMES);
        if (csim_hand_over(foreign)) return;
    }
    CSIM_RUNTIME(thrower, swift_continuation_throwingResumeWithError)(task, error);
}
