// Calls that block their thread. In a simulation everything that could end a wait is on this thread, but for what has
// escaped.
//
// - A sleep, and a wait with a time limit, let virtual time pass.
// - A wait without a limit waits in real time for a moment, since threads of the process, such as those of libraries that
//   set themselves up, may end it. Where none does, the wait cannot end, and the run fails as one that is blocked.
// - A lock that a suspended task of this thread holds cannot be had: the run fails as well.
#define _GNU_SOURCE
#include "threads/threads.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The last moment there is for what is later still, such as the distant future.
static int64_t nanoseconds(const struct timespec *time) {
    int64_t ns;
    bool is_later = __builtin_mul_overflow((int64_t)time->tv_sec, 1000000000, &ns) || __builtin_add_overflow(ns, time->tv_nsec, &ns);
    return !is_later ? ns : time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
}

static struct timespec time_of(int64_t ns) { return (struct timespec){ns / 1000000000, ns % 1000000000}; }

static bool allows(const csim_world *w, csim_escape_kind kind) { return w->allowed_escapes & 1u << kind; }

/// How long it is until a moment of a clock.
static int64_t left_until(const struct timespec *until, clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    int64_t end = nanoseconds(until), left;
    return end == INT64_MAX || __builtin_sub_overflow(end, nanoseconds(&now), &left) ? INT64_MAX : left > 0 ? left : 0;
}

/// The virtual time of a moment of a clock, for a thread that is simulated.
static int64_t moment_of(const csim_world *w, const struct timespec *until, clockid_t clock) {
    return csim_after(w, left_until(until, clock));
}

/// Lets time pass up to a moment of a clock.
static void pass_until(const struct timespec *until, clockid_t clock, const char *function) {
    csim_note_escape(csim_virtual, CSIM_ESCAPE_WAIT, function);
    struct timespec now;
    clock_gettime(clock, &now);
    int64_t end = nanoseconds(until), left = end - nanoseconds(&now);
    if (end > 0 && left > 0) csim_pass_time(csim_virtual, left);
}

/// The moment of the monotonic clock at which patience ends; far away where such waits are allowed.
static struct timespec end_of_patience(const csim_world *w) {
    int64_t patience = allows(w, CSIM_ESCAPE_WAIT) ? INT64_MAX / 4 : CSIM_PATIENCE_NS;
    return time_of(csim_real_now() + patience);
}

// MARK: Waits that cannot end

static _Thread_local void *thread_owner;
void csim_set_thread_owner(void *owner) { thread_owner = owner; }
void *csim_thread_owner(void) { return thread_owner; }

static csim_blocked_handler blocked;
void csim_set_blocked_handler(csim_blocked_handler handler) { blocked = handler; }

/// Ends the run, in the middle of the code that waits.
static void stay_blocked(csim_world *w) __attribute__((noreturn));
static void stay_blocked(csim_world *w) {
    csim_pause_watch(true);
    if (blocked) blocked(w);
    // The run has been reported; this thread, with the code that waits on it, stays as it is.
    csim_set_current(NULL);
    for (;;) pause();
}

void csim_wait_for_ever(csim_world *w, const char *function) {
    while (csim_self) csim_block(w, NULL, -1, function);
    csim_note_escape(w, CSIM_ESCAPE_WAIT, function);
    stay_blocked(w);
}

// MARK: Sleeps

static int pass(const struct timespec *duration, const char *function) {
    csim_world *w = csim_threads_world();
    if (w) {
        int64_t time_ns = nanoseconds(duration);
        if (time_ns <= 0) csim_yield_baton(w);
        else csim_block(w, NULL, csim_after(w, time_ns), function);
        return 0;
    }
    // A sleep of no time is how libraries wait for a lock that another thread holds for a moment.
    if (nanoseconds(duration) <= 0) return sched_yield();
    csim_note_escape(csim_current, CSIM_ESCAPE_SLEEP, function);
    csim_pass_time(csim_current, nanoseconds(duration));
    return 0;
}

