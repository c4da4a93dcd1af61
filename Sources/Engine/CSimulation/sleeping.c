// Sleeping in virtual time without a task for each sleep. The runtime implements Task.sleep with a second task that is
// scheduled for the end of the sleep and resumes the first; most of a sleep's cost is making and destroying it. Here the
// sleeper's continuation lies in the timer heap.
//
// What a program calls is the dispatch thunk of `Clock.sleep(until:tolerance:)`, which everything else, `Task.sleep(for:)`
// included, inlines down to. A weak definition of it overrides the one of libswift_Concurrency; for the library's two
// clocks it goes to Swift's `sleepInVirtualTime` while a simulation in virtual time is current, and to the clock's own
// otherwise. Where it is not in force (another processor, a static runtime) sleeps take the runtime's way, and end at the
// same time.
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>

extern void *swift_retain(void *object);
extern void swift_release(void *object);
extern CSIM_SWIFT void *swift_task_getCurrent(void);
extern CSIM_SWIFT void swift_continuation_resume(void *continuation);
typedef CSIM_SWIFT void cancellation_handler(__attribute__((swift_context)) void *context);
// The record lies in the task's own allocator, which frees in the reverse order: both calls are made by one function, with
// nothing of that allocator in between that is still in use. NULL where the task was cancelled already: then the handler
// has been called, and there is nothing to remove.
extern CSIM_SWIFT void *swift_task_addCancellationHandler(cancellation_handler *, void *context);
extern CSIM_SWIFT void swift_task_removeCancellationHandler(void *record);

/// One sleep. The timer heap holds it, and the sleeping function does, until it goes on.
struct csim_sleeper {
    csim_world *world;
    void *task;
    void *continuation;   // NULL before the sleep has begun, and once it was resumed
    void *handler;        // the runtime's record of what cancellation calls
    csim_sleeper *older;  // of all that the world has made
    csim_sleeper *next;   // of those to be used again
    uint8_t references;   // the sleeping function's and the heap's
    bool has_ended;       // its time has come
    bool is_cancelled;    // before its time has come
};

static void end_early(csim_sleeper *sleeper) {
    if (sleeper->has_ended) return;
    void *continuation = sleeper->continuation;
    sleeper->continuation = NULL;
    sleeper->is_cancelled = true;
    if (!continuation) return;
    sleeper->world->timers.dead++;
    swift_continuation_resume(continuation);
}

/// A thread that is not the simulation's has cancelled the task.
static void let_cancellation_in(csim_world *w, const csim_foreign *foreign) {
    // The sleep may be over by now, and its record in use for another.
    for (csim_sleeper *sleeper = w->sleepers; sleeper; sleeper = sleeper->older) {
        if (sleeper->references && sleeper->task == foreign->job) end_early(sleeper);
    }
    swift_release(foreign->job);
}

static void drop_cancellation(const csim_foreign *foreign) { swift_release(foreign->job); }

/// What cancelling the task calls, at once where it is cancelled already. The runtime holds a lock of the task meanwhile, so
/// that the sleep does not end on another thread.
static CSIM_SWIFT void cancel(__attribute__((swift_context)) void *context) {
    csim_sleeper *sleeper = context;
    if (csim_current && csim_current == sleeper->world) return end_early(sleeper);
    // Of a simulation that has ended the task is suspended forever, and nothing comes of this.
    csim_foreign foreign = {.act = let_cancellation_in, .drop = drop_cancellation, .job = sleeper->task, .function = "swift_task_cancel"};
    csim_walk_callers(foreign.frames, CSIM_FRAMES);
    swift_retain(foreign.job);
    csim_hand_over(foreign);
}

csim_sleeper *csim_make_sleeper(csim_world *w) {
    csim_sleeper *sleeper = w->free_sleepers, *older;
    if (sleeper) {
        w->free_sleepers = sleeper->next;
        older = sleeper->older;
    } else {
        older = w->sleepers;
        w->sleepers = sleeper = csim_grow(NULL, sizeof *sleeper);
    }
    *sleeper = (csim_sleeper){
        .world = w, .task = swift_task_getCurrent(), .older = older, .references = 1,
    };
    sleeper->handler = swift_task_addCancellationHandler(cancel, sleeper);
    return sleeper;
}

void csim_drop_sleeper(csim_sleeper *sleeper) {
    if (--sleeper->references) return;
    csim_world *w = sleeper->world;
    sleeper->next = w->free_sleepers;
    w->free_sleepers = sleeper;
}

