// What would leave the simulation is recognised where it starts, and named: threads, Dispatch, blocking waits, sockets.
#define _GNU_SOURCE
#include "world.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void csim_add_escape(
    csim_world *w, csim_escape_kind kind, const char *function, uint32_t task, void *const *frames
) {
    if (w->escape_count == CSIM_ESCAPES) return;
    csim_escape *escape = &w->escapes[w->escape_count++];
    *escape = (csim_escape){.kind = kind, .function = function, .task = task};
    memcpy(escape->frames, frames, sizeof escape->frames);
}

void csim_note_escape(csim_world *w, csim_escape_kind kind, const char *function) {
    const csim_task *task = csim_current_task(w);
    void *frames[CSIM_FRAMES];
    csim_walk_callers(frames, CSIM_FRAMES);
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    csim_add_escape(w, kind, function, task ? task->id : 0, frames);
}

uint32_t csim_escape_count(const csim_world *w) { return w->escape_count; }
const csim_escape *csim_escape_at(const csim_world *w, uint32_t index) { return &w->escapes[index]; }

static void note(csim_escape_kind kind, const char *function) {
    if (csim_current) csim_note_escape(csim_current, kind, function);
}

#define REAL(type, name) __auto_type real = CSIM_NEXT(type, name)

// MARK: Threads

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    // Dispatch grows its pool when it likes, also for housekeeping such as freeing a queue; work that the program hands
    // to it is noticed where it is handed over.
    Dl_info code;
    bool isPool = csim_current && dladdr((void *)start, &code) && code.dli_fname && strstr(code.dli_fname, "libdispatch");
    if (!isPool) note(CSIM_ESCAPE_THREAD, "pthread_create");
    typedef int function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    REAL(function, pthread_create);
    return real(thread, attributes, start, argument);
}

// MARK: Dispatch (declarations as in dispatch/queue.h, with objects and blocks as plain pointers)

#define DISPATCH_ASYNC(name, parameters, arguments)               \
    __attribute__((weak)) void name parameters {                  \
        note(CSIM_ESCAPE_DISPATCH, #name);                        \
        REAL(void parameters, name);                         \
        real arguments;                                           \
    }

DISPATCH_ASYNC(dispatch_async, (void *queue, void *block), (queue, block))
DISPATCH_ASYNC(dispatch_async_f, (void *queue, void *context, void *work), (queue, context, work))
DISPATCH_ASYNC(dispatch_barrier_async, (void *queue, void *block), (queue, block))
DISPATCH_ASYNC(dispatch_barrier_async_f, (void *queue, void *context, void *work), (queue, context, work))
DISPATCH_ASYNC(dispatch_after, (uint64_t when, void *queue, void *block), (when, queue, block))
DISPATCH_ASYNC(dispatch_after_f, (uint64_t when, void *queue, void *context, void *work), (when, queue, context, work))
DISPATCH_ASYNC(dispatch_group_async, (void *group, void *queue, void *block), (group, queue, block))
DISPATCH_ASYNC(
    dispatch_group_async_f, (void *group, void *queue, void *context, void *work), (group, queue, context, work)
)
DISPATCH_ASYNC(dispatch_group_notify, (void *group, void *queue, void *block), (group, queue, block))
DISPATCH_ASYNC(
    dispatch_group_notify_f, (void *group, void *queue, void *context, void *work), (group, queue, context, work)
)

/// Timers, signals, files that are watched.
__attribute__((weak)) void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
    note(CSIM_ESCAPE_DISPATCH, "dispatch_source_create");
    REAL(void *(const void *, uintptr_t, uintptr_t, void *), dispatch_source_create);
    return real(type, handle, mask, queue);
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

// A wait that need not wait is no escape. One that must would wait for ever, since everything that could end it is on
// this thread: it is named, and reported to its caller as timed out.
#define DISPATCH_WAIT(name)                                       \
    __attribute__((weak)) long name(void *object, uint64_t when) {\
        REAL(long(void *, uint64_t), name);                  \
        if (!csim_current) return real(object, when);             \
        if (real(object, 0) == 0) return 0;                       \
        note(CSIM_ESCAPE_WAIT, #name);                            \
        return 1;                                                 \
    }

DISPATCH_WAIT(dispatch_semaphore_wait)
DISPATCH_WAIT(dispatch_group_wait)

// MARK: Blocking sleep: time passes, virtually

static int pass(const struct timespec *duration, const char *function) {
    note(CSIM_ESCAPE_SLEEP, function);  // which touches everything
    csim_current->now_ns += (int64_t)duration->tv_sec * 1000000000 + duration->tv_nsec;
    return 0;
}

int nanosleep(const struct timespec *duration, struct timespec *remaining) {
    if (csim_current) return pass(duration, "nanosleep");
    typedef int function(const struct timespec *, struct timespec *);
    REAL(function, nanosleep);
    return real(duration, remaining);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *remaining) {
    if (csim_current) {
        if (!(flags & TIMER_ABSTIME)) return pass(until, "clock_nanosleep");
        struct timespec now;
        clock_gettime(clock, &now);
        int64_t left = ((int64_t)until->tv_sec - now.tv_sec) * 1000000000 + until->tv_nsec - now.tv_nsec;
        struct timespec duration = {left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
        return pass(&duration, "clock_nanosleep");
    }
    typedef int function(clockid_t, int, const struct timespec *, struct timespec *);
    REAL(function, clock_nanosleep);
    return real(clock, flags, until, remaining);
}

int usleep(useconds_t microseconds) {
    struct timespec duration = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
    if (csim_current) return pass(&duration, "usleep");
    typedef int function(useconds_t);
    REAL(function, usleep);
    return real(microseconds);
}

unsigned sleep(unsigned seconds) {
    struct timespec duration = {seconds, 0};
    if (csim_current) return (unsigned)pass(&duration, "sleep");
    typedef unsigned function(unsigned);
    REAL(function, sleep);
    return real(seconds);
}

// MARK: Sockets

int socket(int domain, int type, int protocol) {
    if (csim_current && (domain == AF_INET || domain == AF_INET6)) {
        note(CSIM_ESCAPE_SOCKET, "socket");
        errno = EACCES;
        return -1;
    }
    typedef int function(int, int, int);
    REAL(function, socket);
    return real(domain, type, protocol);
}

// MARK: Messages

void csim_write_error(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t written = write(STDERR_FILENO, text, left);
        if (written <= 0) return;
        text += written;
        left -= (size_t)written;
    }
}