int nanosleep(const struct timespec *duration, struct timespec *remaining) {
    if (csim_current) return pass(duration, "nanosleep");
    return CSIM_NEXT(int(const struct timespec *, struct timespec *), nanosleep)(duration, remaining);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *remaining) {
    if (!csim_current) {
        typedef int function(clockid_t, int, const struct timespec *, struct timespec *);
        return CSIM_NEXT(function, clock_nanosleep)(clock, flags, until, remaining);
    }
    if (!(flags & TIMER_ABSTIME)) return pass(until, "clock_nanosleep");
    struct timespec now;
    clock_gettime(clock, &now);
    int64_t left = nanoseconds(until) - nanoseconds(&now);
    struct timespec duration = time_of(left > 0 ? left : 0);
    return pass(&duration, "clock_nanosleep");
}

int usleep(useconds_t microseconds) {
    struct timespec duration = time_of((int64_t)microseconds * 1000);
    if (csim_current) return pass(&duration, "usleep");
    return CSIM_NEXT(int(useconds_t), usleep)(microseconds);
}

unsigned sleep(unsigned seconds) {
    struct timespec duration = {seconds, 0};
    if (csim_current) return (unsigned)pass(&duration, "sleep");
    return CSIM_NEXT(unsigned(unsigned), sleep)(seconds);
}

// MARK: Conditions

typedef int timed_wait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int clock_wait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

/// The clock of a condition (nptl/pthread_cond_common.c of glibc: the second bit of __wrefs).
static clockid_t clock_of(const pthread_cond_t *condition) {
    return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    csim_world *w = csim_threads_world();
    if (w) return csim_await_condition(w, condition, mutex, moment_of(w, until, clock_of(condition)), "pthread_cond_timedwait");
    if (!csim_virtual) return CSIM_NEXT(timed_wait, pthread_cond_timedwait)(condition, mutex, until);
    pass_until(until, clock_of(condition), "pthread_cond_timedwait");
    return ETIMEDOUT;
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until
) {
    csim_world *w = csim_threads_world();
    if (w) return csim_await_condition(w, condition, mutex, moment_of(w, until, clock), "pthread_cond_clockwait");
    if (!csim_virtual) return CSIM_NEXT(clock_wait, pthread_cond_clockwait)(condition, mutex, clock, until);
    pass_until(until, clock, "pthread_cond_clockwait");
    return ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    csim_world *w = csim_virtual;
    if (!w) return CSIM_NEXT(int(pthread_cond_t *, pthread_mutex_t *), pthread_cond_wait)(condition, mutex);
    if (csim_self) return csim_await_condition(w, condition, mutex, -1, "pthread_cond_wait");
    struct timespec end = end_of_patience(w);
    int result = CSIM_NEXT(clock_wait, pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &end);
    if (result != ETIMEDOUT) return result;
    csim_wait_for_ever(w, "pthread_cond_wait");
}

// MARK: Semaphores

int sem_wait(sem_t *semaphore) {
    csim_world *w = csim_virtual;
    if (!w) return CSIM_NEXT(int(sem_t *), sem_wait)(semaphore);
    if (csim_self) return csim_await_semaphore(w, semaphore, -1, CSIM_HERE, "sem_wait");
    struct timespec end = end_of_patience(w);
    typedef int function(sem_t *, clockid_t, const struct timespec *);
    int result;
    do result = CSIM_NEXT(function, sem_clockwait)(semaphore, CLOCK_MONOTONIC, &end);
    while (result && errno == EINTR);
    if (!result) return 0;
    csim_wait_for_ever(w, "sem_wait");
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    csim_world *w = csim_threads_world();
    if (w) return csim_await_semaphore(w, semaphore, moment_of(w, until, CLOCK_REALTIME), CSIM_HERE, "sem_timedwait");
    if (!csim_virtual) return CSIM_NEXT(int(sem_t *, const struct timespec *), sem_timedwait)(semaphore, until);
    if (sem_trywait(semaphore) == 0) return 0;
    pass_until(until, CLOCK_REALTIME, "sem_timedwait");
    errno = ETIMEDOUT;
    return -1;
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    csim_world *w = csim_threads_world();
    if (w) return csim_await_semaphore(w, semaphore, moment_of(w, until, clock), CSIM_HERE, "sem_clockwait");
    return CSIM_NEXT(int(sem_t *, clockid_t, const struct timespec *), sem_clockwait)(semaphore, clock, until);
}

