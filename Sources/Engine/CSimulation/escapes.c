// What would leave the simulation is recognised where it starts, named, and refused: threads, processes, Dispatch, sockets.
// What a program is allowed to do happens, and is named all the same.
#define _GNU_SOURCE
#include "threads/threads.h"
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <unistd.h>

csim_escape *csim_add_escape(
    csim_world *w, csim_escape_kind kind, const char *function, uint32_t task, void *const *frames
) {
    w->escaped_kinds |= 1u << kind;
    // One record for all of one step from one place; where the task waits next tells those of several steps apart.
    for (uint32_t i = w->placed_escapes; i < w->escape_count; i++) {
        csim_escape *known = &w->escapes[i];
        if (known->is_final || known->kind != kind || known->task != task || strcmp(known->function, function)
            || memcmp(known->frames, frames, sizeof known->frames)) continue;
        known->count++;
        return known;
    }
    if (w->escape_count == w->escape_capacity) {
        w->escape_capacity = w->escape_capacity ? 2 * w->escape_capacity : 8;
        w->escapes = csim_grow(w->escapes, w->escape_capacity * sizeof *w->escapes);
    }
    csim_escape *escape = &w->escapes[w->escape_count++];
    *escape = (csim_escape){.kind = kind, .function = function, .task = task, .count = 1};
    memcpy(escape->frames, frames, sizeof escape->frames);
    return escape;
}

static bool is_same(const csim_escape *a, const csim_escape *b) {
    return a->kind == b->kind && a->thread == b->thread && a->holder == b->holder && !strcmp(a->function, b->function)
        && !memcmp(a->frames, b->frames, sizeof a->frames) && !memcmp(a->waiting, b->waiting, sizeof a->waiting);
}

void csim_place_escapes(csim_world *w) {
    uint32_t count = w->placed_escapes;
    for (uint32_t i = count; i < w->escape_count; i++) {
        csim_escape *escape = &w->escapes[i];
        for (const csim_task *task = w->tasks.live; task && escape->task; task = task->next) {
            if (task->id != escape->task) continue;
            if (!csim_task_completed(task)) csim_waiting_frames(task, escape->waiting, CSIM_FRAMES);
            break;
        }
        uint32_t known = 0;
        while (known < count && !is_same(&w->escapes[known], escape)) known++;
        if (known < count) w->escapes[known].count += escape->count;
        else w->escapes[count++] = *escape;
    }
    w->placed_escapes = w->escape_count = count;
}

csim_escape *csim_note_escape(csim_world *w, csim_escape_kind kind, const char *function) {
    const csim_task *task = csim_current_task(w);
    void *frames[CSIM_FRAMES];
    csim_walk_callers(frames, CSIM_FRAMES);
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    return csim_add_escape(w, kind, function, task ? task->id : 0, frames);
}

uint32_t csim_escape_count(const csim_world *w) { return w->escape_count; }
const csim_escape *csim_escape_at(const csim_world *w, uint32_t index) { return &w->escapes[index]; }

void csim_allow_escapes(csim_world *w, uint32_t kinds) { w->allowed_escapes = kinds; }

/// Names the escape. Returns whether it must not happen.
static bool refuses(csim_escape_kind kind, const char *function) {
    csim_world *w = csim_current;
    if (!w) return false;
    csim_note_escape(w, kind, function);
    return !(w->allowed_escapes & 1u << kind);
}

#define REAL(type, name) __auto_type real = CSIM_NEXT(type, name)

// MARK: Threads

/// A thread that was refused. Its creator gets one, which it may name or detach, that never runs what it should.
typedef struct csim_dormant {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over;
    uint32_t threads;  // that have not ended
} csim_dormant;

static void *sleep_until_the_end(void *argument) {
    csim_dormant *dormant = argument;
    csim_lock(&dormant->lock);
    while (!dormant->is_over) pthread_cond_wait(&dormant->ended, &dormant->lock);
    bool is_last = !--dormant->threads;
    csim_unlock(&dormant->lock);
    if (is_last) free(dormant);
    return NULL;
}

typedef void *thread_body(void *);
typedef int thread_creator(pthread_t *, const pthread_attr_t *, thread_body *, void *);

static int make_dormant(csim_world *w, pthread_t *thread, const pthread_attr_t *attributes) {
    csim_dormant *dormant = w->dormant;
    if (!dormant) {
        dormant = w->dormant = csim_zeroed(1, sizeof *dormant);
        pthread_mutex_init(&dormant->lock, NULL);
        pthread_cond_init(&dormant->ended, NULL);
    }
    csim_set_current(NULL);
    csim_lock(&dormant->lock);
    int failure = CSIM_NEXT(thread_creator, pthread_create)(thread, attributes, sleep_until_the_end, dormant);
    if (!failure) dormant->threads++;
    csim_unlock(&dormant->lock);
    csim_set_current(w);
    return failure;
}

