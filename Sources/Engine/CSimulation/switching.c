// Every hop between actors is a scheduling point. The runtime would run on inline when a task leaves one default actor
// for another or for none, or let it wait in the queue of the next; here the task is first parked on an executor of the
// simulation, so that others may get between, as they do on real cores. When it is chosen it enters its actor at once.
//
// Both functions are exported by libswift_Concurrency and called through the dynamic linker; these definitions come
// first. They are weak, so that a statically linked runtime keeps its own and the program still links; then
// `csim_interposers` tells that they are not in force.
#define _GNU_SOURCE
#include "world.h"
#include <dlfcn.h>
#include <stdlib.h>

extern __attribute__((swiftcall)) csim_executor swift_task_getCurrentExecutor(void);

typedef CSIM_ASYNC void (*continuation)(CSIM_CONTEXT void *);
typedef CSIM_ASYNC void (*switcher)(CSIM_CONTEXT void *, continuation, uintptr_t, uintptr_t);

static inline switcher real_switch(void) { return CSIM_RUNTIME(switcher, swift_task_switch); }

static CSIM_ASYNC void unpark(CSIM_CONTEXT void *frame) {
    csim_parked *parked = frame;
    void *context = parked->context;
    continuation function = (continuation)parked->function;
    uintptr_t identity = parked->identity, implementation = parked->implementation;
    if (csim_current) {
        parked->next_free = csim_current->free_parked;
        csim_current->free_parked = parked;
        csim_current->entering = identity;
    }
    return real_switch()(context, function, identity, implementation);
}

static csim_parked *take_parked(csim_world *w) {
    csim_parked *parked = w->free_parked;
    if (parked) w->free_parked = parked->next_free;
    else parked = csim_grow(NULL, sizeof *parked);
    return parked;
}

/// The runtime's variable `swift_task_enqueueGlobal_hook` (swift/Runtime/Concurrency.h): a function that gets each job for the
/// global executor, NULL for none. NULL where the runtime has no such variable.
static void *const *global_hook;

/// Whether the program sends the jobs of the global executor elsewhere. Those who do send them to the main executor, so that
/// everything runs in order there; then the runtime switches actors by itself, as it does outside.
static bool is_redirected(void) { return global_hook && *global_hook; }

__attribute__((weak)) CSIM_ASYNC void swift_task_switch(
    CSIM_CONTEXT void *context, continuation function, uintptr_t identity, uintptr_t implementation
) {
    csim_world *w = csim_current;
    if (w && !is_redirected()) {
        csim_executor now = swift_task_getCurrentExecutor();
        // Who goes to the main actor from nowhere stands in its queue already.
        if (now.identity != identity && (now.identity || identity != csim_main_identity)) {
            csim_task *task = csim_hopping_task(w, now.identity, identity);
            csim_parked *parked = take_parked(w);
            w->hopping = task;
            w->touch = identity;
            *parked = (csim_parked){context, (void *)function, context, (void *)function, identity, implementation, NULL};
            return real_switch()(parked, unpark, csim_park_executor.identity, csim_park_executor.implementation);
        }
    }
    return real_switch()(context, function, identity, implementation);
}

// MARK: Beginnings of tasks

// TaskOptionRecord and its kinds (ABI/TaskOptions.h).
typedef struct option {
    size_t flags;  // the low byte is the kind
    struct option *next;
} option;
typedef struct {
    option base;
    const char *name;
} name_option;

typedef struct { void *task, *context; } task_and_context;
typedef CSIM_SWIFT task_and_context (*creator)(size_t, option *, const void *, void *, void *);

/// Remembers the name while the runtime creates and enqueues the task, and the task itself: one that begins on an actor is
/// queued there by the runtime.
__attribute__((weak)) CSIM_SWIFT task_and_context swift_task_create(
    size_t flags, option *options, const void *result_type, void *entry, void *closure
) {
    creator real = CSIM_RUNTIME(creator, swift_task_create);
    csim_world *w = csim_current;
    if (!w) return real(flags, options, result_type, entry, closure);
    const char *outer_name = w->tasks.pending_name;
    w->tasks.pending_name = NULL;
    for (option *record = options; record; record = record->next) {
        if ((record->flags & 0xff) == CSIM_OPTION_NAME) w->tasks.pending_name = ((name_option *)record)->name;
    }
    task_and_context made = real(flags, options, result_type, entry, closure);
    csim_note_created(w, made.task);
    w->tasks.pending_name = outer_name;
    return made;
}

// MARK: What is in force

static bool own(const char *symbol) {
    Dl_info where, here;
    void *used = dlsym(RTLD_DEFAULT, symbol);
    return used && dladdr(used, &where) && dladdr((void *)csim_interposers, &here)
        && where.dli_fbase == here.dli_fbase && dlsym(RTLD_NEXT, symbol);
}

const char *csim_overridden(size_t index) {
    static const char *const functions[] = {
        "swift_once", "swift_defaultActor_initialize", "swift_task_cancel", "swift_continuation_resume",
        "swift_continuation_throwingResume", "swift_continuation_throwingResumeWithError", "dispatch_after",
        "dispatch_apply", "dispatch_barrier_async", "dispatch_group_async", "dispatch_group_notify", "dispatch_group_wait",
        "dispatch_semaphore_wait", "dispatch_source_create", "clock_gettime", "gettimeofday", "time", "nanosleep",
        "clock_nanosleep", "usleep", "sleep", "getrandom", "arc4random_buf", "rand", "random", "poll", "pthread_create",
        "pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_join", "sem_wait", "posix_spawn",
        "posix_spawnp", "system", "socket", "getaddrinfo", "exit", "_exit", "quick_exit",
    };
    return index < sizeof functions / sizeof *functions ? functions[index] : NULL;
}

bool csim_is_overridden(const char *function) {
    // A library that is not loaded is not called.
    return !dlsym(RTLD_NEXT, function) || own(function);
}

struct hashing_parameters { uint64_t seed0, seed1; bool deterministic; };
extern struct hashing_parameters _swift_stdlib_Hashing_parameters __attribute__((weak));

unsigned csim_interposers(void) {
    return (own("swift_task_switch") ? CSIM_INTERPOSES_SWITCH : 0)
        | (own("swift_task_create") ? CSIM_INTERPOSES_CREATE : 0)
        | (own("dispatch_async") ? CSIM_INTERPOSES_DISPATCH : 0)
        | (&_swift_stdlib_Hashing_parameters && _swift_stdlib_Hashing_parameters.deterministic
               ? CSIM_FIXES_HASHING : 0);
}

/// Before main, and so before the first hash table and the first task.
__attribute__((constructor)) static void install(void) {
    if (&_swift_stdlib_Hashing_parameters) {
        _swift_stdlib_Hashing_parameters = (struct hashing_parameters){0, 0, true};
    }
    csim_find_clock_sleep();
    // Looked up by name, as programs do that set it.
    global_hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    csim_install_executors();
}