void csim_free_sleepers(csim_world *w) {
    for (csim_sleeper *sleeper = w->sleepers, *older; sleeper; sleeper = older) {
        older = sleeper->older;
        // A task that is never destroyed keeps its sleeper, since it may still be cancelled.
        sleeper->world = NULL;
        if (!sleeper->references) free(sleeper);
    }
}

bool csim_begin_sleep(csim_sleeper *sleeper, void *continuation, int64_t time_ns) {
    if (sleeper->is_cancelled) return false;
    sleeper->continuation = continuation;
    sleeper->references++;
    csim_push_sleeper(sleeper->world, sleeper, time_ns);
    return true;
}

bool csim_end_sleep(csim_sleeper *sleeper) {
    if (sleeper->handler) swift_task_removeCancellationHandler(sleeper->handler);
    bool is_cancelled = sleeper->is_cancelled;
    csim_drop_sleeper(sleeper);
    return !is_cancelled;
}

bool csim_sleeps(const csim_sleeper *sleeper) { return sleeper->continuation; }

void csim_wake(csim_sleeper *sleeper) {
    void *continuation = sleeper->continuation;
    sleeper->continuation = NULL;
    sleeper->has_ended = true;
    if (continuation) swift_continuation_resume(continuation);
    csim_drop_sleeper(sleeper);
}

// MARK: The thunk

_Thread_local csim_world *csim_virtual;

#if defined(__x86_64__) && defined(__linux__)

#define THUNK "$ss5ClockP5sleep5until9tolerancey7InstantQz_8DurationQzSgtYaKFTj"

/// An async function pointer (swift/ABI/Executor.h): where the function is, relative to here, and how large a context its
/// caller gives it.
typedef struct { int32_t offset; uint32_t context_size; } async_function;

extern async_function thunk_pointer __asm__(THUNK "Tu");
extern const async_function own_pointer __asm__("csim_clock_sleepTu");
#define HIDDEN __attribute__((used, visibility("hidden")))
HIDDEN void *csim_real_clock_sleep;
HIDDEN const void *csim_continuous_clock, *csim_suspending_clock;  // type metadata

// Arguments stay where they are: the instant and the tolerance in rdi and rsi, `Self` and its conformance in rdx and rcx.
// r11 is a scratch register at a call (System V ABI).
__asm__(
    ".text\n"
    ".weak \"" THUNK "\"\n"
    ".type \"" THUNK "\", @function\n"
    ".p2align 4\n"
    "\"" THUNK "\":\n"
    ".Lcsim_clock_sleep_thunk:\n"
    "    movq csim_virtual@GOTTPOFF(%rip), %r11\n"
    "    cmpq $0, %fs:(%r11)\n"
    "    je 1f\n"
    "    cmpq csim_continuous_clock(%rip), %rdx\n"
    "    je csim_clock_sleep\n"
    "    cmpq csim_suspending_clock(%rip), %rdx\n"
    "    je csim_clock_sleep\n"
    "1:  jmpq *csim_real_clock_sleep(%rip)\n"
    ".size \"" THUNK "\", . - \"" THUNK "\"\n"
    ".data\n"
    ".weak \"" THUNK "Tu\"\n"
    ".type \"" THUNK "Tu\", @object\n"
    ".p2align 3\n"
    "\"" THUNK "Tu\":\n"
    "    .long .Lcsim_clock_sleep_thunk - \"" THUNK "Tu\"\n"
    "    .long 0\n"
    ".size \"" THUNK "Tu\", 8\n"
    ".text\n"
);

void csim_find_clock_sleep(void) {
    const async_function *real = dlsym(RTLD_NEXT, THUNK "Tu");
    if (!real || real == &thunk_pointer) return;  // a static runtime has the only definition
    csim_continuous_clock = dlsym(RTLD_DEFAULT, "$ss15ContinuousClockVN");
    csim_suspending_clock = dlsym(RTLD_DEFAULT, "$ss15SuspendingClockVN");
    csim_real_clock_sleep = (char *)real + real->offset;
    thunk_pointer.context_size =
        real->context_size > own_pointer.context_size ? real->context_size : own_pointer.context_size;
}

bool csim_makes_sleeps_cheap(void) { return csim_real_clock_sleep && csim_continuous_clock && csim_suspending_clock; }

#else

void csim_find_clock_sleep(void) {}
bool csim_makes_sleeps_cheap(void) { return false; }

#endif
