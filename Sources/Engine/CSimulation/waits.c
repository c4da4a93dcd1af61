// Calls that wait for another thread. Where a simulation is current in virtual time there is none that could end the wait, but
// for those that have escaped: the wait is named, and ends in the way that its caller knows from a real one.
#define _GNU_SOURCE
#include "world.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static int64_t nanoseconds(const struct timespec *time) { return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec; }

/// Lets time pass up to a moment of a clock.
static void pass_until(const struct timespec *until, clockid_t clock, const char *function) {
    csim_world *w = csim_virtual;
    csim_note_escape(w, CSIM_ESCAPE_WAIT, function);
    struct timespec now;
    clock_gettime(clock, &now);
    int64_t left = nanoseconds(until) - nanoseconds(&now);
    if (left > 0) csim_pass_time(w, left);
}

// MARK: Conditions

typedef int timed_wait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
typedef int clock_wait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    if (!csim_virtual) return CSIM_NEXT(timed_wait, pthread_cond_timedwait)(condition, mutex, until);
    // A condition does not tell its clock; nobody waits for a moment in the first thirty years after 1970.
    enum { THIRTY_YEARS_S = 946684800 };
    pass_until(until, until->tv_sec < THIRTY_YEARS_S ? CLOCK_MONOTONIC : CLOCK_REALTIME, "pthread_cond_timedwait");
    return ETIMEDOUT;
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until
) {
    if (!csim_virtual) return CSIM_NEXT(clock_wait, pthread_cond_clockwait)(condition, mutex, clock, until);
    pass_until(until, clock, "pthread_cond_clockwait");
    return ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    static _Thread_local int fruitless;
    csim_world *w = csim_virtual;
    if (!w) return CSIM_NEXT(int(pthread_cond_t *, pthread_mutex_t *), pthread_cond_wait)(condition, mutex);
    // Threads of the process may wait for each other for a moment in good faith, as libraries do while they set
    // themselves up; so this one waits in real time, but not for ever.
    enum { PATIENCE_NS = 200000000, TRIES = 50 };
    int64_t end = csim_real_now() + PATIENCE_NS;
    struct timespec until = {end / 1000000000, end % 1000000000};
    int result =
        CSIM_NEXT(clock_wait, pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &until);
    if (result != ETIMEDOUT) {
        fruitless = 0;
        return result;
    }
    csim_note_escape(w, CSIM_ESCAPE_WAIT, "pthread_cond_wait");
    // POSIX lets a wait end without a reason. Who then waits again and again would hang the simulation.
    if (++fruitless == TRIES) {
        csim_write_error("LensSim: pthread_cond_wait waits for ever in a simulation; use a continuation or an AsyncStream\n");
        abort();
    }
    return 0;
}

// MARK: Semaphores

int sem_wait(sem_t *semaphore) {
    if (!csim_virtual) return CSIM_NEXT(int(sem_t *), sem_wait)(semaphore);
    if (sem_trywait(semaphore) == 0) return 0;
    csim_note_escape(csim_virtual, CSIM_ESCAPE_WAIT, "sem_wait");
    errno = EDEADLK;
    return -1;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    if (!csim_virtual) return CSIM_NEXT(int(sem_t *, const struct timespec *), sem_timedwait)(semaphore, until);
    if (sem_trywait(semaphore) == 0) return 0;
    pass_until(until, CLOCK_REALTIME, "sem_timedwait");
    errno = ETIMEDOUT;
    return -1;
}

// MARK: Descriptors

int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms) {
    __auto_type real = CSIM_NEXT(int(struct pollfd *, nfds_t, int), poll);
    if (!csim_virtual || timeout_ms == 0) return real(descriptors, count, timeout_ms);
    int ready = real(descriptors, count, 0);
    if (ready != 0) return ready;
    csim_note_escape(csim_virtual, CSIM_ESCAPE_WAIT, "poll");
    if (timeout_ms > 0) csim_pass_time(csim_virtual, (int64_t)timeout_ms * 1000000);
    return 0;
}