void csim_end_dormant(csim_world *w) {
    csim_dormant *dormant = w->dormant;
    if (!dormant) return;
    w->dormant = NULL;
    csim_world *before = csim_set_current(NULL);
    csim_lock(&dormant->lock);
    dormant->is_over = true;
    bool has_threads = dormant->threads;
    pthread_cond_broadcast(&dormant->ended);
    csim_unlock(&dormant->lock);
    if (!has_threads) free(dormant);
    csim_set_current(before);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_body *start, void *argument) {
    // Dispatch grows its pool when it likes, also for housekeeping such as freeing a queue; work that the program hands
    // to it is noticed where it is handed over.
    Dl_info code;
    bool is_pool =
        csim_current && dladdr((void *)start, &code) && code.dli_fname && strstr(code.dli_fname, "libdispatch");
    csim_world *w = csim_threads_world();
    if (w && !is_pool) return csim_create_thread(w, thread, attributes, start, argument);
    if (!is_pool && refuses(CSIM_ESCAPE_THREAD, "pthread_create")) return make_dormant(csim_current, thread, attributes);
    REAL(thread_creator, pthread_create);
    return real(thread, attributes, start, argument);
}

// MARK: Processes

typedef int spawner(pid_t *, const char *, const void *, const void *, char *const *, char *const *);

