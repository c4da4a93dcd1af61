// Waits that reach the kernel as futex(2): Swift's Mutex, Dispatch's waits, static variables of C++.
#define _GNU_SOURCE
#include "threads.h"
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

static long fail(int error) {
    errno = error;
    return -1;
}

/// Locks of which the word is the number of the thread that has them: `Mutex` of Synchronization (LinuxImpl.swift), and static
/// variables that are being initialised (Linux.h of the runtime's threading library).
static long lock(csim_world *w, uint32_t *word, bool only_tries) {
    uint32_t mine = (uint32_t)csim_self->id;
    for (;;) {
        uint32_t value = *word, owner = value & FUTEX_TID_MASK;
        if (!owner) {
            uint32_t taken = mine | (value & FUTEX_WAITERS);
            if (__atomic_compare_exchange_n(word, &value, taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return 0;
            continue;
        }
        if (owner == mine) return fail(EDEADLK);
        if (only_tries) return fail(EAGAIN);
        if (csim_is_outside(w, (pid_t)owner)) {
            // Of a thread outside, which does not wait for this one. The kernel must not know this one as a waiter: it is not the kernel's.
            csim_pause_ns(20000);
            continue;
        }
        __atomic_fetch_or(word, FUTEX_WAITERS, __ATOMIC_RELAXED);
        csim_block_for(w, word, (int)owner, -1, "futex_lock_pi");
    }
}

static int64_t until(const csim_world *w, int operation, const struct timespec *limit) {
    if (!limit) return -1;
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)limit->tv_sec, 1000000000, &ns) || __builtin_add_overflow(ns, limit->tv_nsec, &ns)) return -1;
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) return csim_after(w, ns);  // a duration; otherwise a moment
    struct timespec now;
    clock_gettime(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    int64_t left = ns - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    return csim_after(w, left > 0 ? left : 0);
}

long csim_futex(csim_world *w, uint32_t *word, int operation, uint32_t value, const struct timespec *limit, bool *is_answered) {
    *is_answered = true;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        if (*word != value) return fail(EAGAIN);
        return csim_block(w, word, until(w, operation, limit), "futex") ? fail(ETIMEDOUT) : 0;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
        uint32_t woken = csim_wake_threads(w, word, value);
        *is_answered = woken == value;  // others may wait outside
        return woken;
    }
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2: return lock(w, word, false);
    case FUTEX_TRYLOCK_PI: return lock(w, word, true);
    case FUTEX_UNLOCK_PI:
        // Who waits takes it; that some still wait is found out again.
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
        csim_wake_threads(w, word, UINT32_MAX);
        csim_consider_interruption(w, NULL);
        return 0;
    default: *is_answered = false; return 0;
    }
}
