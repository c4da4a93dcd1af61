// Locks of threads that are simulated. A lock itself stays the C library's, and is only ever tried; who does not get it waits for its
// address, and tries again when it has been given back: so who gets it next is a choice of the next step.
#define _GNU_SOURCE
#include "threads.h"
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

#define MUTEX(name) CSIM_NEXT(int(pthread_mutex_t *), name)

// MARK: Mutexes

int csim_lock_inside(csim_world *w, pthread_mutex_t *mutex, int64_t until_ns, const void *caller, const char *function) {
    csim_consider_interruption(w, caller);
    for (;;) {
        int result = MUTEX(pthread_mutex_trylock)(mutex);
        if (result == 0) csim_note_taken(w, mutex);
        if (result != EBUSY) return result;
        int owner = mutex->__data.__owner;
        if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK && owner == csim_self->id) return EDEADLK;
        // Of a thread outside, which does not wait for this one.
        if (csim_is_outside(w, owner)) return MUTEX(pthread_mutex_lock)(mutex);
        if (csim_block_for(w, mutex, owner, until_ns, function) == ETIMEDOUT) return ETIMEDOUT;
    }
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (!csim_self) return MUTEX(pthread_mutex_unlock)(mutex);
    int result = MUTEX(pthread_mutex_unlock)(mutex);
    csim_world *w = csim_virtual;
    if (!w || result) return result;
    csim_wake_threads(w, mutex, UINT32_MAX);
    csim_consider_interruption(w, CSIM_HERE);
    return 0;
}

// MARK: Conditions

int csim_await_condition(
    csim_world *w, pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t until_ns, const char *function
) {
    int failure = MUTEX(pthread_mutex_unlock)(mutex);
    if (failure) return failure;
    csim_wake_threads(w, mutex, UINT32_MAX);
    int result = csim_block(w, condition, until_ns, function);
    failure = csim_lock_inside(w, mutex, -1, NULL, function);
    return failure ? failure : result;
}

#define WAKES(name, most)                                                                     \
    int name(pthread_cond_t *condition) {                                                     \
        csim_world *w = csim_threads_world();                                                 \
        /* Those outside wait at the condition itself. */                                     \
        int result = CSIM_NEXT(int(pthread_cond_t *), name)(condition);                       \
        if (w && csim_wake_threads(w, condition, most)) csim_consider_interruption(w, CSIM_HERE); \
        return result;                                                                        \
    }

WAKES(pthread_cond_signal, 1)
WAKES(pthread_cond_broadcast, UINT32_MAX)

// MARK: Semaphores

int csim_await_semaphore(csim_world *w, sem_t *semaphore, int64_t until_ns, const void *caller, const char *function) {
    csim_consider_interruption(w, caller);
    while (sem_trywait(semaphore)) {
        if (errno != EAGAIN) return -1;
        if (csim_block(w, semaphore, until_ns, function) != ETIMEDOUT) continue;
        errno = ETIMEDOUT;
        return -1;
    }
    return 0;
}

int sem_post(sem_t *semaphore) {
    csim_world *w = csim_threads_world();
    int result = CSIM_NEXT(int(sem_t *), sem_post)(semaphore);
    if (!w || result) return result;
    csim_wake_threads(w, semaphore, UINT32_MAX);
    csim_consider_interruption(w, CSIM_HERE);
    return 0;
}

// MARK: Locks of readers

int csim_lock_for_readers(
    csim_world *w, pthread_rwlock_t *lock, int (*attempt)(pthread_rwlock_t *), int64_t until_ns, const void *caller,
    const char *function
) {
    csim_consider_interruption(w, caller);
    for (;;) {
        int result = attempt(lock);
        if (result == 0) csim_note_taken(w, lock);
        if (result != EBUSY) return result;
        if (csim_block_for(w, lock, lock->__data.__cur_writer, until_ns, function) == ETIMEDOUT) return ETIMEDOUT;
    }
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    csim_world *w = csim_threads_world();
    int result = CSIM_NEXT(int(pthread_rwlock_t *), pthread_rwlock_unlock)(lock);
    if (!w || result) return result;
    csim_wake_threads(w, lock, UINT32_MAX);
    csim_consider_interruption(w, CSIM_HERE);
    return 0;
}

// MARK: Initialisers that run once, for which the C library waits by itself. Those of static variables wait for a futex.

static void enter_once(csim_world *w, const void *token, csim_once *this) {
    struct csim_threads *threads = w->threads;
    for (;;) {
        csim_once *other = threads->initialising;
        while (other && (other->token != token || other->thread == csim_self)) other = other->next;
        if (!other) break;
        csim_block_for(w, token, other->thread->id, -1, "pthread_once");
    }
    *this = (csim_once){token, csim_self, threads->initialising};
    threads->initialising = this;
}

static void leave_once(csim_world *w, csim_once *this) {
    csim_once **link = &w->threads->initialising;
    while (*link && *link != this) link = &(*link)->next;
    if (*link) *link = this->next;
    csim_wake_threads(w, this->token, UINT32_MAX);
}

void csim_forget_once(csim_world *w, const csim_thread *thread) {
    // The records lie on its stack.
    for (csim_once **link = &w->threads->initialising; *link;) {
        csim_once *this = *link;
        if (this->thread != thread) {
            link = &this->next;
            continue;
        }
        *link = this->next;
        *(pthread_once_t *)this->token = PTHREAD_ONCE_INIT;
        csim_wake_threads(w, this->token, UINT32_MAX);
    }
}

int pthread_once(pthread_once_t *token, void (*initialise)(void)) {
    csim_world *w = csim_threads_world();
    csim_once once;
    if (w) enter_once(w, token, &once);
    int result = CSIM_NEXT(int(pthread_once_t *, void (*)(void)), pthread_once)(token, initialise);
    if (w) leave_once(w, &once);
    return result;
}

// MARK: Others

int sched_yield(void) {
    csim_world *w = csim_threads_world();
    if (!w) return CSIM_NEXT(int(void), sched_yield)();
    csim_yield_baton(w);
    return 0;
}

/// The lock of a stream, which the C library's own functions take without this one, and give back before they return.
void flockfile(FILE *file) {
    csim_world *w = csim_threads_world();
    if (!w) return CSIM_NEXT(void(FILE *), flockfile)(file);
    while (ftrylockfile(file)) csim_block(w, file, -1, "flockfile");
}

void funlockfile(FILE *file) {
    CSIM_NEXT(void(FILE *), funlockfile)(file);
    csim_world *w = csim_threads_world();
    if (w) csim_wake_threads(w, file, UINT32_MAX);
}