// MARK: Dispatch's waits

/// What is left until a dispatch_time_t, in nanoseconds; -1 for no limit (libdispatch's src/time.c: the two highest bits tell
/// the clock).
int64_t csim_dispatch_time_left(uint64_t when) {
    if (when == UINT64_MAX) return -1;
    if (when == 0) return 0;
    bool is_wall = when >> 62 == 3;
    struct timespec now;
    clock_gettime(is_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    int64_t end = is_wall ? -(int64_t)when : (int64_t)(when & ~(1ull << 63));
    int64_t left = end - nanoseconds(&now);
    return left > 0 ? left : 0;
}

typedef long dispatch_wait(void *, uint64_t);

/// Where Dispatch is part of the simulation: runs what the queues have, in order of age, until that ends the wait.
static long wait_inside(csim_world *w, dispatch_wait *real, void *object, uint64_t when, const char *function) {
    int64_t left = csim_dispatch_time_left(when), end = left < 0 ? INT64_MAX : w->now_ns + left;
    while (real(object, 0) != 0) {
        if (w->now_ns >= end) return 1;
        if (csim_help(w, end)) continue;
        // Somebody outside the queues, such as a task, which cannot run while this thread waits.
        if (left < 0) csim_wait_for_ever(w, function);
        csim_note_escape(w, CSIM_ESCAPE_WAIT, function);
        csim_pass_time(w, end - w->now_ns);
    }
    return 0;
}

static long wait_for(dispatch_wait *real, void *object, uint64_t when, const char *function) {
    csim_world *w = csim_virtual;
    if (!w) return real(object, when);
    if (real(object, 0) == 0) return 0;
    if (csim_self) {
        // It waits where Dispatch does, for a semaphore or a futex; here its callers are known.
        csim_walk_callers(csim_self->frames, CSIM_FRAMES);
        csim_self->caller = function;
        long result = real(object, when);
        csim_self->caller = NULL;
        return result;
    }
    if (w->dispatch) return wait_inside(w, real, object, when, function);
    int64_t left = csim_dispatch_time_left(when);
    if (left == 0) return 1;
    if (left > 0) {
        csim_note_escape(w, CSIM_ESCAPE_WAIT, function);
        csim_pass_time(w, left);
        return 1;
    }
    csim_set_current(NULL);  // Dispatch waits in slices, by the clock
    struct timespec pause = {0, 1000000};
    bool is_patient = allows(w, CSIM_ESCAPE_WAIT), ends = false;
    for (int64_t end = csim_real_now() + CSIM_PATIENCE_NS; !ends && (is_patient || csim_real_now() < end);) {
        ends = real(object, 0) == 0;
        if (!ends) CSIM_NEXT(int(const struct timespec *, struct timespec *), nanosleep)(&pause, NULL);
    }
    csim_set_current(w);
    if (!ends) csim_wait_for_ever(w, function);
    csim_note_escape(w, CSIM_ESCAPE_WAIT, function);
    return 0;
}

__attribute__((weak)) long dispatch_semaphore_wait(void *semaphore, uint64_t when) {
    return wait_for(CSIM_NEXT(dispatch_wait, dispatch_semaphore_wait), semaphore, when, "dispatch_semaphore_wait");
}

__attribute__((weak)) long dispatch_block_wait(void *block, uint64_t when) {
    dispatch_wait *real = CSIM_NEXT(dispatch_wait, dispatch_block_wait);
    return csim_virtual && csim_virtual->dispatch ? wait_for(real, block, when, "dispatch_block_wait") : real(block, when);
}

__attribute__((weak)) long dispatch_group_wait(void *group, uint64_t when) {
    return wait_for(CSIM_NEXT(dispatch_wait, dispatch_group_wait), group, when, "dispatch_group_wait");
}

// MARK: Locks

/// Which task has taken a lock last: as long as the lock is held, the one that holds it.
typedef struct {
    const void *lock;
    uint64_t world;  // its number
    uint32_t task;   // 0 for none
} taken_lock;

/// In sets by a hash of the address, the lock that was taken last first: more of each set than a program holds while a task is
/// suspended, also where a run takes many others in between, since addresses are not the same in each process. Written by the
/// run with virtual time, of which a process has one at a time; kept here, since each run would have to clear a table of its own.
enum { TAKEN_BITS = 6, TAKEN_WAYS = 8 };
static taken_lock taken_locks[1 << TAKEN_BITS][TAKEN_WAYS];

/// The set of a lock, and its place there; ``TAKEN_WAYS`` where it has none.
static taken_lock *taken(const void *lock, size_t *place) {
    // The highest bits of a product with an odd number (Knuth, The Art of Computer Programming, 6.4).
    taken_lock *set = taken_locks[(uintptr_t)lock * 0x9e3779b97f4a7c15 >> (64 - TAKEN_BITS)];
    for (*place = 0; *place < TAKEN_WAYS && set[*place].lock != lock;) ++*place;
    return set;
}

void csim_note_taken(csim_world *w, const void *lock) {
    const csim_task *task = csim_current_task(w);
    size_t place;
    taken_lock *set = taken(lock, &place);
    // The one that was taken longest ago goes from a full set.
    if (place == TAKEN_WAYS) --place;
    memmove(set + 1, set, place * sizeof *set);
    set[0] = (taken_lock){lock, w->number, task ? task->id : 0};
}

/// The run ends, since a task that is suspended or has ended holds the lock.
static void wait_for_lock(csim_world *w, const void *lock, const char *function) __attribute__((noreturn));
static void wait_for_lock(csim_world *w, const void *lock, const char *function) {
    size_t place;
    const taken_lock *set = taken(lock, &place);
    bool is_known = place < TAKEN_WAYS && set[place].world == w->number;
    csim_note_escape(w, CSIM_ESCAPE_WAIT, function)->holder = is_known ? set[place].task : 0;
    stay_blocked(w);
}

/// The C library knows a thread by the kernel's number, which is another one in a forked process.
static bool is_mine(int owner) { return owner == (int)gettid(); }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    typedef int function(pthread_mutex_t *);
    function *real = CSIM_NEXT(function, pthread_mutex_lock);
    csim_world *w = csim_virtual;
    if (!w) return real(mutex);
    if (csim_self) return csim_lock_inside(w, mutex, -1, CSIM_HERE, "pthread_mutex_lock");
    int result = pthread_mutex_trylock(mutex);
    if (result == 0) csim_note_taken(w, mutex);
    if (result != EBUSY) return result;
    // A recursive lock, and one that checks, would not have failed, or tells its caller.
    bool is_plain = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_NORMAL || (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ADAPTIVE_NP;
    if (is_plain && is_mine(mutex->__data.__owner)) wait_for_lock(w, mutex, "pthread_mutex_lock");
    return real(mutex);
}

static int lock_until(
    pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until, const void *caller, const char *function
) {
    csim_world *w = csim_threads_world();
    if (w) return csim_lock_inside(w, mutex, moment_of(w, until, clock), caller, function);
    int result = pthread_mutex_trylock(mutex);
    if (result == 0) csim_note_taken(csim_virtual, mutex);
    if (result != EBUSY) return result;
    pass_until(until, clock, function);
    return ETIMEDOUT;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    typedef int function(pthread_mutex_t *, const struct timespec *);
    if (!csim_virtual) return CSIM_NEXT(function, pthread_mutex_timedlock)(mutex, until);
    return lock_until(mutex, CLOCK_REALTIME, until, CSIM_HERE, "pthread_mutex_timedlock");
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    typedef int function(pthread_mutex_t *, clockid_t, const struct timespec *);
    if (!csim_virtual) return CSIM_NEXT(function, pthread_mutex_clocklock)(mutex, clock, until);
    return lock_until(mutex, clock, until, CSIM_HERE, "pthread_mutex_clocklock");
}

// The threads that hold a lock for reading are not recorded; the C library returns EDEADLK to a thread that would wait for itself.
#define LOCK_OF_READERS(name, attempt)                               \
    int name(pthread_rwlock_t *lock) {                               \
        typedef int function(pthread_rwlock_t *);                    \
        csim_world *w = csim_virtual;                                \
        if (w && csim_self) return csim_lock_for_readers(w, lock, attempt, -1, CSIM_HERE, #name); \
        int result = CSIM_NEXT(function, name)(lock);                \
        if (w && result == EDEADLK) wait_for_lock(w, lock, #name);   \
        if (w && result == 0) csim_note_taken(w, lock);                   \
        return result;                                               \
    }

LOCK_OF_READERS(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
LOCK_OF_READERS(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)

#define TIMED_LOCK_OF_READERS(kind)                                                                                        \
    int pthread_rwlock_timed##kind(pthread_rwlock_t *lock, const struct timespec *until) {                                 \
        csim_world *w = csim_threads_world();                                                                              \
        if (!w) return CSIM_NEXT(int(pthread_rwlock_t *, const struct timespec *), pthread_rwlock_timed##kind)(lock, until); \
        int64_t until_ns = moment_of(w, until, CLOCK_REALTIME);                                                            \
        return csim_lock_for_readers(w, lock, pthread_rwlock_try##kind, until_ns, CSIM_HERE, "pthread_rwlock_timed" #kind); \
    }                                                                                                                      \
    int pthread_rwlock_clock##kind(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until) {                \
        typedef int function(pthread_rwlock_t *, clockid_t, const struct timespec *);                                      \
        csim_world *w = csim_threads_world();                                                                              \
        if (!w) return CSIM_NEXT(function, pthread_rwlock_clock##kind)(lock, clock, until);                                \
        int64_t until_ns = moment_of(w, until, clock);                                                                     \
        return csim_lock_for_readers(w, lock, pthread_rwlock_try##kind, until_ns, CSIM_HERE, "pthread_rwlock_clock" #kind); \
    }

TIMED_LOCK_OF_READERS(rdlock)
TIMED_LOCK_OF_READERS(wrlock)

int pthread_join(pthread_t thread, void **result) {
    typedef int function(pthread_t, void **);
    typedef int timed(pthread_t, void **, clockid_t, const struct timespec *);
    csim_world *w = csim_virtual;
    if (!w) return CSIM_NEXT(function, pthread_join)(thread, result);
    int joined = csim_self ? csim_join_thread(w, thread, result, -1) : -1;
    if (joined >= 0) return joined;
    struct timespec end = end_of_patience(w);
    int failure = CSIM_NEXT(timed, pthread_clockjoin_np)(thread, result, CLOCK_MONOTONIC, &end);
    if (failure != ETIMEDOUT) return failure;
    csim_wait_for_ever(w, "pthread_join");
}

// MARK: Descriptors

/// A simulated thread looks again and again, more and more seldom, while others may do what it waits for.
static int poll_again(csim_world *w, struct pollfd *descriptors, nfds_t count, int timeout_ms) {
    enum { FIRST_NS = 1000000, LONGEST_NS = 1000000000 };
    __auto_type real = CSIM_NEXT(int(struct pollfd *, nfds_t, int), poll);
    int64_t end = timeout_ms < 0 ? INT64_MAX : csim_moment_after(w, (int64_t)timeout_ms * 1000000), pause = FIRST_NS;
    for (;;) {
        int ready = real(descriptors, count, 0);
        if (ready != 0 || w->now_ns >= end) return ready;
        int64_t next = csim_moment_after(w, pause);
        csim_block(w, NULL, next < end ? next : end, "poll");
        if (pause < LONGEST_NS) pause *= 2;
    }
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms) {
    __auto_type real = CSIM_NEXT(int(struct pollfd *, nfds_t, int), poll);
    csim_world *w = csim_virtual;
    if (!w || timeout_ms == 0) return real(descriptors, count, timeout_ms);
    int ready = real(descriptors, count, 0);
    if (ready != 0) return ready;
    if (csim_self) return poll_again(w, descriptors, count, timeout_ms);
    if (timeout_ms > 0) {
        csim_note_escape(w, CSIM_ESCAPE_WAIT, "poll");
        csim_pass_time(w, (int64_t)timeout_ms * 1000000);
        return 0;
    }
    ready = real(descriptors, count, allows(w, CSIM_ESCAPE_WAIT) ? -1 : CSIM_PATIENCE_NS / 1000000);
    if (ready == 0) csim_wait_for_ever(w, "poll");
    csim_note_escape(w, CSIM_ESCAPE_WAIT, "poll");
    return ready;
}