int posix_spawn(pid_t *pid, const char *path, const void *actions, const void *attributes, char *const *arguments,
                char *const *environment) {
    if (refuses(CSIM_ESCAPE_PROCESS, "posix_spawn")) return EACCES;
    REAL(spawner, posix_spawn);
    return real(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *path, const void *actions, const void *attributes, char *const *arguments,
                 char *const *environment) {
    if (refuses(CSIM_ESCAPE_PROCESS, "posix_spawnp")) return EACCES;
    REAL(spawner, posix_spawnp);
    return real(pid, path, actions, attributes, arguments, environment);
}

pid_t fork(void) {
    if (refuses(CSIM_ESCAPE_PROCESS, "fork")) {
        errno = EACCES;
        return -1;
    }
    REAL(pid_t(void), fork);
    return real();
}

FILE *popen(const char *command, const char *mode) {
    if (refuses(CSIM_ESCAPE_PROCESS, "popen")) {
        errno = EACCES;
        return NULL;
    }
    REAL(FILE *(const char *, const char *), popen);
    return real(command, mode);
}

int system(const char *command) {
    if (refuses(CSIM_ESCAPE_PROCESS, "system")) {
        errno = EACCES;
        return -1;
    }
    REAL(int(const char *), system);
    return real(command);
}

// MARK: Dispatch (declarations as in dispatch/queue.h, with objects and blocks as plain pointers)

#define DISPATCH_ASYNC(name, parameters, arguments, is_taken)     \
    __attribute__((weak)) void name parameters {                  \
        if (is_taken) return;                                     \
        if (refuses(CSIM_ESCAPE_DISPATCH, #name)) return;         \
        REAL(void parameters, name);                              \
        real arguments;                                           \
    }

typedef void work_function(void *);

DISPATCH_ASYNC(dispatch_async, (void *queue, void *block), (queue, block), csim_dispatches(queue, block, NULL, NULL, false, NULL))
DISPATCH_ASYNC(
    dispatch_async_f, (void *queue, void *context, work_function *work), (queue, context, work),
    csim_dispatches(queue, NULL, work, context, false, NULL)
)
DISPATCH_ASYNC(
    dispatch_barrier_async, (void *queue, void *block), (queue, block), csim_dispatches(queue, block, NULL, NULL, true, NULL)
)
DISPATCH_ASYNC(
    dispatch_barrier_async_f, (void *queue, void *context, work_function *work), (queue, context, work),
    csim_dispatches(queue, NULL, work, context, true, NULL)
)
DISPATCH_ASYNC(
    dispatch_after, (uint64_t when, void *queue, void *block), (when, queue, block),
    csim_dispatches_after(when, queue, block, NULL, NULL)
)
DISPATCH_ASYNC(
    dispatch_after_f, (uint64_t when, void *queue, void *context, work_function *work), (when, queue, context, work),
    csim_dispatches_after(when, queue, NULL, work, context)
)
DISPATCH_ASYNC(
    dispatch_group_async, (void *group, void *queue, void *block), (group, queue, block),
    csim_dispatches(queue, block, NULL, NULL, false, group)
)
DISPATCH_ASYNC(
    dispatch_group_async_f, (void *group, void *queue, void *context, work_function *work), (group, queue, context, work),
    csim_dispatches(queue, NULL, work, context, false, group)
)
DISPATCH_ASYNC(
    dispatch_group_notify, (void *group, void *queue, void *block), (group, queue, block),
    csim_dispatches_when_done(group, queue, block, NULL, NULL)
)
DISPATCH_ASYNC(
    dispatch_group_notify_f, (void *group, void *queue, void *context, work_function *work), (group, queue, context, work),
    csim_dispatches_when_done(group, queue, NULL, work, context)
)

/// Timers, signals, files that are watched. Where it is refused, a source is made, since its creator uses it; it is activated
/// where that is allowed, and otherwise nothing comes of it.
__attribute__((weak)) void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
    void *simulated = csim_make_source(type, handle, queue);
    if (simulated) return simulated;
    (void)refuses(CSIM_ESCAPE_DISPATCH, "dispatch_source_create");
    REAL(void *(const void *, uintptr_t, uintptr_t, void *), dispatch_source_create);
    return real(type, handle, mask, queue);
}

static void do_nothing(void *context) { (void)context; }

__attribute__((weak)) void dispatch_source_set_event_handler(void *source, void *block) {
    if (csim_handles_events(source, block, NULL)) return;
    csim_world *w = csim_current;
    bool is_refused = w && !(w->allowed_escapes & 1u << CSIM_ESCAPE_DISPATCH);
    REAL(void(void *, void *), dispatch_source_set_event_handler);
    if (!is_refused) return real(source, block);
    CSIM_NEXT(void(void *, void (*)(void *)), dispatch_source_set_event_handler_f)(source, do_nothing);
}

/// Many calls at once, of which Dispatch promises no order: one after the other they stay inside.
__attribute__((weak)) void dispatch_apply(size_t iterations, void *queue, void *block) {
    REAL(void(size_t, void *, void *), dispatch_apply);
    if (!csim_current) return real(iterations, queue, block);
    // The head of a block (Block-ABI-Apple in clang's documentation).
    struct { void *isa; int flags, reserved; void (*invoke)(void *, size_t); } *head = block;
    for (size_t i = 0; i < iterations; i++) head->invoke(block, i);
}

__attribute__((weak)) void dispatch_apply_f(
    size_t iterations, void *queue, void *context, void (*work)(void *, size_t)
) {
    REAL(void(size_t, void *, void *, void (*)(void *, size_t)), dispatch_apply_f);
    if (!csim_current) return real(iterations, queue, context, work);
    for (size_t i = 0; i < iterations; i++) work(context, i);
}

// MARK: Run loops

/// A timer fires only while the run loop of its thread runs, which a task does not let it do. Foundation's own calls come
/// through here as well (CoreFoundation's CFRunLoop.c).
__attribute__((weak)) void CFRunLoopAddTimer(void *loop, void *timer, const void *mode) {
    if (refuses(CSIM_ESCAPE_TIMER, "CFRunLoopAddTimer")) return;
    REAL(void(void *, void *, const void *), CFRunLoopAddTimer);
    real(loop, timer, mode);
}

// Foundation.RunLoop.run(mode: RunLoop.Mode, before: Date) -> Bool
typedef CSIM_SWIFT bool loop_runner(void *mode, void *text, double limit, __attribute__((swift_context)) void *self);
#define RUN_LOOP $s10Foundation7RunLoopC3run4mode6beforeSbAC4ModeV_0A10Essentials4DateVtF
loop_runner RUN_LOOP;

/// How long it is until a Date, whose number counts from 2001 (Date.timeIntervalBetween1970AndReferenceDate); -1 for what is as good as never.
static int64_t nanoseconds_until(double limit) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double left = limit + 978307200 - ((double)now.tv_sec + (double)now.tv_nsec / 1e9), never = 1e9;
    return left >= never ? -1 : left <= 0 ? 0 : (int64_t)(left * 1e9);
}

/// It keeps its thread until its sources, its timers or what it waits for come, and no task runs meanwhile. Where Dispatch is refused, the work is
/// named by which it waits. A simulated thread lets others run until the limit, and then looks what has come.
__attribute__((weak)) CSIM_SWIFT bool RUN_LOOP(
    void *mode, void *text, double limit, __attribute__((swift_context)) void *self
) {
    REAL(loop_runner, RUN_LOOP);
    csim_world *w = csim_threads_world();
    if (w) {
        csim_block(w, NULL, csim_after(w, nanoseconds_until(limit)), "RunLoop.run");
        return real(mode, text, 0, self);  // a date that is over
    }
    if (csim_virtual && csim_virtual->dispatch) csim_note_escape(csim_virtual, CSIM_ESCAPE_WAIT, "RunLoop.run");
    return real(mode, text, limit, self);
}

// MARK: Sockets

int socket(int domain, int type, int protocol) {
    if ((domain == AF_INET || domain == AF_INET6 || domain == AF_UNIX) && refuses(CSIM_ESCAPE_SOCKET, "socket")) {
        errno = EACCES;
        return -1;
    }
    REAL(int(int, int, int), socket);
    return real(domain, type, protocol);
}

/// Names of hosts, for which the system's resolver asks others.
int getaddrinfo(
    const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result
) {
    // A numeric address asks no server.
    bool asks = node && !(hints && hints->ai_flags & AI_NUMERICHOST);
    if (asks && refuses(CSIM_ESCAPE_SOCKET, "getaddrinfo")) return EAI_FAIL;
    REAL(int(const char *, const char *, const struct addrinfo *, struct addrinfo **), getaddrinfo);
    return real(node, service, hints, result);
}
