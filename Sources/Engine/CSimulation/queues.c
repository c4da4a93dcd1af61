// What a program asserts about the main queue. In a simulation this is where the main actor runs, on whatever thread.
#define _GNU_SOURCE
#include "world.h"

extern CSIM_SWIFT csim_executor swift_task_getCurrentExecutor(void);

/// Dispatch's main queue (dispatch/queue.h).
extern struct dispatch_queue_static_s _dispatch_main_q __attribute__((weak));

static bool asks_simulation(void *queue) {
    if (!csim_current || !queue) return false;
    return queue == (void *)&_dispatch_main_q || (csim_current->dispatch && csim_is_main_queue(queue));
}

static bool is_on_main_actor(void) { return swift_task_getCurrentExecutor().identity == csim_main_identity; }

/// Ends the process by a trap, as Dispatch does.
static void check(bool holds, const char *sentence) {
    if (holds) return;
    csim_write_error(sentence);
    __builtin_trap();
}

static void check_main(void) {
    check(is_on_main_actor(), "LensSim: dispatchPrecondition: this code must run on the main queue, and is not on the main actor\n");
}

#define ASSERTION(name, check_here)                              \
    __attribute__((weak)) void name(void *queue) {               \
        if (asks_simulation(queue)) return check_here;           \
        CSIM_NEXT(void(void *), name)(queue);                    \
    }

ASSERTION(dispatch_assert_queue, check_main())
// The main queue is serial, so that its work is its own barrier.
ASSERTION(dispatch_assert_queue_barrier, check_main())
ASSERTION(
    dispatch_assert_queue_not,
    check(!is_on_main_actor(), "LensSim: dispatchPrecondition: this code must not run on the main queue, and is on the main actor\n")
)

/// The values of the main queue, where the main actor is on it.
__attribute__((weak)) void *dispatch_get_specific(const void *key) {
    if (!csim_current || !csim_current->dispatch || !is_on_main_actor()) return CSIM_NEXT(void *(const void *), dispatch_get_specific)(key);
    typedef void *function(void *, const void *);
    return CSIM_NEXT(function, dispatch_queue_get_specific)((void *)&_dispatch_main_q, key);
}
